/* The reference that the program itself gives: what its configuration computes on the device, or
 * what was recorded of it. Two launches, which find different contents in the outputs, tell which
 * elements it leaves alone. */
#ifndef ASCTUNE_WORKER_OWN_REFERENCE_H
#define ASCTUNE_WORKER_OWN_REFERENCE_H

#include "tuner/base/err.h"

struct worker_config_request;
struct worker_problem;

struct own_reference_request {
	const struct worker_config_request *config; /* borrowed */
	size_t set;                                 /* of inputs */
	/* Says what the user is to know. */
	enum asc_status (*note)(void *user, const char *text, struct asc_err *e);
	void *user;
};

/* Loads the configuration, launches it, and writes the file of the reference. The problem's tensors
 * are on the device, inputs and inout tensors filled. ASC_INPUT where it cannot be launched, writes
 * where it must not, or computes other numbers in each launch or than were recorded, beyond the
 * tolerance; what is within that is noted. */
enum asc_status own_reference_compute(struct worker_problem *p,
				      const struct own_reference_request *request, const char *path,
				      struct asc_err *e);

#endif
