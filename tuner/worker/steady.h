/* Was the machine steady while a sample was taken. Pure: compares what was read before and after.
 */
#ifndef ASCTUNE_WORKER_STEADY_H
#define ASCTUNE_WORKER_STEADY_H

#include <stdint.h>

struct device_state;
struct policy;

struct steady {              /* zeroed at first; lives as long as the device is open */
	int64_t highest_mhz; /* seen so far */
	int64_t pause_ns;    /* the last one; 0: the device was cool since */
	int64_t paused_ns;   /* all together */
};

/* The note of launches of `ns`, as in struct result: marked when another process ran in between,
 * when threads waited for a processor longer than the policy's part of that time, when the clock is
 * below the policy's part of the highest one seen, or was lowered. */
int64_t steady_note(struct steady *s, const struct policy *r, const struct device_state *before,
		    const struct device_state *after, int64_t ns);

/* Time to let the device cool after a sample with this note, 0 for none; counts it as done. */
int64_t steady_pause(struct steady *s, const struct policy *r, int64_t note);

#endif
