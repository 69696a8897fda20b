/* Inner parts of a look-up table, for the files that build it and ask it.
 *
 * A table keeps its rules packed: texts as symbols, ends of ranges in one array. A struct rule has
 * room for 16 sizes and 48 types, a kilobyte, and a table may have a million rules. */
#ifndef ASCTUNE_TABLES_LOOKUP_LOOKUP_DATA_H
#define ASCTUNE_TABLES_LOOKUP_LOOKUP_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/tables/lookup/box_tree.h"
#include "reports/tables/lookup/rule.h"
#include "tuner/base/err.h"
#include "tuner/base/intern.h"
#include "tuner/base/symbols.h"

#define LOOKUP_NONE SYMBOL_NONE

/* Names and types of 48 arguments, with a digest among them. */
enum { TYPES_TEXT = 2048 };

/* Subject of a rule: all that it is for but its sizes. LOOKUP_NONE: any model, any types. */
struct subject {
	uint32_t op, device, model, types;
};

struct group { /* rules of one subject that name the same sizes */
	struct subject subject;
	uint32_t names[RULE_MAX_SIZES]; /* ascending */
	size_t n_sizes;
	uint32_t next;    /* group of the same subject, or LOOKUP_NONE */
	uint32_t last;    /* of the first group of a subject: its last one */
	uint32_t *ranges; /* rules that are not exact; in the order in which they serve */
	size_t n_ranges, ranges_capacity;
	uint32_t *points; /* numbers of its exact sizes among the table's points */
	size_t n_points, points_capacity;
	struct box_tree range_tree, point_tree; /* over the two lists; points by log2 */
};

struct stored { /* a rule */
	uint32_t group;
	uint32_t bounds; /* place of its bounds: all lower ones, then all upper ones */
	uint32_t next;   /* rule of the same exact sizes that serves after it, or LOOKUP_NONE */
	uint32_t implementation, config;
	int precedence;
	int64_t index, default_index;
	double time_ns, default_ns;
	double width; /* rule_width() */
};

struct lookup {
	uint64_t number;
	bool nearest;
	struct symbols symbols;
	uint32_t *meanings; /* of the first symbols, which have other spellings among them */
	size_t n_meanings;
	struct group *groups;
	size_t n_groups, groups_capacity;
	struct intern subjects; /* first group of each */
	struct intern by_names; /* groups by subject and names */
	struct stored *rules;
	size_t n_rules, rules_capacity;
	int64_t *bounds;
	size_t n_bounds, bounds_capacity;
	uint32_t *points; /* of each exact sizes of a group: the rule that serves first */
	size_t n_points, points_capacity;
	struct intern exact;     /* points by group and sizes */
	struct asc_err left_out; /* why the last row that makes no rule does not; ASC_OK: all do */
};

/* The symbol that another spelling stands for, or itself. */
uint32_t lookup_meaning(const struct lookup *t, uint32_t symbol);

/* Finds the symbol of a list of types. Equal types are one type, whose symbol *symbol is. Other
 * types have the symbol of the text "T=f16,U=f32", sorted by name, which is written to `text`;
 * *symbol is LOOKUP_NONE then. False: the text is too long. */
bool lookup_print_types(const struct lookup *t, const struct asctune_type *types,
			const uint32_t *symbols, size_t n, uint32_t *symbol, char text[TYPES_TEXT]);

/* The first group of a subject, or LOOKUP_NONE. */
uint32_t lookup_find_groups(const struct lookup *t, const struct subject *s);

/* Number of the point of a group with these sizes, in the order of its names; or LOOKUP_NONE. */
uint32_t lookup_find_point(const struct lookup *t, uint32_t group, const int64_t *sizes);

/* Order of two rules for the same sizes: negative when the first serves. */
int lookup_compare_rules(const struct lookup *t, uint32_t a, uint32_t b);

/* Logarithm by which sizes are near to each other; 0 is as near as 1. */
double lookup_log(int64_t size);

#endif
