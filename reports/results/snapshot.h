/* One subject's recorded results as plain rows: what was measured of one problem on one device.
 *
 * snapshot_read() fills it, and all of it lives in one arena until snapshot_fini(). Rows refer to
 * each other; names, policies and configurations that are equal have the same address. Only the
 * columns that a decision (answers.h) needs are there, and no imported run. */
#ifndef ASCTUNE_RESULTS_SNAPSHOT_H
#define ASCTUNE_RESULTS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/err.h"
#include "tuner/result/baselines.h"
#include "tuner/result/result.h"

struct db;

struct subject {
	int64_t device_id, problem_id;
	const char *workload, *problem, *problem_key;
	const char *device_kind, *device_model, *fingerprint; /* device_model may be NULL */
	const char *machine; /* NULL: the only one known of its model */
};

struct implementation_row {
	struct implementation_row *next;
	int64_t id;
	const char *name;
	bool current; /* the newest run with this name, of any content, was with this content */
};

struct config_row { /* a configuration of an implementation */
	const struct implementation_row *of;
	int64_t hash;
	const char *key;
	struct trial_row *trials; /* in no order */
	/* Found by answers.h. */
	bool stands;    /* passed on this device and problem, and has not failed since */
	bool withdrawn; /* failed there, and has not passed since */
};

struct trial_row {
	struct trial_row *next, *next_of_config;
	int64_t id;
	const struct run_row *run;
	struct config_row *config;
	enum result_status status; /* RESULT_STATUS_COUNT: of an unknown name */
	bool is_default;
	int64_t recorded_ms, n_samples;
	double median_ns, min_ns, max_ns, low_ns, high_ns, clock_mhz; /* NaN: not known */
};

struct tried_row { /* trials of a run before losers were removed */
	struct tried_row *next;
	const struct implementation_row *of;
	enum result_status status; /* RESULT_STATUS_COUNT: of an unknown name */
	int64_t n;
};

struct final_row {
	struct final_row *next;
	struct config_row *config;
	bool winner;
	const char *standing; /* as recorded; NULL: unknown */
	double ratio, median_ns, clock_mhz;
};

struct energy_row { /* energy of a launch of a configuration, measured by turns with the others of
		       its run */
	struct energy_row *next;
	const struct config_row *config;
	double joules, low, high; /* low and high NaN: not known */
};

struct participant_row {
	struct participant_row *next;
	const struct implementation_row *implementation;
};

enum snapshot_finals { FINALS_UNREADABLE = -1, FINALS_UNASKED, FINALS_ASKED };

struct run_row {
	int64_t id, simulated, started_ms;
	int64_t decided; /* weight of its finals: 2: they were sure, 1: not; 0: none that decide */
	const char *cache_policy;           /* may be NULL */
	const char *sure;                   /* as recorded; may be NULL */
	struct baselines baselines;         /* without times */
	double noise_pct;                   /* NaN: not known */
	enum snapshot_finals finals_policy; /* what its policy says of finals */
	struct participant_row *participants;
	struct trial_row *trials;    /* in no order */
	struct tried_row *tried;     /* NULL: all trials are there */
	struct final_row *finals;    /* in no order */
	struct energy_row *energies; /* in no order */
};

struct snapshot {
	struct arena arena;
	const struct subject *subject;
	struct run_row *runs; /* the newest first */
	size_t n_runs;
	struct implementation_row *implementations;
	struct config_row **configs;
	size_t n_configs;
};

/* Reads a subject; of one that is not there or has no runs an empty one. ASC_INPUT for a damaged
 * database. On failure there is nothing to end. */
enum asc_status snapshot_read(struct db *d, int64_t device_id, int64_t problem_id,
			      struct snapshot *out, struct asc_err *e);
void snapshot_fini(struct snapshot *s);

#endif
