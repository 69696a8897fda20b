/* Was the machine steady while a sample was taken. Pure: compares what was read before and after.
 */
#ifndef ASCTUNE_RUN_STEADY_H
#define ASCTUNE_RUN_STEADY_H

#include <stdint.h>

struct device_state;
struct rule;

struct steady {              /* zeroed at first; lives as long as the device is open */
	int64_t highest_mhz; /* seen so far */
};

/* The note of launches of `ns`, as in struct result: marked when another process ran in between,
 * when threads waited for a processor longer than the rule's part of that time, when the clock is
 * below the rule's part of the highest one seen, or was lowered. */
int64_t steady_note(struct steady *s, const struct rule *r, const struct device_state *before,
		    const struct device_state *after, int64_t ns);

#endif
