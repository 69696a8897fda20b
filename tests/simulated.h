/* A worker's problem on a device that is not there: launches take as long as a test says.
 *
 * The caller owns the storage: simulated_init(), simulated_fini(). */
#ifndef ASCTUNE_TESTS_SIMULATED_H
#define ASCTUNE_TESTS_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

struct simulated {
	/* How long a launch of the kernel of that truth takes, ns; 0 or less: it is refused. */
	int64_t (*launch)(void *user, double truth_ns);
	void *user;
	struct worker_problem *problem; /* without tensors; owned */
	int64_t launches;               /* made so far */
	int64_t flushes;                /* of the caches */
	int64_t mhz;                    /* what its clock reads as; 0: nothing */
	int64_t loaded;                 /* kernels, now */
	int64_t interrupts; /* by other processes so far; a launch() may count them up */
	/* What a launch leaves in the output, of SIMULATED_ELEMENTS; NULL: what the reference has.
	 */
	void (*write)(void *user, double truth_ns, float *out);
	bool damaged;                        /* something was written beside the output */
	const struct device_buffer *changed; /* a buffer that was written to; NULL: none */
	bool lost;                           /* the device's context is */
};

enum { SIMULATED_ELEMENTS = 4, SIMULATED_SETS = 3, SIMULATED_APART = 10 };

void simulated_init(struct simulated *s, int64_t (*launch)(void *user, double truth_ns),
		    void *user);
void simulated_fini(struct simulated *s);

/* From now on launches write a tensor: i + 1 in element i is right. */
void simulated_add_output(struct simulated *s);

/* From now on, beside the output, launches read a tensor, too, which holds the number of its set of
 * inputs, of SIMULATED_SETS that are kept: elements of the output that are right there are greater
 * than on the first set by that number times SIMULATED_APART. */
void simulated_add_sets(struct simulated *s);

/* Number of the set that launches find, by what the tensor holds. */
int simulated_set(const struct simulated *s);

/* From now on launches change a tensor that they read. */
void simulated_add_inout(struct simulated *s);

/* A configuration that is loaded; worker_config_free() unloads it. Never NULL. */
struct worker_config *simulated_load(struct simulated *s, uint64_t id, double truth_ns);

/* Operations of devices whose memory is the host's. */
enum asc_status simulated_fetch(struct device *d, const void *from, void *to, size_t bytes,
				struct asc_err *e);
enum asc_status simulated_store(struct device *d, void *to, const void *from, size_t bytes,
				struct asc_err *e);

#endif
