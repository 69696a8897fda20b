/* One problem of `asctune run` on one device, and what the problems of a command have in common. */
#ifndef ASCTUNE_CMD_RUN_RUN_PROBLEM_H
#define ASCTUNE_CMD_RUN_RUN_PROBLEM_H

#include <signal.h>
#include <stdbool.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/cmd/run/problem_sizes.h"
#include "tuner/cmd/run/run_deal.h"
#include "tuner/cmd/run/run_known.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_shard.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/device/device_names.h"
#include "tuner/tune/loop.h"

struct command_run;
struct db;
struct pool;
struct run_options;
struct workload;

/* A problem on its way to an answer. */
struct run_item {
	struct workload *workload; /* NULL: that of the file cannot be tuned, `why` says it */
	const struct problem *problem;
	struct loop_options options;
	struct loop_summary sum;
	size_t file;   /* index of the workload's file */
	size_t number; /* of the problems of the command: 1 .. */
	bool unwanted; /* the workload has nothing for this device or these options */
	bool resume;   /* a device that fell out has begun it */
	/* On several devices an item waits to be printed until those before it are. */
	struct session session; /* as it was when the problem ended */
	enum asc_status status;
	struct asc_err why;
};

/* A device of the command, with the problem that it has. */
struct run_lane {
	struct command_run *run;
	struct run_session *on;
	struct known_list first; /* configurations of its problem that are tried first */
	struct run_show *show;
	struct run_session own; /* `on` of all devices but the first */
	struct run_show part;   /* `show` of each of several devices */
	unsigned watch;         /* watch of its problem's sources (sources_watches()) */
	bool lost;              /* the device has fallen out */
};

/* The devices of the command, and the problems that are dealt out to them. */
struct run_lanes {
	struct device_names names;
	struct run_lane *list; /* one for each name */
	struct run_show **shows;
	struct session **sessions;
	struct session_peers peers;
	struct pool *pool;        /* of several */
	struct workload **opened; /* by file; NULL: it cannot be tuned */
	bool *ended;              /* by file: a problem of it has failed, the others are left */
	struct run_item *items;   /* in the order of files and problems */
	struct run_deal deal;
	size_t room, printed;
	enum asc_status fatal; /* of the first failure that ends the command */
	struct asc_err why;
};

/* The command: its options, what it has opened, and what came of its problems. */
struct command_run {
	const struct run_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct profile_wanted profile;
	struct problem_choice problems;
	struct problem_sizes sizes; /* of --dims and --dtype */
	struct db *db;
	struct run_lanes lanes;
	struct run_known known;
	struct db *with;        /* of --with */
	struct run_shard shard; /* what this share has; count 0: the whole run */
	int64_t share_id;       /* of its row; 0: none yet */
	const char *library;    /* that --table names; NULL: none */
	bool foreign;           /* a workload's kernels are not of its compiler */
	struct run_show show;
	struct workload_files files;
	size_t all;        /* problems of the command */
	int64_t first_run; /* of this command; 0: none yet */
	bool by_energy;    /* energy chose a problem's answer */
	bool fresh;        /* a trial was measured, not resumed */
	int tuned, passed;
	struct buf noted;    /* see loop_options.noted */
	int uncovered;       /* problems that no implementation can run here */
	int unknown;         /* problems without a result that --finals could compare */
	int late;            /* problems whose time was up before anything was tuned */
	bool unrecorded;     /* the database cannot be used */
	int skipped, failed; /* exit status for the first of a folder that was unwanted, or that
				could not be tuned; 0: none */
};

/* The options of the command and what is known of the problem, as the loop takes them; borrowed
 * from the lane. */
struct loop_options run_problem_options(struct run_lane *lane, const struct workload *w,
					const struct problem *p);

/* Opens a workload of the command with its problems, and checks that it can be tuned as the options
 * ask for; *out is the caller's, also after a failure. *unwanted: it is one of nothing for this
 * device or these options. */
enum asc_status run_problem_prepare(struct command_run *s, const char *path, struct workload **out,
				    bool *unwanted, struct asc_err *e);

/* Begins the builds of a problem. A failure shows again, and is an error, when its turn comes. */
void run_problem_build(struct run_lane *lane, const struct workload *w, const struct problem *p);

/* Tunes the problem of an item; `asked` as in loop_options. loop_summary_fini() of the item's
 * summary follows in any case. */
enum asc_status run_problem_tune(struct run_lane *lane, struct run_item *it,
				 void (*asked)(void *user), struct asc_err *e);

/* Shows what came of an item, with whose options `show` began, and counts it. `status` and *e are
 * those of run_problem_tune(). ASC_OK: the other problems are tuned all the same. */
enum asc_status run_problem_take(struct command_run *s, struct run_item *it, struct run_show *show,
				 enum asc_status status, struct asc_err *e);

/* Covers the problems of a workload that were tuned, and proves their table, where that is asked
 * for. */
enum asc_status run_problem_measure_given(struct command_run *s, struct workload *w,
					  struct asc_err *e);

/* True for a failure that every workload of a folder would have: memory, disk and database are the
 * same for all. */
bool run_problem_ends_all(const struct command_run *s, enum asc_status status);

/* Opens the database of the results unless it is open, records that the share begins, and prints
 * the first line. */
enum asc_status run_problem_open_db(struct command_run *s, struct asc_err *e);

/* Says why a workload of a folder cannot be tuned; `unwanted`: nothing of it is for the device. */
void run_problem_note_failed(struct command_run *s, bool unwanted, struct asc_err *e);

#endif
