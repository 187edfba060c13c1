/* Other ways to a new process, while threads allocate: vfork and exec, posix_spawn, system, popen, and fork
   from a thread that is not the main one. */
#include <spawn.h>
#include <sys/wait.h>

#include "scene.h"

enum { THREADS = 2, ROUNDS = 15 };

extern char **environ;

static _Atomic bool ending;
static char *const nothing[] = {"true", NULL};

static void *thread(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!ending) {
        work(200, seed++);
    }
    return NULL;
}

static void expect_status(pid_t child, int wanted)
{
    int status = -1;
    expect(waitpid(child, &status, 0) == child, "a child can be waited for");
    expect(WIFEXITED(status) && WEXITSTATUS(status) == wanted, "a child ended well");
}

static void by_vfork(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execvp(nothing[0], nothing);
        _exit(9);
    }
    expect_status(child, 0);
}

static void by_spawn(void)
{
    pid_t child;
    expect(posix_spawnp(&child, nothing[0], NULL, NULL, nothing, environ) == 0,
           "posix_spawn works");
    expect_status(child, 0);
}

static void by_popen(void)
{
    char line[40] = "";
    FILE *stream = popen("echo hello", "r");
    expect(stream != NULL && fgets(line, sizeof line, stream) != NULL, "popen works");
    expect(strcmp(line, "hello\n") == 0 && pclose(stream) == 0, "its child ended well");
}

static void *by_fork_in_thread(void *argument)
{
    void *block = parcel_new(300);
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        parcel_free(block, 300);
        work(200, 5);
        pthread_exit(NULL); /* the only thread: the process ends with status 0 */
    }
    expect_status(child, 0);
    parcel_free(block, 300);
    return argument;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (uintptr_t index = 0; index < THREADS; index++) {
        threads[index] = start_thread(thread, (void *)index);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        by_vfork();
        by_spawn();
        by_popen();
        expect(system("exit 3") == 3 << 8, "system works");
        end_thread(start_thread(by_fork_in_thread, NULL));
    }
    ending = true;
    for (unsigned index = 0; index < THREADS; index++) {
        end_thread(threads[index]);
    }
    return 0;
}
