/*
 * stderr_text: what a piece of code writes to stderr, as a text that a test can look at.
 */
#pragma once

/* From here on stderr goes to a file. */
void stderr_capture(void);

/* Ends that; the text stays valid until the next call. What does not fit is cut off. */
const char *stderr_captured(void);
