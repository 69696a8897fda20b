/* Two implementations, each of a workload of its own, as one workload: what compares them measures
 * both in the same rounds, on the same tensors. */
#ifndef ASCTUNE_WORKLOAD_WORKLOAD_PAIR_H
#define ASCTUNE_WORKLOAD_WORKLOAD_PAIR_H

#include "tuner/base/err.h"

struct buf;
struct workload;

enum { PAIR_SIDES = 2 };

/* Names of the two in the text: "A", "B". */
extern const char *const pair_names[PAIR_SIDES];

struct pair_side { /* borrowed */
	const struct workload *workload;
	const char *implementation; /* name of one of it */
};

/* Appends the text of the file: problems, tensors and reference of the second side's workload, and
 * the two implementations. Sources have absolute paths, so that the file may lie anywhere. */
enum asc_status workload_pair_print(const struct pair_side sides[PAIR_SIDES], struct buf *out,
				    struct asc_err *e);

#endif
