/* Results that no longer count: configurations that were withdrawn, as the rule of stands.h has it,
 * and implementations whose content was edited since. Private to reports/results/today.c.
 *
 * The caller owns the storage, which a read fills and outdated_fini() ends. */
#ifndef ASCTUNE_RESULTS_OUTDATED_H
#define ASCTUNE_RESULTS_OUTDATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/err.h"
#include "tuner/base/intern.h"

struct db;

struct withdrawn { /* a configuration that failed and has not passed since */
	int64_t device_id, problem_id, implementation_id;
	const char *config_key;
	int64_t trial_id; /* the newest trial that failed */
};

struct lost { /* trials of a run that passed and were withdrawn */
	int64_t run_id, passed;
	int64_t repeated; /* of these, those whose configuration failed later in the same run */
};

struct content { /* implementation whose content is the newest on a device and problem */
	int64_t device_id, problem_id, implementation_id;
};

struct outdated { /* caller's storage */
	struct arena arena;
	struct withdrawn **list;
	size_t n, room;
	struct intern known; /* of the list */
	struct lost *lost;   /* by run */
	size_t n_lost, lost_room;
	struct content *contents; /* in their order */
	size_t n_contents, contents_room;
};

/* Reads all withdrawn configurations, or those among the ones that a run tried or compared, at the
 * cost of what failed. On failure there is nothing to end. */
enum asc_status outdated_read(struct outdated *t, struct db *d, struct asc_err *e);
enum asc_status outdated_read_of(struct outdated *t, struct db *d, int64_t run_id,
				 struct asc_err *e);
void outdated_fini(struct outdated *t);

/* Finds a configuration among the withdrawn ones; NULL: it still counts. */
const struct withdrawn *outdated_find(const struct outdated *t, int64_t device_id,
				      int64_t problem_id, int64_t implementation_id,
				      const char *config_key);

/* True for a withdrawn configuration of the one run that was read. */
bool outdated_has(const struct outdated *t, int64_t implementation_id, const char *config_key);

/* Reads also which content of each implementation is current: that of its newest run. On failure
 * the caller ends what was read before. */
enum asc_status outdated_read_contents(struct outdated *t, struct db *d, struct asc_err *e);
bool outdated_is_current(const struct outdated *t, const struct content *c);

#endif
