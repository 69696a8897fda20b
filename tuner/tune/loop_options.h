/* The options of a loop: problem, budget, strategy, callbacks. */
#ifndef ASCTUNE_TUNE_LOOP_OPTIONS_H
#define ASCTUNE_TUNE_LOOP_OPTIONS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/result/objective.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/search/patience.h"
#include "tuner/tune/search/strategy.h"

struct binding;
struct buf;
struct db;
struct loop_summary;
struct problem;
struct session;
struct workload;
struct loop_event;

struct loop_budget { /* budget, whichever ends first; a trial that a worker has is waited for, or
			cut short when time is up */
	uint64_t trials; /* 0: no limit */
	int64_t ns;      /* 0: no limit */
};

struct loop_given { /* a configuration by its key; borrowed */
	const char *implementation, *config_key;
};

/* A run that is recorded beside the history of its workload, as a side of a gate: it says nothing
 * of which contents are current, nor what names are those of the workload. Borrowed. */
struct loop_aside {
	const char *name;        /* of the workload; a copy may have another one */
	const char *file;        /* that the workload is a copy of, or its own */
	const char *commit;      /* of that copy, without changes; NULL: as git has it now */
	const char *problem_key; /* of the inputs and the reference that it was measured with: they
				    may be another workload's */
};

struct loop_options { /* all borrowed until loop_close() */
	const struct workload *workload;
	const struct problem *problem;
	const char *implementation; /* only this implementation, or NULL */
	struct session *session;
	const struct strategy_ops *strategy; /* NULL: strategy_auto() */
	struct loop_budget budget;
	struct patience_wanted patience; /* ends the search before its budget */
	uint64_t seed;                   /* seed of the search; inputs do not depend on it */
	/* NAME=VALUE,...: this configuration alone, without finals; a parameter that is not named
	 * has the value of the default configuration. NULL: the strategy asks. */
	const char *config;
	/* Of builds_make() with `config`: content key of an artifact that an earlier run recorded,
	 * taken as it is while the cache has it (trial.h); NULL: what today's sources give. */
	const char *recorded;
	/* These configurations alone, behind the defaults of their implementations: each is
	 * measured to the end, and takes part in finals. Those that a space does not have are left
	 * out; ASC_ABSENT where that is all. n_given 0: the strategy asks. */
	const struct loop_given *given;
	size_t n_given;
	bool given_race;       /* those that are clearly slower leave early, as in a search */
	const char *given_for; /* what they are compared for, "cover", "table", "finals": recorded
				  as the run's strategy */
	/* These configurations behind the defaults and before all others: each is measured to the
	 * end, and takes part in finals, whatever the search finds. Those that a space does not
	 * have are left out. */
	const struct loop_given *first;
	size_t n_first;
	struct db *known; /* read for earlier results beside the run's own database; NULL: none */
	struct db *with;  /* read for results to resume, too; NULL: none */
	/* Part of each space that is searched, beside the default; others search the rest, and
	 * finals are held when all are together. count 0: the whole spaces. */
	struct strategy_part part;
	int64_t share_id;               /* share that the run is a part of (db/share.h); 0: none */
	const struct loop_aside *aside; /* NULL: a run of the workload's history */
	const char *version;            /* version of this program */
	bool history;                   /* begins with earlier results of the database */
	bool resume;                    /* takes recorded results instead of measuring again */
	unsigned rewrites_off;          /* rewrite_bit()s of rewrites that are switched off */
	bool peaks;                     /* measures the peaks of the device, too */
	/* Configurations that are profiled instead of tuning, by their whole texts; config_key
	 * NULL: the default, implementation NULL: the only one. The run has no trials. */
	const struct loop_given *profiled;
	size_t n_profiled;
	bool profiles; /* profiles the best; with `profile.probes` more, and counts */
	struct profile_wanted profile;
	/* Decides after the finals, which go by time as ever: where it is not time,
	 * `profile.probes` has the probe that counts energy. */
	enum objective objective;
	bool default_bits; /* --bits default: the answer has the default's bits */
	bool quiet;        /* says nothing of implementations that are left out */
	struct buf *noted; /* notes on left-out implementations that were printed, each once; NULL:
			      always printed */
	const volatile sig_atomic_t *stop; /* not 0: ends now, keeps what is recorded */

	/* Called at the start (no event) and after every trial, with the summary so far. */
	void (*progress)(void *user, const struct loop_summary *so_far,
			 const struct loop_event *last);

	/* Called when another phase begins, and while no result comes: several times a second, but
	 * once while a kernel is measured on processors that this process takes time of. Or NULL.
	 */
	void (*waiting)(void *user, const struct loop_summary *so_far);

	/* Called once, when the search asks for nothing more: processors are free for builds of the
	 * next problem (builds_ahead()). Or NULL. */
	void (*asked)(void *user);
	void *user;
};

struct loop_event { /* a trial that has just ended; borrowed during the call */
	const struct binding *binding;
	const struct trial *trial; /* trial with its result */
	bool resumed, best;        /* taken from the database; the best so far */
};

#endif
