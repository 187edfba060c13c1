// What the programs of this folder share: a sentence, whether it holds, and an exit status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

inline int failures = 0;

inline void expect(const char *sentence, bool holds)
{
    std::printf("%s %s\n", holds ? "ok  " : "FAIL", sentence);
    failures += holds ? 0 : 1;
}

// More than any allocator has, but for the compiler a size like any other.
inline volatile std::size_t too_many = PTRDIFF_MAX - 4096;

inline bool is_aligned(const void *pointer, std::size_t alignment)
{
    return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}
