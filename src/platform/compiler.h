/*
 * compiler: the few things that C11 has no word for.
 *
 * Owns:        nothing.
 * Invariants:  none.
 * Threads:     any.
 * Ordering:    none; hp_relaxed_xor reads its word as a relaxed atomic load does.
 * Progress:    wait-free.
 * Used by:     every floor.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HP_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define HP_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A slow exit: kept out of line, so that the fast path in front of it stays a leaf. */
#define HP_SLOW __attribute__((noinline))
#define HP_COLD __attribute__((noinline, cold))
#define HP_INLINE static inline __attribute__((always_inline))

#define HP_EXPORT __attribute__((visibility("default")))
#define HP_WEAK __attribute__((weak))
#define HP_NORETURN __attribute__((noreturn))
#define HP_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

#define HP_CACHE_LINE_BYTES 64u
#define HP_LINE_ALIGNED _Alignas(64)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HP_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HP_SANITIZED 1
#endif
#ifndef HP_SANITIZED
#define HP_SANITIZED 0
#endif

#if defined(__x86_64__) && !HP_SANITIZED
#define HP_FOLD_ATOMIC_LOAD 1
#else
#define HP_FOLD_ATOMIC_LOAD 0
#endif

/*
 * value ^ *word, where the word is read as by a relaxed atomic load. An aligned 64-bit memory operand
 * is exactly that on x86-64, but neither gcc 12 nor clang 14 folds an atomic load into the
 * instruction that uses it; this saves one instruction of free's twenty.
 */
HP_INLINE uint64_t hp_relaxed_xor(const _Atomic uint64_t *word, uint64_t value)
{
#if HP_FOLD_ATOMIC_LOAD
    __asm__("xorq %1, %0" : "+r"(value) : "m"(*word) : "cc");
    return value;
#else
    /* relaxed: the caller compares the whole word with a tag and follows nothing that it names */
    return value ^ atomic_load_explicit(word, memory_order_relaxed);
#endif
}

/* glibc's, from 2.32 on (sys/single_threaded.h); other libcs have none. */
extern char __libc_single_threaded HP_WEAK; /* NOLINT: that is its name */

HP_INLINE bool hp_libc_counts_threads(void)
{
    return &__libc_single_threaded != NULL;
}

/* Whether the process has one thread, as far as libc knows; it is heard of before a second one starts. */
HP_INLINE bool hp_is_single_threaded(void)
{
    return hp_libc_counts_threads() && __libc_single_threaded != 0;
}

/* What the optimiser may take for granted. */
#define HP_ASSUME(condition)         \
    do {                             \
        if (!(condition)) {          \
            __builtin_unreachable(); \
        }                            \
    } while (0)

/* The compiler keeps the order of memory accesses across it, for a signal handler of the same thread. */
#define HP_SIGNAL_BARRIER() __asm__ volatile("" : : : "memory")
/* The same for what is written to one object. */
#define HP_SIGNAL_BARRIER_IN(object) __asm__ volatile("" : "+m"(object))

/* The value itself, of which the optimiser forgets where it came from (one base, one
   register). */
#define HP_OPAQUE(value) __asm__("" : "+r"(value))

/* Loads a pointer that is about to be returned straight into the register for it: gcc 12 would put
   something else there and move at the end. */
#if defined(__x86_64__)
#define HP_IN_RESULT_REGISTER(pointer) __asm__("" : "+a"(pointer))
#else
#define HP_IN_RESULT_REGISTER(pointer) ((void)(pointer))
#endif

/* Sets bit index % 64 of *word; whether it was set before. One instruction that compilers do not form. */
HP_INLINE bool hp_set_bit(uint64_t *word, uint64_t index) /* NOLINT: the assembly writes *word */
{
#if defined(__x86_64__)
    bool was_set;
    __asm__("btsq %2, %0" : "+r"(*word), "=@ccc"(was_set) : "r"(index));
    return was_set;
#else
    uint64_t bit = (uint64_t)1 << (index & 63);
    bool was_set = (*word & bit) != 0;
    *word |= bit;
    return was_set;
#endif
}

/*
 * The line is about to be written, and another processor wrote it last: fetched at once as one's own, not for reading
 * first. x86-64 processors without the instruction take it as a no-op.
 */
HP_INLINE void hp_prefetch_to_write(const void *address)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
    __builtin_prefetch(address, 1);
#endif
}

HP_INLINE unsigned hp_lowest_bit(uint64_t word)
{
    return (unsigned)__builtin_ctzll(word);
}

HP_INLINE unsigned hp_highest_bit(uint64_t word)
{
    return 63u - (unsigned)__builtin_clzll(word);
}

HP_INLINE unsigned hp_count_bits(uint64_t word)
{
    /* In sums of 2, 4 and 8 bits, added up by one multiplication: without -mpopcnt gcc calls a function.
       (Warren, "Hacker's Delight", 2nd edition, 5-1) */
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(word * 0x0101010101010101u >> 56);
}
