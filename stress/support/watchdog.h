/*
 * watchdog: a thread that ends the program when a worker makes no progress.
 *
 * When a busy worker's counter has not moved for the given time, every thread of the process is
 * printed with its name, its state and what it waits for in the kernel, then asked by a signal
 * for its own stack; then the program aborts. A watchdog that hangs itself is ended by alarm().
 *
 * Threads   start and stop: the main thread. Uses SIGUSR2. Calls no allocator.
 */
#pragma once

void watchdog_start(unsigned seconds);
void watchdog_stop(void);
