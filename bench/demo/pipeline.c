/*
 * pipeline: a message server in one process, on whatever malloc the process has.
 *
 *   producers --> bounded queues --> consumers
 *
 * Producers allocate and fill messages (message.h), consumers check and free them: almost every
 * block is freed by another thread than the one that allocated it. A consumer keeps its latest
 * messages for a while, as a server keeps what has not been acknowledged yet.
 *
 *   steady    as fast as the queues let through, for a fixed time
 *   burst     consumers put messages aside; a fixed number of bytes at a fixed rate
 *   hold      nobody calls malloc or free
 *   drain     the backlog is checked and freed at a fixed rate; one message in 20 stays
 *   steady    again, in the memory that the burst has left behind
 *   release   everything is freed
 *   idle      nobody calls malloc or free
 *
 * What is fixed, and why. Messages per second compare allocators at the load that each can just
 * carry, so the steady phases are a closed loop of fixed time. Memory compares only between
 * programs that hold the same, so the windows and the backlog are fixed numbers of messages, the
 * burst starts from a seed of its own and makes the same messages in every run, and its rate is far
 * below what any allocator can do: live bytes follow the same curve, whatever serves malloc.
 *
 * The latency is that of malloc alone. It does not contain the page faults at the first write to
 * new memory; these show in the messages per second.
 */
#include "pipeline.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "sampler.h"

enum { DESCRIPTION_BYTES = 512 };

typedef struct measured {
    uint64_t steady_messages;
    uint64_t steady_ns;
    uint64_t peak_live_bytes;
    uint64_t last_steady_live_bytes;
    process_status in_last_steady;
    process_status after_idle;
} measured;

pipeline_state pipeline;

static unsigned worker_count(void)
{
    return (unsigned)(pipeline.options.producers + pipeline.options.consumers);
}

static void set_up(const pipeline_options *options)
{
    pipeline.options = *options;
    const phase phases[PHASES] = {
        {"steady", STEADY, options->steady_ms}, {"burst", BURST, options->burst_ms},
        {"hold", WAIT, options->hold_ms},       {"drain", DRAIN, options->drain_ms},
        {"steady", STEADY, options->steady_ms}, {"release", RELEASE, 0},
        {"idle", WAIT, options->idle_ms},
    };
    for (int number = 0; number < PHASES; number++) {
        pipeline.phases[number] = phases[number];
    }
    for (uint64_t i = 0; i < options->producers; i++) {
        pipeline.producers[i] =
            (producer){.worker = &pipeline.workers[i], .number = i, .next_id = i << 48};
    }
    for (uint64_t i = 0; i < options->consumers; i++) {
        pipeline.consumers[i].worker = &pipeline.workers[options->producers + i];
        queue_init(&pipeline.consumers[i].source);
    }
    gate_init(&pipeline.gate, (unsigned)options->producers, (unsigned)options->consumers);
    message_prepare_sizes(options->seed);
}

static pthread_t start_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, argument) != 0) {
        fprintf(stderr, "pipeline: cannot start a thread\n");
        exit(1);
    }
    return thread;
}

static void start_workers(pthread_t *threads)
{
    for (uint64_t i = 0; i < pipeline.options.producers; i++) {
        threads[i] = start_thread(producer_run, &pipeline.producers[i]);
    }
    for (uint64_t i = 0; i < pipeline.options.consumers; i++) {
        threads[pipeline.options.producers + i] =
            start_thread(consumer_run, &pipeline.consumers[i]);
    }
}

/* Lets the closed loop run for its time and counts what the consumers have finished in it. */
static void measure_steady(uint64_t duration_ms, measured *result)
{
    uint64_t begin_messages = workers_messages(pipeline.workers, worker_count());
    uint64_t begin_ns = clock_now_ns();
    clock_wait_until_ns(begin_ns + duration_ms * NS_PER_MS);
    result->steady_ns += clock_now_ns() - begin_ns;
    result->steady_messages += workers_messages(pipeline.workers, worker_count()) - begin_messages;
    result->in_last_steady = process_status_read();
    result->last_steady_live_bytes = workers_live_bytes(pipeline.workers, worker_count());
    /* relaxed: only says that it is time to end; the gate orders the rest */
    atomic_store_explicit(&pipeline.stop_producing, true, memory_order_relaxed);
}

static void conduct(int number, measured *result)
{
    const phase *now = &pipeline.phases[number];
    for (uint64_t i = 0; i < pipeline.options.consumers; i++) {
        queue_open(&pipeline.consumers[i].source);
    }
    /* relaxed: the gate orders it before the workers' loads */
    atomic_store_explicit(&pipeline.stop_producing, false, memory_order_relaxed);
    sampler_set_phase(now->name);
    gate_open(&pipeline.gate, number);
    if (now->kind == STEADY) {
        measure_steady(now->duration_ms, result);
    } else if (now->kind == WAIT) {
        clock_wait_until_ns(clock_now_ns() + now->duration_ms * NS_PER_MS);
    }
    gate_wait_until_left(&pipeline.gate, GATE_PRODUCERS);
    for (uint64_t i = 0; i < pipeline.options.consumers; i++) {
        queue_close(&pipeline.consumers[i].source);
    }
    gate_wait_until_left(&pipeline.gate, GATE_CONSUMERS);
    uint64_t live_bytes = workers_live_bytes(pipeline.workers, worker_count());
    if (live_bytes > result->peak_live_bytes) {
        result->peak_live_bytes = live_bytes;
    }
}

static const char *object_that_serves_malloc(void)
{
    Dl_info found;
    void *entry = dlsym(RTLD_DEFAULT, "malloc");
    return entry != NULL && dladdr(entry, &found) != 0 ? found.dli_fname : "unknown";
}

/* One line of key=value, without blanks in a value: for scripts. The label comes last, since it may
 * have some. */
static void print_result(const measured *result)
{
    static latency_histogram all;
    for (unsigned i = 0; i < worker_count(); i++) {
        latency_merge(&all, &pipeline.workers[i].malloc_latency);
    }
    printf(
        "result messages_per_second=%.0f p50_ns=%.1f p99_ns=%.1f p999_ns=%.1f timed_calls=%" PRIu64
        " peak_live_kib=%" PRIu64 " steady_live_kib=%" PRIu64 " peak_rss_kib=%" PRIu64
        " steady_rss_kib=%" PRIu64 " idle_rss_kib=%" PRIu64 " threads=%" PRIu64
        " malloc_from=%s label=%s\n",
        (double)result->steady_messages * 1e9 / (double)result->steady_ns,
        latency_quantile_ns(&all, 0.5), latency_quantile_ns(&all, 0.99),
        latency_quantile_ns(&all, 0.999), all.total, result->peak_live_bytes >> 10,
        result->last_steady_live_bytes >> 10, result->after_idle.peak_rss_kib,
        result->in_last_steady.rss_kib, result->after_idle.rss_kib, result->in_last_steady.threads,
        object_that_serves_malloc(), pipeline.options.label);
}

int main(int argument_count, char *arguments[])
{
    static char description[DESCRIPTION_BYTES];
    static pthread_t threads[2 * GROUP_MAX_THREADS];
    pipeline_options options = options_parse(argument_count, arguments);
    options_describe(&options, description, sizeof description);
    set_up(&options);
    latency_calibrate();
    sampler_start(&(sampler_plan){.label = options.label,
                                  .csv_path = options.csv_path,
                                  .first_line = description,
                                  .first_phase = pipeline.phases[0].name,
                                  .begin_ns = clock_now_ns(),
                                  .workers = pipeline.workers,
                                  .worker_count = worker_count()});
    start_workers(threads);
    measured result = {0};
    for (int number = 0; number < PHASES; number++) {
        conduct(number, &result);
    }
    result.after_idle = process_status_read();
    for (unsigned i = 0; i < worker_count(); i++) {
        pthread_join(threads[i], NULL);
    }
    sampler_stop();
    print_result(&result);
    return 0;
}
