/* What one process costs, whatever is done around it.
 *
 *   measure run PRELOAD OUTPUT COMMAND...   runs COMMAND on the libraries PRELOAD (empty: none), its output to the
 *                                           file OUTPUT; its wall time, its processor time, its peak
 *   measure server PID OUTPUT COMMAND...    runs COMMAND, the load of a server that is there already; what the
 *                                           server spends meanwhile, and its peak
 *   measure serve PRELOAD COMMAND...        becomes COMMAND, a server, which ends when its parent does
 *
 * The first two print one line, seconds=S cpu_seconds=C user_seconds=U system_seconds=Y wall_seconds=W peak_rss_kib=K,
 * and exit as COMMAND does. `seconds` is the wall time of a command, and of a server the processor time.
 * This program is small, for a peak includes what a process had before it became COMMAND.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct cost {
    double seconds, cpu_seconds, user_seconds, system_seconds, wall_seconds;
    long peak_rss_kib;
} cost;

_Noreturn static void fail(const char *what)
{
    fprintf(stderr, "measure: %s: %s\n", what, strerror(errno));
    exit(2);
}

static double seconds_of(struct timespec time)
{
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) {
        fail("clock_gettime");
    }
    return seconds_of(now);
}

static void print_cost(const cost *of)
{
    printf("seconds=%.6f cpu_seconds=%.6f user_seconds=%.6f system_seconds=%.6f wall_seconds=%.6f "
           "peak_rss_kib=%ld\n",
           of->seconds, of->cpu_seconds, of->user_seconds, of->system_seconds, of->wall_seconds,
           of->peak_rss_kib);
}

/* So that nothing is left running when a bench is broken off, in whatever way. */
static void end_with_parent(void)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
        fail("prctl");
    }
}

/* Becomes the command, which ends when its parent does. */
_Noreturn static void become(const char *preload, char **command)
{
    end_with_parent();
    if (preload[0] == '\0') {
        unsetenv("LD_PRELOAD");
    } else if (setenv("LD_PRELOAD", preload, 1) != 0) {
        fail("setenv");
    }
    execvp(command[0], command);
    fail(command[0]);
}

static void write_output_to(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0) {
        fail(path);
    }
    close(file);
}

/* Runs a command to its end, with the wall time and what wait4 tells; its exit status. */
static int run(const char *preload, const char *output, char **command, cost *of)
{
    struct rusage usage;
    int status;
    double begin = clock_seconds(CLOCK_MONOTONIC);
    pid_t child = fork();
    if (child == 0) {
        write_output_to(output);
        become(preload, command);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        fail("no child");
    }
    of->wall_seconds = clock_seconds(CLOCK_MONOTONIC) - begin;
    of->user_seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
    of->system_seconds = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
    of->cpu_seconds = of->user_seconds + of->system_seconds;
    of->peak_rss_kib = usage.ru_maxrss;
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "measure: %s ended by signal %d (%s)\n", command[0], WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}

/* A file of /proc/PID, whole. */
static void read_process_file(const char *pid, const char *name, char *text, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail(path);
    }
    size_t length = fread(text, 1, room - 1, file);
    text[length] = '\0';
    fclose(file);
}

/* What a process that goes on has spent so far. Its clock counts nanoseconds; how much of it was in the program and how
 * much in the kernel, /proc tells in ticks. */
static void read_spent(const char *pid, cost *of)
{
    clockid_t clock;
    char text[4096];
    unsigned long user_ticks, system_ticks;
    if (clock_getcpuclockid((pid_t)strtol(pid, NULL, 10), &clock) != 0) {
        fail("no such server");
    }
    of->cpu_seconds = clock_seconds(clock);
    read_process_file(pid, "stat", text, sizeof text);
    char *after_name = strrchr(text, ')');
    if (after_name == NULL ||
        sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user_ticks,
               &system_ticks) != 2) {
        fail("/proc/PID/stat");
    }
    of->user_seconds = (double)user_ticks / (double)sysconf(_SC_CLK_TCK);
    of->system_seconds = (double)system_ticks / (double)sysconf(_SC_CLK_TCK);
}

static long peak_rss_kib(const char *pid)
{
    char text[8192];
    long kib;
    read_process_file(pid, "status", text, sizeof text);
    const char *line = strstr(text, "\nVmHWM:");
    if (line == NULL || sscanf(line, "\nVmHWM: %ld", &kib) != 1) {
        fail("no VmHWM");
    }
    return kib;
}

/* Ticks of 10 ms are too coarse for a sum. */
static void make_sum_exact(cost *of)
{
    double sum_of_ticks = of->user_seconds + of->system_seconds;
    double in_program = sum_of_ticks > 0 ? of->user_seconds / sum_of_ticks : 1;
    of->user_seconds = of->cpu_seconds * in_program;
    of->system_seconds = of->cpu_seconds - of->user_seconds;
}

static int measure_command(char **arguments)
{
    cost spent;
    int status = run(arguments[0], arguments[1], arguments + 2, &spent);
    if (status == 0) {
        spent.seconds = spent.wall_seconds;
        print_cost(&spent);
    }
    return status;
}

static int measure_server(char **arguments)
{
    const char *pid = arguments[0];
    cost before, load, after;
    read_spent(pid, &before);
    int status = run("", arguments[1], arguments + 2, &load);
    read_spent(pid, &after);
    if (status == 0) {
        after.cpu_seconds -= before.cpu_seconds;
        after.user_seconds -= before.user_seconds;
        after.system_seconds -= before.system_seconds;
        make_sum_exact(&after);
        after.wall_seconds = load.wall_seconds;
        after.peak_rss_kib = peak_rss_kib(pid);
        after.seconds = after.cpu_seconds;
        print_cost(&after);
    }
    return status;
}

int main(int count, char **arguments)
{
    end_with_parent();
    if (count >= 5 && strcmp(arguments[1], "run") == 0) {
        return measure_command(arguments + 2);
    }
    if (count >= 5 && strcmp(arguments[1], "server") == 0) {
        return measure_server(arguments + 2);
    }
    if (count >= 4 && strcmp(arguments[1], "serve") == 0) {
        become(arguments[2], arguments + 3);
    }
    fputs("usage: measure run PRELOAD OUTPUT COMMAND...\n"
          "       measure server PID OUTPUT COMMAND...\n"
          "       measure serve PRELOAD COMMAND...\n",
          stderr);
    return 2;
}
