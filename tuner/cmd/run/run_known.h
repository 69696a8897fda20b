/* Configurations that are tried first: what the database of `run --known` knows of the problems
 * that are tuned, and rows of libraries' tables that the results' own database has imported. */
#ifndef ASCTUNE_CMD_RUN_RUN_KNOWN_H
#define ASCTUNE_CMD_RUN_RUN_KNOWN_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/tune/loop_options.h"

struct db;
struct problem;
struct run_options;
struct run_session;
struct track_history;
struct workload;

struct run_known {     /* the database of --known; the caller's storage, zeroed at first */
	struct db *db; /* NULL: there is none, it cannot be used, or results go to it */
	struct track_history *history;
};

/* Opens the database that the options name, if any. A database that cannot be used is a warning,
 * and the search begins without it. ASC_NOTFOUND: there is no such file. */
enum asc_status run_known_open(const struct run_options *o, struct run_known *k, struct asc_err *e);
void run_known_close(struct run_known *k);

struct known_list { /* configurations of one problem; the caller's storage, zeroed at first */
	struct loop_given *list; /* texts of the history and of `texts` */
	size_t n, room;
	char **texts;
	size_t n_texts, texts_room;
};

/* Sets the list: the configuration on record of each implementation of the problem on this device,
 * and the one that won last where that is another; and, without --no-history and --config, what
 * each library that the workload names in its "export" takes for the problem from an imported
 * table. */
enum asc_status known_list_find(struct known_list *l, const struct run_known *k,
				const struct run_session *on, const struct run_options *o,
				const struct workload *w, const struct problem *p,
				struct asc_err *e);

/* Sets the list to what may be the answer of the problem by the results of a database, of whatever
 * share or machine of this model (run --finals). */
enum asc_status known_list_contend(struct known_list *l, struct db *db,
				   const struct run_session *on, const struct workload *w,
				   const struct problem *p, struct asc_err *e);
void known_list_fini(struct known_list *l);

#endif
