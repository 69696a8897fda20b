/* What of a machine makes times noisy, in words. */
#ifndef ASCTUNE_CMD_MACHINE_MACHINE_STATE_H
#define ASCTUNE_CMD_MACHINE_MACHINE_STATE_H

#include <stdbool.h>
#include <stddef.h>

/* False when more than half of the processors' threads have been at work in the last minute;
 * `text`: "load 0.3", or what to expect. */
bool machine_is_idle(char *text, size_t size);

/* True when the processors keep one clock as far as the system says; `text`: the governor
 * (cpufreq), and what to do about one that follows the load. */
bool machine_is_steady(char *text, size_t size);

#endif
