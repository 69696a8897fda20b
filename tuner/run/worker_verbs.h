/* A worker's state, and what it does at each request of run/protocol. */
#ifndef ASCTUNE_RUN_WORKER_VERBS_H
#define ASCTUNE_RUN_WORKER_VERBS_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/run/incumbent.h"
#include "tuner/run/protocol.h"
#include "tuner/run/residue.h"
#include "tuner/run/stop.h"
#include "tuner/run/worker_config.h"
#include "tuner/run/worker_problem.h"

struct json_node;

struct worker {
	struct channel channel;
	const struct device_ops *ops;
	struct device *device;
	int ordinal;
	struct worker_probe probes[WORKER_MAX_PROBES + 1]; /* ended by a NULL entry */
	struct worker_problem *problem;
	struct worker_config *configs; /* loaded and not dropped */
	struct incumbent incumbent;
	struct rival best;     /* as the coordinator has sent it last */
	struct residue before; /* the process before kernels ran in it */
	bool harmed;           /* by a kernel: ends after the result */
};

typedef enum asc_status worker_verb(struct worker *w, const struct json_node *request,
				    struct asc_err *e);

/* Does what one request asks for and answers it; a failure ends the worker. */
worker_verb worker_answer;

/* Closes everything but the channel's descriptor. */
void worker_fini(struct worker *w);

worker_verb worker_hello, worker_open, worker_peaks, worker_problem;
worker_verb worker_load, worker_measure, worker_drop;

#endif
