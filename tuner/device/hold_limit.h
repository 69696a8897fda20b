/* Limit of the time for which a stream is held while a function is called: a function that waits
 * for the device would never return. A thread of C lets the stream go, which needs no lock that the
 * function may hold, such as an interpreter's. A process has one limit at a time. */
#ifndef ASCTUNE_DEVICE_HOLD_LIMIT_H
#define ASCTUNE_DEVICE_HOLD_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct device;

/* Has `release` called for `d` in `ns` from now, unless hold_limit_end() comes first. False: there
 * can be no thread, and nothing is to be held. The thread is started once and stays. */
bool hold_limit_begin(void (*release)(struct device *d), struct device *d, int64_t ns);

/* Ends the limit; `release` is neither running nor called from here on. True: it was called. */
bool hold_limit_end(void);

#endif
