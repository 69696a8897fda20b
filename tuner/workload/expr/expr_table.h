/* Values by table as a decision diagram: what expressions and spaces look up.
 *
 * A state is a node of the diagram: what the values of the variables so far leave open. The first
 * state knows none; each variable in turn leads to the next state or, where it does not matter,
 * leaves it; the last state has one outcome. So a search that fixes one variable after another
 * needs to remember one number, and tables that agree in all that is left are in one state. Private
 * to its folder and tuner/workload/space. */
#ifndef ASCTUNE_WORKLOAD_EXPR_EXPR_TABLE_H
#define ASCTUNE_WORKLOAD_EXPR_EXPR_TABLE_H

#include "tuner/workload/expr/expr_range.h"

struct buf;
struct hash;

/* The variables, in the order of the columns; borrowed. */
size_t expr_table_slots(const struct expr_table *t, const size_t **slots);

uint32_t expr_table_first(const struct expr_table *t);

/* State behind `state` once the variable of a column has a value. Columns come one after another; a
 * column whose variable is not known is passed over, and those behind it change nothing. */
uint32_t expr_table_next(const struct expr_table *t, uint32_t state, size_t column, struct value v);

/* Outcome of a state in which no variable matters any more. */
struct expr_outcome expr_table_outcome(const struct expr_table *t, uint32_t state);

/* Bounds of what is behind a state. */
struct range expr_table_range(const struct expr_table *t, uint32_t state);

/* Number of states in which the variables up to a column are known, roughly. */
size_t expr_table_states(const struct expr_table *t, size_t column);

/* True where all values are truth values. */
bool expr_table_is_truth(const struct expr_table *t);

/* Appends the table's name and the values for which it has no row; nothing where it has one. */
void expr_table_print_missing(const struct expr_table *t, const struct value *slots,
			      struct buf *out);

/* Appends the table as a conditional expression of plain Python over names of variables; false,
 * with part of the text: there are combinations without a value. */
bool expr_table_print_plain(const struct expr_table *t, struct buf *out);

/* Adds the table's values, and the combinations that have them. */
void expr_table_hash(const struct expr_table *t, struct hash *h);

#endif
