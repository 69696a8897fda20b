/* Costs of giving a problem a configuration. Inner part of a cover. */
#ifndef ASCTUNE_TABLES_COVER_COSTS_H
#define ASCTUNE_TABLES_COVER_COSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cover_table;

struct cover_costs { /* of some configurations on all problems */
	const struct cover_table *table;
	const uint32_t *configs; /* of the table */
	size_t n_configs;
	bool smooth;   /* decisions are made on smoothed costs */
	double *costs; /* of problem p from costs + p * n_configs on */
};

/* Fills in the costs: of a loss L, log(1 + L) and its square, so that they rise faster than the
 * loss, and no problem pays for others. */
void cover_costs_fill(struct cover_costs *c);

/* Writes the costs averaged with those of the problems nearby, so that a choice is good for sizes
 * between those of the table, too. All other problems together weigh half of a problem itself;
 * problems that are left out (NULL: none) do not count. A failure keeps its cost. */
void cover_costs_smooth(const struct cover_costs *c, const bool *left_out, double *out);

/* The place of a configuration of the table among the costs'. */
size_t cover_costs_find(const struct cover_costs *c, uint32_t config);

#endif
