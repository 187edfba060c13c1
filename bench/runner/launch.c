/*
 * launch: runs a command once on an allocator, and prints what it took in one line.
 *
 * launch WARM_MIB TIMEOUT_SECONDS PRELOAD OUTPUT COMMAND
 *
 * COMMAND is run by sh with LD_PRELOAD=PRELOAD, unless that is empty; what it writes goes to the file
 * OUTPUT. The line is
 *
 *     wall=0.512345 user=0.498000 system=0.012000 peak_kib=10240 voluntary=2 involuntary=31
 *     others=0.010000 end=exit:0
 *
 * user and system are the seconds of all processes that the command started, peak_kib is the peak
 * resident memory of the largest of them. `others` are seconds that other processes and the host took
 * from the processors meanwhile; the kernel tells them in steps of 10 ms. `end` is exit:STATUS,
 * signal:NUMBER or timeout. A process that outlives the command is killed.
 *
 * The launcher is a program of its own because a forked child starts out as large as its parent, and
 * the kernel takes that for the child's peak.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct launch {
    size_t warm_bytes;
    double timeout_seconds;
    const char *preload;
    const char *output;
    const char *command;
} launch;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
    exit(2);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A virtual machine gives its free memory back to the host, and the first touch after that takes several
 * times as long. What is freed here is what the kernel hands out next. */
static void warm(size_t bytes)
{
    if (bytes != 0) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (memory == MAP_FAILED || munmap(memory, bytes) != 0) {
            fail("warming memory");
        }
    }
}

/* Processor seconds of all processes, and those that the host gave to somebody else. Interrupts are
 * left out: nobody can tell for whom they were. */
static double busy_seconds(void)
{
    unsigned long long user;
    unsigned long long nice;
    unsigned long long system;
    unsigned long long steal;
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL || fscanf(file, "cpu %llu %llu %llu %*u %*u %*u %*u %llu", &user, &nice,
                               &system, &steal) != 4) {
        fail("/proc/stat");
    }
    fclose(file);
    return (double)(user + nice + system + steal) / (double)sysconf(_SC_CLK_TCK);
}

static _Noreturn void become(const launch *self)
{
    int input = open("/dev/null", O_RDONLY);
    int output = open(self->output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    sigset_t none;
    sigemptyset(&none);
    if (input < 0 || output < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 ||
        dup2(output, 2) < 0 || setpgid(0, 0) != 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0) {
        _exit(126);
    }
    close(input);
    close(output);
    if (self->preload[0] != '\0') {
        setenv("LD_PRELOAD", self->preload, 1);
    }
    execl("/bin/sh", "sh", "-c", self->command, (char *)NULL);
    _exit(127);
}

/* Whoever lost its parent is ours, because the launcher is its subreaper. */
static void end_strays(void)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/task/%d/children", (int)getpid());
    for (;;) {
        FILE *file = fopen(name, "r");
        int child;
        while (file != NULL && fscanf(file, "%d", &child) == 1) {
            kill(child, SIGKILL);
        }
        if (file != NULL) {
            fclose(file);
        }
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD) {
            return;
        }
    }
}

/* Waits until the command has ended, its time is up or somebody ends the launcher. True: it has ended by
 * itself, with *status. */
static int wait_for(pid_t command, double until, const sigset_t *signals, int *status)
{
    for (;;) {
        if (waitpid(command, status, WNOHANG) == command) {
            return 1;
        }
        double left = until - now();
        if (left <= 0) {
            return 0;
        }
        struct timespec time = {.tv_sec = (time_t)left,
                                .tv_nsec = (long)((left - (double)(time_t)left) * 1e9)};
        int signal = sigtimedwait(signals, NULL, &time);
        if (signal > 0 && signal != SIGCHLD) {
            kill(-command, SIGKILL);
            end_strays();
            exit(128 + signal);
        }
    }
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static void report(double wall, double busy, int ended, int status)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    double user = seconds_of(usage.ru_utime);
    double system = seconds_of(usage.ru_stime);
    double others = busy - user - system;
    printf("wall=%.6f user=%.6f system=%.6f peak_kib=%ld voluntary=%ld involuntary=%ld "
           "others=%.6f ",
           wall, user, system, usage.ru_maxrss, usage.ru_nvcsw, usage.ru_nivcsw,
           others > 0 ? others : 0);
    if (!ended) {
        puts("end=timeout");
    } else if (WIFSIGNALED(status)) {
        printf("end=signal:%d\n", WTERMSIG(status));
    } else {
        printf("end=exit:%d\n", WEXITSTATUS(status));
    }
}

static void run(const launch *self)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
        fail("preparing");
    }
    warm(self->warm_bytes);
    double busy = busy_seconds();
    double begin = now();
    pid_t command = fork();
    if (command < 0) {
        fail("fork");
    }
    if (command == 0) {
        become(self);
    }
    setpgid(command, command); /* here as well: the group must exist before it is killed */
    int status = 0;
    int ended = wait_for(command, begin + self->timeout_seconds, &signals, &status);
    double wall = now() - begin;
    kill(-command, SIGKILL);
    end_strays();
    report(wall, busy_seconds() - busy, ended, status);
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fputs("usage: launch WARM_MIB TIMEOUT_SECONDS PRELOAD OUTPUT COMMAND\n", stderr);
        return 2;
    }
    launch self = {
        .warm_bytes = (size_t)strtoul(arguments[1], NULL, 10) << 20,
        .timeout_seconds = strtod(arguments[2], NULL),
        .preload = arguments[3],
        .output = arguments[4],
        .command = arguments[5],
    };
    run(&self);
    return 0;
}
