/* Implementations that a problem's best is compared with: their names as a run records them, and
 * their times beside an answer. The first one is the control of histories, and what a library takes
 * by itself. */
#ifndef ASCTUNE_RESULT_BASELINES_H
#define ASCTUNE_RESULT_BASELINES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct json_node;

enum { BASELINES_MAX = 4 };

struct baseline_time {
	const char *name; /* borrowed */
	double ns;    /* of its fastest configuration in the same rounds; 0: not measured there */
	double ratio; /* its time as a multiple of the answer's; 0: not known */
};

struct baselines {
	struct baseline_time list[BASELINES_MAX]; /* in the workload's order; NULL names behind */
	size_t n;
};

/* Place of an implementation in names as they are recorded, "eager,compiled"; -1: it is none of
 * them, or `names` is NULL. */
int baselines_find(const char *names, const char *name);

/* Takes such names apart, which it changes; names beyond BASELINES_MAX, those of a later version,
 * are left out. NULL: there are none. */
struct baselines baselines_split(char *names);

/* Appends [{"implementation": "eager", "ns": 1200, "ratio": 1.9}, ...]; a member that is 0 is left
 * out. */
void baselines_write_json(const struct baselines *b, struct buf *out);

/* Reads such an array; names are borrowed from its document. */
enum asc_status baselines_read_json(const struct json_node *n, struct baselines *out,
				    struct asc_err *e);

#endif
