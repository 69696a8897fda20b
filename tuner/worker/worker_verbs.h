/* The state of a worker, and its actions at the requests of worker/protocol. */
#ifndef ASCTUNE_WORKER_WORKER_VERBS_H
#define ASCTUNE_WORKER_WORKER_VERBS_H

#include <pthread.h>
#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/process/channel.h"
#include "tuner/worker/measurement.h"
#include "tuner/worker/profile_config.h"
#include "tuner/worker/residue.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

struct json_node;
struct metric_book;

struct worker {
	struct channel channel;
	const struct device_ops *ops;
	struct device *device;         /* NULL: not open */
	char place[DEVICE_PLACE_SIZE]; /* device that was asked for */
	pthread_t opener;              /* of the device, while `opening` */
	bool opening;
	struct asc_err failure; /* of that */
	struct worker_problem *problem;
	struct worker_config_request own; /* the program's own configuration, while the problem is
					     set up */
	bool ran_own;                     /* that was launched here */
	struct worker_config *configs;    /* loaded and not dropped */
	struct race race;                 /* by what they are measured */
	struct metric_book *book;         /* of profiles; NULL: none was asked for yet */
	struct profile_probe replaying[WORKER_MAX_PROBES + 1]; /* probes of profiles, opened when
								 they are first asked for */
	struct residue before; /* the process before kernels ran in it */
	bool has_residue;      /* a kernel has left something since an earlier `before` */
	char said[160];        /* the last note about a call */
	bool ran;              /* a configuration was loaded: no reference is computed any more */
	bool harmed;           /* memory damaged by a kernel: ends after the result */
};

typedef enum asc_status worker_verb(struct worker *w, const struct json_node *request,
				    struct asc_err *e);

/* Serves one request and answers it; a failure ends the worker. */
worker_verb worker_answer;

/* Closes the worker's state, but not the channel's descriptor. */
void worker_fini(struct worker *w);

worker_verb worker_hello, worker_open, worker_peaks, worker_problem;
worker_verb worker_incumbent, worker_load, worker_measure, worker_profile, worker_drop;

/* Serves requests on `fd` until the stream ends (ASC_OK) or trouble of our own. */
enum asc_status worker_serve(int fd, struct asc_err *e);

#endif
