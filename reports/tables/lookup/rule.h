/* A rule: which implementation and configuration of an operator serves which device, types of
 * elements and sizes. Dispatch tables make rules, exporters write them, look-up tables take them.
 *
 * Texts are borrowed: those of a dispatch table's rules live as long as the table, those of a rule
 * for lookup_add() as long as the call. */
#ifndef ASCTUNE_TABLES_LOOKUP_RULE_H
#define ASCTUNE_TABLES_LOOKUP_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/tables/lookup/asctune.h"
#include "tuner/base/err.h"

enum { RULE_MAX_SIZES = 16, RULE_MAX_TYPES = 48 };

#define RULE_LARGEST_SIZE ((int64_t)1 << 53) /* integers up to it are exact as reals */

struct rule_size { /* a closed range of a size; low == high: one value */
	const char *name;
	int64_t low, high; /* from 0 to RULE_LARGEST_SIZE */
};

struct rule {
	const char *op;
	const char *device;       /* class: "cuda", "npu", "cpu", or what libraries call them */
	const char *device_model; /* NULL: any */
	struct asctune_type types[RULE_MAX_TYPES];
	size_t n_types; /* 0: any */
	struct rule_size sizes[RULE_MAX_SIZES];
	size_t n_sizes;                      /* a size without a range may have any value */
	int64_t index;                       /* implementation_index; -1: none */
	const char *implementation, *config; /* name; JSON object; NULL: none */
	double time_ns, default_ns; /* 0: unknown, or the rule is of several rows with own times */
	int64_t default_index;      /* -1: unknown */
	int precedence;             /* of two equal in all else the lower one serves */
	size_t row, n_rows;         /* of a dispatch table: the first of its rows, and how many */
};

/* log2 of the product of the ranges' lengths: of two rules the narrower one serves. */
double rule_width(const struct rule_size *sizes, size_t n);

/* True for a rule whose types are all the same, which makes them one type, whatever their names;
 * false for one without types. */
bool rule_is_uniform(const struct rule *r);

/* Order of two texts, NULL as "". */
int rule_compare_texts(const char *a, const char *b);

/* Order of rules by operator, device, its model and types. */
int rule_compare_subjects(const struct rule *x, const struct rule *y);

/* Finds two of n rules that overlap: same operator, device, types and index (without an index:
 * implementation), and sizes that both serve. pair[0] is NULL where none do. */
enum asc_status rule_find_overlap(const struct rule *list, size_t n, const struct rule *pair[2],
				  struct asc_err *e);

/* Prints the sizes for a message: "M=1..64, N=4096". */
void rule_print_sizes(const struct rule *r, char *text, size_t size);

#endif
