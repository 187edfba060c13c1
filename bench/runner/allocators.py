"""The allocators that are compared: Debian's packages, hepta, and what the caller names."""

import os
import subprocess
from dataclasses import dataclass

HEPTA = "hepta"
SYSTEM = "glibc"
# Name, library as the dynamic loader knows it, and the packages that may bring it.
DEBIAN = [
    ("jemalloc", "libjemalloc.so.2", ["libjemalloc2"]),
    ("mimalloc", "libmimalloc.so.2", ["libmimalloc2.0"]),
    ("tcmalloc", "libtcmalloc_minimal.so.4", ["libtcmalloc-minimal4", "libtcmalloc-minimal4t64"]),
    ("tbbmalloc", "libtbbmalloc_proxy.so.2", ["libtbbmalloc2"]),
]


class AllocatorError(Exception):
    pass


@dataclass(frozen=True)
class Allocator:
    name: str
    library: str  # what LD_PRELOAD is set to; empty for the system's malloc
    packages: tuple
    is_peer: bool  # one of Debian's: the bars are set against these


def loader_paths():
    """Where the dynamic loader finds each library."""
    environment = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/sbin")
    listing = subprocess.run(
        ["ldconfig", "-p"], capture_output=True, text=True, check=True, env=environment
    ).stdout
    paths = {}
    for line in listing.splitlines():
        if "x86-64" in line and "=>" in line:
            paths.setdefault(line.split()[0], line.split("=>")[1].strip())
    return paths


def named_by_caller(text):
    """ALLOC="name=/path/lib.so other=/path/lib2.so"; several libraries for one name by colons."""
    for word in text.split():
        name, equals, library = word.partition("=")
        if not equals or not name:
            raise AllocatorError(f"ALLOC: {word} is not name=/path/library.so")
        for path in filter(None, library.split(":")):
            if not os.access(path, os.R_OK):
                raise AllocatorError(f"ALLOC: there is no {path}")
        yield Allocator(name, library, (), False)


def all_allocators(hepta_library, extra, wanted):
    """Every allocator that is there, or those of them that are wanted by name; hepta is the last."""
    paths = loader_paths()
    found = [Allocator(SYSTEM, "", ("libc6",), True)]
    for name, library, packages in DEBIAN:
        if library in paths:
            found.append(Allocator(name, paths[library], tuple(packages), True))
        elif not wanted or name in wanted:
            print(f"bench: {name} is left out: there is no {library}")
    found += named_by_caller(extra)
    if not os.access(hepta_library, os.R_OK):
        raise AllocatorError(f"there is no {hepta_library}: run make first")
    found.append(Allocator(HEPTA, os.path.realpath(hepta_library), (), False))
    names = [allocator.name for allocator in found]
    for name in wanted:
        if name not in names:
            raise AllocatorError(f"there is no allocator {name}; there are {', '.join(names)}")
    for name in names:
        if names.count(name) > 1:
            raise AllocatorError(f"two allocators are called {name}")
    return [allocator for allocator in found if not wanted or allocator.name in wanted]
