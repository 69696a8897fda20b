/* What the device of a run reaches at best: looked up, or measured when it is first wanted. */
#ifndef ASCTUNE_LOOP_LOOP_PEAKS_H
#define ASCTUNE_LOOP_LOOP_PEAKS_H

#include <stdbool.h>

struct evaluator;
struct loop_options;
struct loop_summary;

struct loop_peaks {       /* of one device; zeroed at the start of the program */
	bool measured[2]; /* by this program: for other elements, for f16 and bf16 */
};

/* Fills sum->peaks when the best configuration can be placed by them: `v` is asked, which must have
 * nothing to do, for what is not known yet of this problem's elements. It is kept; and measured
 * once more, keeping what is higher, when a configuration seems to exceed it: then the machine was
 * busy. Failing is told and nothing else. */
void loop_peaks_find(const struct loop_options *o, struct evaluator *v, struct loop_summary *sum);

#endif
