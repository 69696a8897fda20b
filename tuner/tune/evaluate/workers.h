/* The worker processes of an evaluator: one that works and, once its device is open, a spare one.
 * Every trial that is sent ends in a result, whatever its kernel does.
 *
 * A worker that dies or hangs costs the trial that it was at; what was sent behind that goes to the
 * next worker. What fails in a worker that has run others before is asked once more in one that has
 * not, and the second verdict stands. The caller owns the storage: workers_open(), workers_close().
 */
#ifndef ASCTUNE_TUNE_EVALUATE_WORKERS_H
#define ASCTUNE_TUNE_EVALUATE_WORKERS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/evaluate/trials.h"
#include "tuner/tune/evaluate/worker_link.h"
#include "tuner/worker/sampling.h"

struct pool;
struct prerequisites;

struct workers {
	const struct evaluator_target *target;   /* borrowed */
	const struct evaluator_problem *problem; /* borrowed; NULL: none yet */
	struct prerequisites *prerequisites; /* borrowed; of that problem, once it is asked for */
	struct trials *queue;                /* borrowed */
	struct pool *pool;                   /* borrowed; has folders for workers */
	struct worker_link worker, spare;
	struct worker_link aside; /* the worker of a problem that waits (workers_set_aside()) */
	bool beside;              /* there is one: further problems share the other process */
	enum phase phase;         /* of the trial that runs */
	int64_t phase_ns;         /* when it was announced last */
	int64_t step;             /* of that: as in struct measurement */
	bool timed;               /* its timed launches were announced */
	char *places;             /* of the problem's Python functions, which workers import; ""
				     once a worker has died of that. NULL: workers are no Pythons */
	int failed_starts;        /* workers in a row that died before they were ready */
	int failed_loads;         /* trials in a row that no worker could load */
	int64_t turn_ns; /* time of the last result, behind which the next trial has its turn, and
			    what its functions took to get warm */
	char noted[160]; /* the first note about a call: one is enough of all workers and problems
			  */
	bool was_ready;  /* some worker has set the problem up */
	bool launched;   /* some trial has got past its first launch */
	struct incumbent best; /* owned */
	uint64_t best_number;  /* of that, counted */
	int64_t taken;         /* samples, in all */
	size_t company;        /* trials of rounds that were sent together */
	struct trial *suspect; /* of rounds: measured alone, NULL: all are measured together */
};

enum asc_status workers_open(struct workers *c, const struct evaluator_target *t, struct trials *q,
			     struct pool *pool, struct asc_err *e);

/* Goes on to another problem, in a process that has run no code of a workload: neither the
 * reference of a problem nor its times owe anything to kernels of another. Behind
 * workers_set_aside(), and where the problem says so, problems share one process, which computes no
 * reference once a kernel has run in it. */
enum asc_status workers_begin(struct workers *c, const struct evaluator_problem *p,
			      struct asc_err *e);

/* Ends the problem: a worker that is at it is killed. The queue's trials are the caller's to
 * forget. */
void workers_end(struct workers *c);
void workers_close(struct workers *c);

/* Sets the worker aside with its problem, which is at rest; the spare one takes on what is begun
 * until workers_take_back(), which ends that one. */
enum asc_status workers_set_aside(struct workers *c, struct asc_err *e);
void workers_take_back(struct workers *c, const struct evaluator_problem *p);

/* Measures peaks as link_find_peaks() does, in a process that has nothing but the device. */
enum asc_status workers_find_peaks(struct workers *c, enum dtype type, struct peaks *out,
				   int64_t until_ns, struct asc_err *e);

/* True while the spare worker imports modules or opens the device, which would be beside samples:
 * nothing is to be sent. */
bool workers_spare_opens(const struct workers *c);

/* Takes what the worker has said, and looks whether it lives and keeps its time: trials become
 * DONE, or BUILT again. Fails when no worker gets ready, or when they cannot be started. */
enum asc_status workers_attend(struct workers *c, struct asc_err *e);

/* Goes on with a fresh worker, to be asked again: trials that were sent become BUILT. */
enum asc_status workers_restart(struct workers *c, struct asc_err *e);

/* The incumbent from now on; copied. */
enum asc_status workers_set_best(struct workers *c, const struct result *r, struct asc_err *e);

/* True where the worker has run kernels of another problem and would have to compute the reference:
 * a fresh one has to (workers_restart()). `p` are all built. */
bool workers_lack_reference(const struct workers *c, const struct prerequisites *p);

/* Asks the worker to set up the problem; `p` are all built. */
enum asc_status workers_prepare(struct workers *c, struct prerequisites *p, struct asc_err *e);

/* Sends trials that are BUILT, as far ahead as is useful. */
enum asc_status workers_feed(struct workers *c, struct asc_err *e);

/* Name of what the worker does that is no launch: its imports, code of the workload, other inputs;
 * "": nothing that has a name. Borrowed until the next message. */
const char *workers_doing(const struct workers *c);

/* Leaves the time that a trial's function has got warm in out of its turn. */
void workers_note_warming(struct workers *c, struct trial *t);

/* Time at which workers_attend() is due at the latest; INT64_MAX when the worker has nothing to do.
 */
int64_t workers_deadline_ns(const struct workers *c);

/* True while a function gets warm under the limit of the run's time: one that is past it has shown
 * nothing. */
bool workers_lack_time(const struct workers *c);

/* Prints which limit the worker is past once that time has come: "ran past its limit of 2 s". */
enum { WORKERS_LATE_SIZE = 256 };
void workers_print_late(const struct workers *c, char *text, size_t size);

/* Descriptors to poll; returns how many were stored. */
enum { WORKERS_MAX_FDS = 4 };
size_t workers_pollfds(const struct workers *c, struct pollfd fds[WORKERS_MAX_FDS]);

#endif
