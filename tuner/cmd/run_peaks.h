/* What the device of a run reaches at best: looked up, or measured when it is first wanted. */
#ifndef ASCTUNE_CMD_RUN_PEAKS_H
#define ASCTUNE_CMD_RUN_PEAKS_H

#include <stdbool.h>

struct loop_options;
struct loop_summary;

struct run_peaks {     /* zeroed at the start of the program */
	bool measured; /* by this program */
};

/* Fills sum->peaks when the best configuration can be placed by them. They are measured once for a
 * device and kept; and once more, keeping what is higher, when a configuration seems to exceed
 * them: then the machine was busy. Failing is told and nothing else. */
void run_peaks_find(struct run_peaks *r, const struct loop_options *o, struct loop_summary *sum);

#endif
