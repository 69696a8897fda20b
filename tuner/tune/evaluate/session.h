/* One command's hold on one target: its device, worker processes, compilers, artifact cache and
 * measuring policy. Problems come and go in it, one at a time.
 *
 * The caller owns the storage: session_init(), session_fini(). Processes are started with the first
 * problem. */
#ifndef ASCTUNE_TUNE_EVALUATE_SESSION_H
#define ASCTUNE_TUNE_EVALUATE_SESSION_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/worker/policy.h"

struct input_seeds;
struct json_writer;

/* The sessions of one command, a device each. */
struct session_peers {
	struct session *const *list;
	size_t n;
};

struct session {
	struct evaluator_target target;
	const struct input_seeds *inputs; /* seeds of further sets of inputs, borrowed; NULL: none
					     are made */
	struct policy policy; /* adapted to the device; may be changed between problems */
	const struct evaluator_ops *ops;
	struct evaluator *evaluator;      /* NULL before the first problem */
	bool peaks_measured[DTYPE_COUNT]; /* of the device, in this session */
	/* Of a command on several devices; borrowed. */
	const char *name;                  /* of the device: "cuda:1"; NULL: it is the only one */
	const struct session_peers *peers; /* this one among them */
	bool busy;                         /* with a problem, its own or a peer's */
	int64_t begun_ns, ended_ns;        /* time of the last problem; 0: there was none */
	/* Devices that share a problem (evaluator_several.c). */
	bool idle;   /* set by the command: no problem is left for it alone, others
			may use it. When that ends, it comes back: `lent_to` NULL */
	bool shares; /* its problem takes idle devices now */
	const struct session *lent_to; /* whose problem it has a part of; NULL: nobody's */
};

/* Borrows what `t` points to until session_fini(). */
void session_init(struct session *s, const struct evaluator_ops *ops,
		  const struct evaluator_target *t, const struct policy *policy);

/* Starts the processes, once: they open the device while their caller does other things. */
enum asc_status session_start(struct session *s, struct asc_err *e);

/* Starts compilers early, as evaluator_ops.warm does. */
void session_warm(struct session *s, const struct workload *w, const char *implementation);

/* True where the next problem's kernels may be built while this one is measured: by processors that
 * the device does not share. */
bool session_builds_ahead(const struct session *s);

/* Goes on to another problem, as evaluator_ops.begin does. ASC_CHILD, ASC_INPUT, ASC_IO and what
 * starting processes may bring. */
enum asc_status session_begin(struct session *s, const struct evaluator_problem *p,
			      struct asc_err *e);
void session_end(struct session *s); /* of the problem: its trials are forgotten */

/* Writes the device's name and those of the devices that had a problem at the same time as this one
 * had its last: "device" and "beside". Nothing for a device that is the only one. */
void session_write_beside(const struct session *s, struct json_writer *w);

/* Number of devices that its problem has beside its own. */
size_t session_count_lent(const struct session *s);
void session_fini(struct session *s);

#endif
