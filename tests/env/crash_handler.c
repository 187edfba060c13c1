/* A signal's handler allocates, prints and exits although the signal came in the middle of malloc or free:
   as crash handlers do. Nothing may hang. (That the handler then returns is not asked: no malloc can.) */
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "scene.h"

enum { CHILDREN = 150, HANDLED = 42, HANGS_AFTER_SECONDS = 10 };

static void handle(int number)
{
    void *blocks[100];
    for (unsigned index = 0; index < 100; index++) {
        blocks[index] = malloc(index * 37);
        memset(blocks[index], 1, index * 37);
    }
    char *text = NULL;
    if (asprintf(&text, "signal %d", number) < 0) {
        _exit(1);
    }
    free(text);
    for (unsigned index = 0; index < 100; index++) {
        free(blocks[index]);
    }
    _exit(HANDLED);
}

/* What the handler breaks into; it never ends. */
static void call_for_ever(unsigned kind)
{
    for (unsigned step = 0;; step++) {
        switch (kind % 5) {
        case 0:
            work(1000, step);
            break;
        case 1:
            free(malloc(100));
            break;
        case 2:
            free(malloc(5000));
            break;
        case 3:
            free(malloc(50000 + step % 100000));
            break;
        default:
            free(realloc(malloc(3000000 + step % 4000000), 9000000));
            break;
        }
    }
}

static void child_interrupted(unsigned number)
{
    struct itimerval soon = {.it_value = {.tv_usec = 300 + number * 37 % 3000}};
    signal(SIGALRM, handle);
    setitimer(ITIMER_REAL, &soon, NULL);
    call_for_ever(number);
}

/* realloc copies into memory that must not be written, so the signal comes from inside realloc itself. */
static void child_crashing(void)
{
    size_t bytes = 200000;
    unsigned char *block = malloc(bytes);
    signal(SIGSEGV, handle);
    mprotect((void *)(((uintptr_t)block + 8191) & ~(uintptr_t)4095), 4096, PROT_NONE);
    block = realloc(block, 20000000);
    _exit(block == NULL);
}

static void expect_handled(pid_t child)
{
    int status = 0;
    for (unsigned waited_ms = 0; waitpid(child, &status, WNOHANG) == 0; waited_ms++) {
        if (waited_ms == HANGS_AFTER_SECONDS * 1000) {
            kill(child, SIGKILL);
            fail("a handler hangs");
        }
        usleep(1000);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != HANDLED) {
        fail("a child ended with status %#x", (unsigned)status);
    }
}

int main(void)
{
    for (unsigned number = 0; number < CHILDREN; number++) {
        pid_t child = fork();
        if (child == 0) {
            child_interrupted(number);
        }
        expect_handled(child);
    }
    pid_t child = fork();
    if (child == 0) {
        child_crashing();
    }
    expect_handled(child);
    return 0;
}
