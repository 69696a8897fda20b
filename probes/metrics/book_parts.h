/* The inside of a book of metrics. Private to its folder.
 *
 * Every name has a slot: those of metrics first, then the figures of FIGURE_LIST, then the names of
 * instruction classes that formulas use. */
#ifndef ASCTUNE_PROBES_METRICS_BOOK_PARTS_H
#define ASCTUNE_PROBES_METRICS_BOOK_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "probes/metrics/metric_book.h"
#include "tuner/base/arena.h"

struct expr;
struct json_doc;
struct json_node;

struct book_metric {
	struct metric_def def;
	size_t slot;                          /* of its name */
	const struct json_node *formula_node; /* NULL: none */
	struct expr *formula;
	int mark; /* while formulas are ordered: 0 not seen, 1 under way, 2 done */
};

struct book_set {
	struct metric_set set;
	const struct json_node **lists; /* one of each text that has it */
	size_t n_lists;
	int mark;
};

struct book_piece { /* of a sentence: a text, then a figure */
	const char *text;
	struct expr *figure; /* NULL: none follows */
	const char *how;
};

struct book_rule {
	struct metric_rule rule;
	const struct json_node *node;
	struct expr *condition, *left; /* left NULL: not known */
	struct book_piece *pieces;
	size_t n_pieces;
};

struct metric_book {
	struct arena arena;
	struct json_doc **docs;
	size_t n_docs;
	struct book_metric *metrics;
	size_t n_metrics, metrics_room, n_metric_slots;
	struct book_set *sets;
	size_t n_sets, sets_room;
	struct book_rule *rules;
	size_t n_rules, rules_room;
	const char **names; /* of slots */
	size_t n_names, names_room;
	size_t *order; /* metrics with a formula, each behind those it needs */
	size_t n_order;
};

/* Kind of a slot's figure; FIGURE_GIVEN for those of metrics, whose sources say more. */
enum figure_kind book_kind(const struct metric_book *b, size_t slot);

/* Finds a name's slot; false: nothing uses it. */
bool book_slot(const struct metric_book *b, const char *name, size_t *slot);

#endif
