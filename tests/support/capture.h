/*
 * capture: what the library writes to stderr, caught in a file, and misuse reported without an abort.
 *
 * Threads     one at a time.
 */
#pragma once

/* From here on stderr goes to a file, and a misuse is only reported. */
void capture_begin(void);

/* Ends that; the text since capture_begin, valid until the next one. */
const char *capture_end(void);
