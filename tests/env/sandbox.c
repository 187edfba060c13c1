/*
 * sandbox: a process with one thread that the kernel kills for any call which malloc does not usually make.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "scene.h"

enum { SMALL_BLOCKS = 200000, SMALL_BYTES = 100, LARGE_BYTES = 20 << 20, ROUNDS = 8 };

static const unsigned allowed[] = {SYS_brk,     SYS_mmap,          SYS_munmap, SYS_mremap,
                                   SYS_madvise, SYS_clock_gettime, SYS_write,  SYS_exit_group};

enum { ALLOWED = sizeof allowed / sizeof allowed[0] };

static void enter_sandbox(void)
{
    struct sock_filter filter[2 * ALLOWED + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short length = 1;
    for (unsigned call = 0; call < ALLOWED; call++) {
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[call], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    struct sock_fprog program = {length, filter};
    expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "the process can give up its rights");
    expect(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "it can be sandboxed");
}

static void turn_memory_over(void)
{
    static char *small[SMALL_BLOCKS];
    for (unsigned index = 0; index < SMALL_BLOCKS; index++) {
        small[index] = malloc(SMALL_BYTES + index % SMALL_BYTES);
        small[index][0] = 1;
    }
    char *large = calloc(1, LARGE_BYTES);
    large[0] = 1;
    large = realloc(large, (size_t)2 * LARGE_BYTES);
    free(large);
    free(memset(malloc(LARGE_BYTES), 1, LARGE_BYTES));
    for (unsigned index = 0; index < SMALL_BLOCKS; index++) {
        free(small[index]);
    }
}

int main(void)
{
    enter_sandbox();
    for (unsigned round = 0; round < ROUNDS; round++) {
        turn_memory_over();
    }
    _exit(0);
}
