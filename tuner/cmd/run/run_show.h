/* Output of a run: one line at its start, progress on a terminal, a block of facts at its end; or
 * JSON lines. */
#ifndef ASCTUNE_CMD_RUN_RUN_SHOW_H
#define ASCTUNE_CMD_RUN_RUN_SHOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/screen.h"
#include "tuner/tune/loop.h"

struct db;
struct run_options;
struct run_row;

struct run_rows { /* of the table that ends a run of several problems */
	struct run_row *list;
	size_t n, room;
	bool failed; /* memory ran out for a row */
};

struct run_show {
	/* Of one of several devices, whose problem it shows: it draws on the screen of `main`,
	 * among the others. NULL: the only one. */
	struct run_show *main;
	const char *device;              /* its name */
	const struct loop_summary *now;  /* of its problem, while that goes on; NULL: none does */
	struct run_show *const *devices; /* of the main one */
	size_t n_devices;

	const struct run_options *run;
	bool json; /* JSON lines on stdout, nothing else */
	struct screen screen;
	struct prose out;      /* on stdout */
	struct run_rows rows;  /* the problems so far */
	size_t answers, found; /* found: those with a best configuration */
	int64_t began_ns;
	const struct loop_options *options; /* of the problem being tuned */
	char title[160];                    /* workload/problem */
	char place[200];       /* "[2/4] " if there are several problems, then the title */
	enum loop_phase phase; /* newest phase that the loop reported */
	int64_t entered_ns;    /* time of the run when `phase` began; -1: a line has said that it
				  takes long */
	char doing[64];        /* "building 3/34" */
	int64_t rounds_ns;     /* time of the run when the rounds of the finals began */
};

void run_show_init(struct run_show *s, const struct run_options *run); /* borrowed */
void run_show_fini(struct run_show *s);

/* Opens the part of one of several devices; both are borrowed. */
void run_show_init_device(struct run_show *s, struct run_show *main, const char *device);

/* Begins problem `number` (1 ..) of `all`; borrows the options until run_show_end(). */
void run_show_begin(struct run_show *s, const struct loop_options *o, size_t number, size_t all);

/* A loop_options.progress; `user` is the struct run_show. */
void run_show_progress(void *user, const struct loop_summary *so_far,
		       const struct loop_event *last);

/* A loop_options.waiting. */
void run_show_waiting(void *user, const struct loop_summary *so_far);

/* Takes the progress away, so that something can be printed. */
void run_show_clear(struct run_show *s);

/* Prints the answer of the problem that has ended. */
void run_show_end(struct run_show *s, const struct loop_summary *sum);

/* Prints a table of the answers after the last problem, if there are several, as the database has
 * them by then. */
enum asc_status run_show_table(struct run_show *s, struct db *db, struct asc_err *e);

#endif
