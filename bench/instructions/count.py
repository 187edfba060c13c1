#!/usr/bin/env python3
"""Instructions per malloc + free, counted with callgrind, the benchmark's own loop left out.

usage: count.py PROGRAM NAME=LIBRARY ...        (LIBRARY "libc" counts the system's own)

Each path runs twice under callgrind with different numbers of rounds; the difference is its steady
state. Only instructions inside the allocator's library count (for the system's: inside the functions
of malloc in libc), so the loop, the PLT and the threads' semaphores do not.
"""
import os
import re
import subprocess
import sys
import tempfile

PATHS = os.environ.get("PATHS", "pair-64 batch remote free-null calloc-64 realloc-up pair-4096 pair-100k").split()
FEW, MANY = 50, 100
OPERATIONS = 1000
LIBC_FUNCTIONS = re.compile(r"^(malloc|free|calloc|realloc|_int_|tcache|unlink_chunk|malloc_consolidate"
                            r"|sysmalloc|systrim|checked_request|ptmalloc|arena_get|grow_heap|heap_trim"
                            r"|alloc_perturb|mremap_chunk|munmap_chunk|free_perturb|_mid_memalign"
                            r"|__libc_(malloc|free|calloc|realloc))")


def profile(program, path, rounds, library):
    """Self cost per function: {(object, function): instructions}."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        environment = dict(os.environ)
        command = ["valgrind", "-q", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no",
                   "--callgrind-out-file=" + out, "--trace-children=no"]
        if library != "libc":
            environment["LD_PRELOAD"] = library
        subprocess.run(command + [program, path, str(rounds)], env=environment, check=True,
                       stderr=subprocess.DEVNULL)
        costs = {}
        current_object = current_function = None
        skip = False
        with open(out) as lines:
            for line in lines:
                if line.startswith("ob="):
                    current_object = line[3:].strip()
                elif line.startswith("fn="):
                    current_function = line[3:].strip()
                elif line.startswith("calls="):
                    skip = True  # the next line is the callee's inclusive cost
                elif line[:1].isdigit() or line[:1] in "+-*":
                    if skip:
                        skip = False
                        continue
                    key = (current_object, current_function)
                    costs[key] = costs.get(key, 0) + int(line.split()[-1])
        return costs


def of_allocator(costs, library):
    if library == "libc":
        return sum(cost for (obj, function), cost in costs.items()
                   if "libc.so" in (obj or "") and LIBC_FUNCTIONS.match(function or ""))
    name = os.path.basename(os.path.realpath(library))
    return sum(cost for (obj, _), cost in costs.items()
               if os.path.basename(os.path.realpath(obj or "")) == name or (obj or "").startswith("???"))


def main():
    program, allocators = sys.argv[1], [item.split("=", 1) for item in sys.argv[2:]]
    print(f"{'path':<12}" + "".join(f"{name:>11}" for name, _ in allocators))
    for path in PATHS:
        row = f"{path:<12}"
        for _, library in allocators:
            few = of_allocator(profile(program, path, FEW, library), library)
            many = of_allocator(profile(program, path, MANY, library), library)
            row += f"{(many - few) / (MANY - FEW) / OPERATIONS:>11.1f}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
