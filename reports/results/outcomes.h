/* Findings of each run of a subject, by implementation: points of histories, worked out with the
 * answers so that the database can keep both. */
#ifndef ASCTUNE_RESULTS_OUTCOMES_H
#define ASCTUNE_RESULTS_OUTCOMES_H

#include <stddef.h>

#include "db/answer_rows.h"
#include "reports/results/run_outcome.h"

struct snapshot;

/* The caller's, zeroed at first, to outcomes_fini() in any case. */
struct outcomes {
	struct outcome_storage storage; /* of texts */
	struct outcome_row *list;
	size_t n, room;
};

/* Finds the outcome of each run and implementation that it tried. Fails out of memory only. */
enum asc_status outcomes_find(const struct snapshot *s, struct outcomes *out, struct asc_err *e);
void outcomes_fini(struct outcomes *o);

#endif
