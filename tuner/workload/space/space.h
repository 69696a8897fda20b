/* The set of valid configurations of a few parameters under conditions, held as a decision diagram:
 * what it costs depends on how the conditions connect the parameters, not on how many
 * configurations there are.
 *
 * Configurations are numbered 0 .. count-1 in an order of the space's own. An index is a handle
 * within one process, never stored; a configuration is its key. A space is immutable once made,
 * owns copies of everything, and may be read by several threads. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/hash.h"
#include "tuner/workload/expr/expr.h"
#include "tuner/workload/space/config.h"

struct buf;
struct rng;
struct space;

struct space_param {
	const char *name;
	size_t n; /* 1 .. 65535 values, all different */
	const struct value *values;
	struct value default_value; /* the default; one of the values */
};

struct space_condition {
	const char *text;
	const char *origin; /* place of the condition, for messages: `constraints[2]`, `device
			       axis-limit` */
};

struct space_spec {
	const struct space_param *params; /* slot i of the expressions is parameter i */
	size_t n_params;
	const struct space_condition *conditions;
	size_t n_conditions;
	struct expr_scope outer; /* names that are not parameters; resolve may be NULL */
};

/* Makes the space of all valid configurations. ASC_INPUT for a bad condition (named): an unknown
 * name, or a value that is not true or false. ASC_LIMIT for 2^64 configurations or more, and for
 * conditions that need too large a diagram (the worst is named). A condition over something unknown
 * on this device does not prune. A configuration on which a condition cannot be evaluated (division
 * by zero, overflow) is invalid. */
enum asc_status space_new(const struct space_spec *spec, struct space **out, struct asc_err *e);

/* Content key of that space, without making it: its parameters, the texts of its conditions, and
 * what these allow or, where they read many combinations, how they are computed. Spaces with equal
 * keys are equal in every respect; equal spaces may have different keys. Fails where space_new()
 * does, but for what is too large. */
enum asc_status space_key(const struct space_spec *spec, char key[HASH_TEXT_SIZE],
			  struct asc_err *e);

/* Makes the space of exactly these configurations, in any order: `rows` has the position of its
 * value in the parameter's list, for each parameter of each of n_rows configurations. Repeated rows
 * count once. ASC_INPUT for a position beyond the list. */
enum asc_status space_new_list(const struct space_param *params, size_t n_params,
			       const uint16_t *rows, size_t n_rows, struct space **out,
			       struct asc_err *e);
void space_free(struct space *s);

size_t space_params(const struct space *s);
const char *const *
space_names(const struct space *s); /* names of the parameters, NULL-terminated, in order */
const struct space_param *space_param(const struct space *s, size_t i);
uint64_t space_count(const struct space *s);   /* number of valid configurations */
double space_cartesian(const struct space *s); /* number of all combinations, as a real */

/* Position of `v` in the parameter's values; false when it is none of them. */
bool space_pick(const struct space_param *p, struct value v, uint16_t *pick);

void space_get(const struct space *s, uint64_t index, struct config *out); /* index < count */
bool space_find(const struct space *s, const struct config *c,
		uint64_t *index); /* false: the configuration is not valid */

/* Does what space_get() and space_find() do, with the position of each value in its parameter's
 * list, space_params() of them. */
void space_get_picks(const struct space *s, uint64_t index, uint16_t *picks);
bool space_find_picks(const struct space *s, const uint16_t *picks, uint64_t *index);

uint64_t space_sample(const struct space *s, struct rng *r); /* draws uniformly; count > 0 */

#define SPACE_NONE UINT64_MAX /* no index */

/* Lists the configurations in the lexicographic order of the parameters' values as listed (first
 * parameter slowest), as positions in these lists. The space is borrowed. ASC_LIMIT when the
 * parameters' order in the file takes too large a diagram. */
struct space_cursor;
enum asc_status space_cursor_new(const struct space *s, struct space_cursor **out,
				 struct asc_err *e);
void space_cursor_free(struct space_cursor *c);

/* Next configuration, or NULL at the end; from parameter *changed on it may differ from the one
 * before. Valid until the next call. */
const uint16_t *space_cursor_next(struct space_cursor *c, size_t *changed);

/* Finds valid configurations near `index`, without itself: *out is a heap array of *n indices,
 * ascending. HAMMING: one parameter differs. ADJACENT: one parameter differs by one step in its
 * list of values. ADAPTIVE: the adjacent ones; if there are none, one parameter differs by the
 * fewest steps in either direction; if there are none, the first SPACE_MAX_FAR that differ in the
 * fewest parameters. Empty only when there is no other configuration. */
enum space_nearness { SPACE_HAMMING, SPACE_ADJACENT, SPACE_ADAPTIVE };
enum { SPACE_MAX_FAR = 256 };
enum asc_status space_neighbours(const struct space *s, uint64_t index,
				 enum space_nearness nearness, uint64_t **out, size_t *n,
				 struct asc_err *e);

/* Finds the default configuration: that of the default values if it is valid, else, of the valid
 * ones that differ from them in the fewest parameters, the first in the order of the lists of
 * values. false when the space is empty. */
bool space_default(const struct space *s, uint64_t *index);

/* Finds the configuration nearest to one of another space, `text` NAME=VALUE,...: of a parameter
 * whose value this space lacks, the nearest in its list, by ratio where both are positive; of one
 * that the text does not name, the default. Where these are not valid together, the fewest
 * parameters differ from them, then by the fewest steps in their lists. SPACE_NONE: the space is
 * empty. */
enum asc_status space_find_nearest(const struct space *s, const char *text, uint64_t *index,
				   struct asc_err *e);

/* Explains in lines of text for each condition whether `c` meets it, with the condition's origin;
 * *valid is the verdict. */
enum asc_status space_explain(const struct space *s, const struct config *c, bool *valid,
			      struct buf *out, struct asc_err *e);

/* Appends the conditions that `c` does not meet, the lines of space_explain() for these, joined by
 * "; ". Nothing: `c` is valid. */
enum asc_status space_print_violations(const struct space *s, const struct config *c,
				       struct buf *out, struct asc_err *e);

/* Appends to `out` which conditions cannot be evaluated on some combinations of their parameters
 * that no other condition leaves out, and on how many; nothing when there are none. Looks at the
 * first 200,000 combinations of each. */
enum asc_status space_print_unevaluable(const struct space *s, struct buf *out, struct asc_err *e);

/* Visits for each condition, in the order of the spec, how many configurations it removes from the
 * space under the conditions before it; operands of one condition count together. `text` is NULL
 * for a condition of several operands; `removed` is NaN where counting takes too long (a tenth of a
 * second for all). Nothing is listed. */
typedef enum asc_status space_removal_fn(void *user, const char *origin, const char *text,
					 double removed, struct asc_err *e);
enum asc_status space_each_removal(const struct space *s, space_removal_fn *visit, void *user,
				   struct asc_err *e);

/* Explains a space without configurations: the conditions that nothing meets, else the condition
 * from which on nothing is left, and the largest set of conditions that leaves something. */
enum asc_status space_print_empty(const struct space *s, struct buf *out, struct asc_err *e);

#endif
