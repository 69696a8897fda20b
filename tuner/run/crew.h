/* The worker processes of an evaluator: one that works and a spare one with the device open. Sees
 * to it that every job given to them ends in a result, whatever its kernel does.
 *
 * A worker that dies or hangs costs the job that it was at; what was sent behind that goes to the
 * next worker. What fails in a worker that has run others before is asked once more in one that has
 * not, and the second verdict stands. The caller owns the storage: crew_open(), crew_close(). */
#ifndef ASCTUNE_RUN_CREW_H
#define ASCTUNE_RUN_CREW_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/run/job_queue.h"
#include "tuner/run/stop.h"
#include "tuner/run/worker_link.h"

struct crew {
	const struct evaluator_options *options; /* borrowed */
	struct job_queue *queue;                 /* borrowed */
	struct worker_link worker, spare;
	enum phase phase;     /* of the job that runs */
	int failed_starts;    /* workers in a row that died before they were ready */
	bool was_ready;       /* some worker has set the problem up */
	bool launched;        /* some job has got past its first launch */
	struct rival best;    /* owned */
	uint64_t best_number; /* of that, counted */
	int64_t taken;        /* samples, in all */
	bool finals; /* all jobs are measured together, once all are BUILT; the caller sets it
			and takes it back */
	struct evaluator_finals finals_how;
	size_t company;      /* finalists that were sent together */
	struct job *suspect; /* of the finals: measured alone, NULL: all are measured together */
};

enum asc_status crew_open(struct crew *c, const struct evaluator_options *o, struct job_queue *q,
			  struct asc_err *e);
void crew_close(struct crew *c);

/* Takes what the worker has said, and looks whether it lives and keeps its time: jobs become DONE,
 * or BUILT again. Fails when no worker gets ready, or when they cannot be started. */
enum asc_status crew_attend(struct crew *c, struct asc_err *e);

/* What others race against from now on; copied. */
enum asc_status crew_set_best(struct crew *c, const struct result *r, struct asc_err *e);

/* Has it set up the problem, once `artifacts` (as of struct preparation) are there. */
enum asc_status crew_prepare(struct crew *c, char *const *artifacts, struct asc_err *e);

/* Sends jobs that are BUILT, as far ahead as is useful. */
enum asc_status crew_feed(struct crew *c, struct asc_err *e);

/* When to look again at the latest: INT64_MAX when the worker has nothing to do. */
int64_t crew_deadline_ns(const struct crew *c);

/* Readable when there is something to attend to; returns how many were stored. */
enum { CREW_MAX_FDS = 3 };
size_t crew_pollfds(const struct crew *c, struct pollfd fds[CREW_MAX_FDS]);

#endif
