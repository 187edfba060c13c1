#!/usr/bin/env python3
"""Instructions per operation, counted with callgrind, on every allocator. `make instructions` calls it.

Takes ALLOCATORS, ALLOC and RECORD as make bench does; ROWS are words of paths.

Each path runs twice with different numbers of rounds; the difference is its steady state. What counts is
what the counted_ functions of steps.c call, inside of the allocator's libraries; for the system's malloc,
which is part of libc, inside of libc but for what other allocators too would call there: memory copied and
set, the kernel's functions. So the loops, the PLT, memcpy and what the kernel does are in no figure.
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "support"))

from sweep import Sweep, table  # noqa: E402

FEW, MANY = 50, 100
LEFT_OUT_OF_LIBC = re.compile(
    r"_*(mem(set|cpy|move|pcpy)\w*|(mmap|munmap|mremap|madvise|mprotect|brk|sbrk|syscall|getrandom)(64)?)$"
)
CSV = "instructions.csv"


def callgrind(program, path, rounds, library, out):
    command = ["valgrind", "-q", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]
    command += [f"--callgrind-out-file={out}", "--toggle-collect=counted_*"]
    environment = dict(os.environ)
    if library:
        environment["LD_PRELOAD"] = library
    subprocess.run(
        command + [program, path, str(rounds)], env=environment, check=True, capture_output=True
    )


def self_costs(out):
    """{(object, function): instructions}"""
    costs, key, skip = {}, [None, None], False
    with open(out, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("ob="):
                key[0] = line[3:].strip()
            elif line.startswith("fn="):
                key[1] = line[3:].strip()
            elif line.startswith("calls="):
                skip = True  # the next line is the callee's inclusive cost
            elif line[:1].isdigit() or line[:1] in "+-*":
                if not skip:
                    costs[tuple(key)] = costs.get(tuple(key), 0) + int(line.split()[-1])
                skip = False
    return costs


def is_of(allocator, program, of_object, function):
    """Every library counts but libc and the loader: an allocator may have more than one."""
    name = os.path.basename(of_object or "")
    if name.startswith("libc.so"):
        return not allocator.library and not LEFT_OUT_OF_LIBC.match(function or "")
    return bool(allocator.library) and not name.startswith("ld-linux") and name != os.path.basename(program)


def count(program, path, rounds, allocator):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        callgrind(program, path, rounds, allocator.library, out)
        return sum(cost for (obj, fn), cost in self_costs(out).items() if is_of(allocator, program, obj, fn))


def per_operation(program, path, operations, allocator):
    try:
        few, many = (count(program, path, rounds, allocator) for rounds in (FEW, MANY))
    except subprocess.CalledProcessError as error:
        words = error.stderr.decode(errors="replace").strip()
        print(f"{path} failed on {allocator.name}: {words}", file=sys.stderr)
        return None
    return (many - few) / (MANY - FEW) / operations


def paths(program, words):
    listing = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        name, operations = line.split()
        if not words or any(word in name for word in words):
            yield name, int(operations)


def text_of(value):
    if value is None:
        return "failed"
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def main():
    sweep = Sweep("instructions", 1)
    program = str(sweep.settings.programs / "paths")
    names = sweep.names()
    allocators = sorted(sweep.allocators, key=lambda allocator: names.index(allocator.name))
    counted = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, operations in paths(program, sweep.settings.words):
            for allocator in allocators:
                future = pool.submit(per_operation, program, path, operations, allocator)
                counted.setdefault(path, {})[allocator.name] = future
        cells = []
        for path, futures in counted.items():
            values = {name: future.result() for name, future in futures.items()}
            counted[path] = values
            cells.append([path, "", *(text_of(values[name]) for name in names)])
            print(f"\r{path}".ljust(40), end="", file=sys.stderr, flush=True)
    print("\r" + " " * 40, end="\r", file=sys.stderr)
    lines = [
        {"path": path, "allocator": name, "instructions": "failed" if value is None else f"{value:.1f}"}
        for path, values in counted.items()
        for name, value in values.items()
    ]
    sweep.write(CSV, ["path", "allocator", "instructions"], lines)
    table(["path", "", *names], cells)
    return int(any(value is None for values in counted.values() for value in values.values()))


if __name__ == "__main__":
    sys.exit(main())
