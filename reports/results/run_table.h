/* One run as a table: its trials, and for each implementation the parameters with the values that
 * were tried. Owns everything: run_table_read(), run_table_fini(). */
#ifndef ASCTUNE_RESULTS_RUN_TABLE_H
#define ASCTUNE_RESULTS_RUN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"

struct db;
struct db_run_range;

#define RUN_NO_VALUE UINT16_MAX /* a configuration without that parameter */

struct run_parameter {
	char *name;
	char **values; /* values as text: numbers in their order, then others in the order of bytes
			*/
	size_t n_values;
};

struct run_implementation {
	char *name;
	struct run_parameter *parameters; /* in the order of the workload file */
	size_t n_parameters;
	size_t trials, ok;
};

struct run_trial {
	int64_t id;
	size_t implementation; /* number in the table */
	char *config_key;
	enum result_status status;
	bool is_default, cached;
	int64_t recorded_ms, spent_ns[PHASE_COUNT];
	double median_ns, low_ns, high_ns; /* NaN: not known */
	uint16_t *picks; /* a value for each of the implementation's parameters, or RUN_NO_VALUE */
	size_t n_picks;
};

struct run_table {
	struct run_trial *trials; /* in the order of recording */
	size_t n;
	struct run_implementation *implementations; /* in the order of their first trial */
	size_t n_implementations;
};

/* Reads a run, the first `n` trials at most. */
enum asc_status run_table_read(struct db *d, const struct db_run_range *range, size_t n,
			       struct run_table *out, struct asc_err *e);
void run_table_fini(struct run_table *t);

/* True when the trial passed and its time is known. */
bool run_trial_is_timed(const struct run_trial *t);

/* True when the trial passed or is undecided, and its time is known. */
bool run_trial_is_verified(const struct run_trial *t);

/* Finds the fastest trial that passed; NULL: none. */
const struct run_trial *run_table_fastest(const struct run_table *t);

const struct run_trial *run_table_find(const struct run_table *t, const char *implementation,
				       const char *config_key); /* the last; NULL: none */

#endif
