/* How fast the machine is now, told by one kernel that is timed again between others. Pure. */
#ifndef ASCTUNE_RUN_PACE_H
#define ASCTUNE_RUN_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACE_SAMPLES = 5 };

struct pace {             /* zeroed: nothing is known */
	double normal_ns; /* what a launch takes at the pace of the first kernel's time; 0: none
			     was chosen */
	int64_t ns[PACE_SAMPLES]; /* the newest samples, oldest first */
	size_t n;
};

/* A new kernel, with its samples in the order taken and its normal time. n > 0. */
void pace_set(struct pace *p, const int64_t *samples, size_t n, double normal_ns);

void pace_add(struct pace *p, int64_t ns);

/* The median of the newest samples as a part of the normal time: 1.5 on a machine that takes half
 * as long again. 1 when nothing is known. */
double pace_factor(const struct pace *p);

/* Whether `ns` is further from the newest samples than the part `by` of them. */
bool pace_differs(const struct pace *p, int64_t ns, double by);

#endif
