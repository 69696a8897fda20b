/* A cover: few configurations for all problems of an operator, and a tree that gives each problem
 * one of them.
 *
 * From the times of every configuration on every problem, the fewest configurations are chosen
 * whose loss is within a limit. The tree splits problems by their sizes, and by quotients and
 * products of two sizes. The loss of a problem is the time of its configuration divided by that of
 * its fastest one, minus 1; that of many problems is the geometric mean of these quotients, minus
 * 1. The same table gives the same answer on every machine.
 *
 * The caller owns the storage: `struct cover c = {0}`, cover_choose(), then cover_fini(). */
#ifndef ASCTUNE_TABLES_COVER_H
#define ASCTUNE_TABLES_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

enum { COVER_MAX_AXES = 16 };

struct cover_table {
	size_t n_problems, n_configs, n_axes;
	const int64_t *sizes;   /* of problem p from sizes + p * n_axes on */
	const double *times_ns; /* of problem p from times_ns + p * n_configs on; not above 0: the
				   configuration failed or was not measured there */
};

struct cover_limits {
	size_t least, most; /* numbers of configurations; fewer than `least` if one more gains
			       nothing */
	double loss;        /* from `least` on, one more is chosen only while the loss is larger;
			       0.05 is 5 % */
};

/* Value that problems are split by. */
enum cover_measure {
	COVER_SIZE,     /* of `axis` */
	COVER_QUOTIENT, /* of the sizes of `axis` and `other`, where 0 counts as 1 */
	COVER_PRODUCT
};

struct cover_split {
	enum cover_measure measure;
	uint32_t axis, other;
	double at; /* the largest value below */
};

/* A node with a split sends problems at or below the split to node `below`, the others to node
 * `below` + 1; a node without a split gives all its problems one configuration. */
struct cover_node {
	uint32_t below; /* 0: no split */
	struct cover_split split;
	uint32_t config; /* of the table */
};

struct cover {
	struct cover_node *nodes; /* the root first */
	size_t n_nodes;
	uint32_t *configs; /* that the nodes give, ascending */
	size_t n_configs;
	double loss, worst_loss; /* over the problems of the table */
};

/* ASC_NOTFOUND where a problem has no time at all, or no configuration ran on every problem of a
 * part that cannot be split further; ASC_INPUT for an empty table. */
enum asc_status cover_choose(const struct cover_table *t, struct cover_limits limits,
			     struct cover *out, struct asc_err *e);
void cover_fini(struct cover *c);

/* The configuration that serves these sizes. */
uint32_t cover_find(const struct cover *c, const int64_t *sizes);

/* The loss of a configuration on a problem; INFINITY where it has no time. */
double cover_loss(const struct cover_table *t, size_t problem, size_t config);

/* Time of the fastest configuration on a problem; INFINITY where none has a time. */
double cover_fastest(const struct cover_table *t, size_t problem);

/* Fills `times_ns`, an array like the table's, with the table's times and, where `open` (in the
 * same order) is set, with estimates: the mean of the losses of the same configuration on the other
 * problems, weighed by their distance, and of the loss of all that was measured. False: out of
 * memory. */
bool cover_estimate(const struct cover_table *t, const bool *open, double *times_ns);

#endif
