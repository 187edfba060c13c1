/* A process forks again and again while its threads allocate at full speed. Each child frees what it
   inherited, works, starts a thread of its own and has a child too. */
#include <sys/wait.h>

#include "scene.h"

enum { THREADS = 3, FORKS = 40, BLOCKS = 300 };

static _Atomic bool ending;
static void *inherited[BLOCKS];

static size_t bytes_of(unsigned index)
{
    return (size_t)(index * index) % 40000 + (index == 50 ? 5000000 : 0);
}

static void *thread(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!ending) {
        work(300, seed++);
    }
    return NULL;
}

static void *short_thread(void *argument)
{
    work(300, (unsigned)(uintptr_t)argument);
    return NULL;
}

static void expect_ended_well(pid_t child)
{
    int status = 0;
    expect(child > 0, "a process can be forked");
    expect(waitpid(child, &status, 0) == child, "a child can be waited for");
    if (status != 0) {
        fail("a child ended with status %#x", (unsigned)status);
    }
}

/* Whatever happens, no child outlives the test. */
static void live_in_child(unsigned number)
{
    alarm(30);
    for (unsigned index = number % 2; index < BLOCKS; index += 2) {
        parcel_free(inherited[index], bytes_of(index));
    }
    work(300, number);
    end_thread(start_thread(short_thread, (void *)(uintptr_t)number));
    for (unsigned index = number % 2; index < BLOCKS; index += 2) {
        inherited[index] = parcel_new(bytes_of(index));
    }
}

int main(void)
{
    pthread_t threads[THREADS];
    for (unsigned index = 0; index < BLOCKS; index++) {
        inherited[index] = parcel_new(bytes_of(index));
    }
    for (uintptr_t index = 0; index < THREADS; index++) {
        threads[index] = start_thread(thread, (void *)index);
    }
    for (unsigned number = 0; number < FORKS; number++) {
        pid_t child = fork();
        if (child == 0) {
            live_in_child(number);
            pid_t grandchild = fork();
            if (grandchild == 0) {
                live_in_child(number + 1);
                exit(0);
            }
            expect_ended_well(grandchild);
            exit(0);
        }
        expect_ended_well(child);
    }
    ending = true;
    for (unsigned index = 0; index < THREADS; index++) {
        end_thread(threads[index]);
    }
    for (unsigned index = 0; index < BLOCKS; index++) {
        parcel_free(inherited[index], bytes_of(index));
    }
    return 0;
}
