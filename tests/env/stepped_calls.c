/*
 * A signal after each instruction that the library runs in a call, whose handler ends the process: by exit, or by _exit
 * after it has allocated, as crash handlers do. No block may be handed out twice, and the library, which looks through
 * what the thread holds at exit, may find none in two places: it would speak of a double free.
 *
 * The processor's trap flag steps through the call (x86-64), and at each step the process is copied and the copy ends. It is
 * copied by the system call alone, so that nothing in it knows of a fork.
 */
#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "scene.h"

enum {
    BLOCKS = 64,
    ROUNDS = 4,
    LAST_BLOCKS = 16,
    LINE_CHUNKS = 7,
    HANDLED = 42,
    TRAP_FLAG = 0x100
};

typedef enum call { CALL_MALLOC, CALL_FREE, CALL_TRIM } call;
typedef enum ending { BY_EXIT, WITH_LAST_WORDS } ending;

typedef struct scenario {
    call call;
    size_t bytes;
    unsigned freed;  /* blocks before the call */
    unsigned stride; /* of the instructions at which copies end */
    unsigned most;   /* instructions are stepped through */
} scenario;

static uintptr_t library_begin, library_end;
static void *blocks[BLOCKS];
static const scenario *plays;
static unsigned steps;
static volatile sig_atomic_t returned;

/* The object that has malloc. */
static int find_library(struct dl_phdr_info *object, size_t bytes, void *context)
{
    (void)bytes;
    (void)context;
    for (unsigned index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[index];
        uintptr_t begin = object->dlpi_addr + header->p_vaddr;
        uintptr_t end = begin + header->p_memsz;
        if ((header->p_flags & PF_X) != 0 && begin <= (uintptr_t)malloc &&
            (uintptr_t)malloc < end) {
            library_begin = begin;
            library_end = end;
        }
    }
    return 0;
}

static bool is_held_by_the_program(const void *block)
{
    for (unsigned index = plays->freed + (plays->call == CALL_FREE); index < BLOCKS; index++) {
        if (blocks[index] == block) {
            return true;
        }
    }
    return false;
}

static void allocate_and_end(void)
{
    void *last[LAST_BLOCKS];
    for (unsigned index = 0; index < LAST_BLOCKS; index++) {
        last[index] = malloc(plays->bytes);
        expect(!is_held_by_the_program(last[index]), "a handler gets no block that is in use");
        for (unsigned other = 0; other < index; other++) {
            expect(last[other] != last[index], "a handler gets no block twice");
        }
    }
    _exit(HANDLED);
}

static void end_as(ending ends)
{
    if (ends == WITH_LAST_WORDS) {
        allocate_and_end();
    }
    exit(HANDLED);
}

static void expect_that_a_copy_ends_well(ending ends)
{
    pid_t copy = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
    if (copy == 0) {
        end_as(ends);
    }
    int status = 0;
    waitpid(copy, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != HANDLED) {
        fail("call %d of %zu bytes, %u freed before, instruction %u, ending %d: status %#x",
             plays->call, plays->bytes, plays->freed, steps, ends, (unsigned)status);
    }
}

static void after_an_instruction(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)registers[REG_RIP];
    if (returned || steps == plays->most) {
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        return;
    }
    if (at >= library_begin && at < library_end && ++steps % plays->stride == 0) {
        expect_that_a_copy_ends_well(BY_EXIT);
        expect_that_a_copy_ends_well(WITH_LAST_WORDS);
    }
}

static void fill_blocks(size_t bytes)
{
    for (unsigned index = 0; index < BLOCKS; index++) {
        blocks[index] = malloc(bytes);
    }
}

static void free_blocks(unsigned count)
{
    for (unsigned index = 0; index < count; index++) {
        free(blocks[index]);
    }
}

/* Lines, depot and slabs are in use, and the program holds all blocks but the first ones. */
static void prepare(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        fill_blocks(plays->bytes);
        free_blocks(BLOCKS);
    }
    fill_blocks(plays->bytes);
    free_blocks(plays->freed);
}

static void *extra;

static void free_the_rest(void)
{
    for (unsigned index = plays->freed + (plays->call == CALL_FREE); index < BLOCKS; index++) {
        free(blocks[index]);
    }
    free(extra);
    extra = NULL;
}

static void make_the_call(void)
{
    if (plays->call == CALL_MALLOC) {
        extra = malloc(plays->bytes);
    } else if (plays->call == CALL_FREE) {
        free(blocks[plays->freed]);
    } else {
        malloc_trim(0);
    }
}

static void play(const scenario *chosen)
{
    plays = chosen;
    steps = 0;
    returned = 0;
    prepare();
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(TRAP_FLAG) : "memory", "cc");
    make_the_call();
    returned = 1;
    __asm__ volatile("nop; nop" : : : "memory");
    free_the_rest();
}

int main(void)
{
    static const size_t sizes[] = {64, 1100, 5000};
    struct sigaction action = {.sa_sigaction = after_an_instruction, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    dl_iterate_phdr(find_library, NULL);
    for (unsigned size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
        for (unsigned freed = 0; freed <= LINE_CHUNKS; freed++) {
            play(&(scenario){CALL_FREE, sizes[size], freed, 3, 1000});
            play(&(scenario){CALL_MALLOC, sizes[size], freed, 3, 1000});
        }
        play(&(scenario){CALL_TRIM, sizes[size], LINE_CHUNKS, 13, 3000});
    }
    return 0;
}
