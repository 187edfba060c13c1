"""What the figures were taken on."""

import os
import platform
import subprocess
import time


def output_of(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def _value(path, name):
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return "unknown"


def packages(allocators):
    names = [package for allocator in allocators for package in allocator.packages]
    if not names:  # dpkg-query would list every package there is
        return ""
    listing = output_of("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *names)
    return ", ".join(line for line in listing.splitlines() if len(line.split()) == 2)


def compiler():
    name = os.environ.get("CC") or "gcc"
    return (output_of(name, "--version").splitlines() or [name])[0]


def commit(root):
    return output_of("git", "-C", str(root), "describe", "--always", "--dirty") or "unknown"


def description(root, command, allocators):
    """One line: the command, the date, the machine, the kernel, packages, compiler and hepta's commit."""
    memory_mib = int(_value("/proc/meminfo", "MemTotal").split()[0]) // 1024
    options = os.environ.get("HEPTA_OPTIONS")
    parts = [
        f"HEPTA_OPTIONS={options} {command}" if options else command,
        time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        f"{os.cpu_count()} x {_value('/proc/cpuinfo', 'model name')}, {memory_mib} MiB",
        f"Linux {platform.release()}",
        packages(allocators),
        compiler(),
        f"hepta {commit(root)}",
    ]
    return "; ".join(part for part in parts if part)
