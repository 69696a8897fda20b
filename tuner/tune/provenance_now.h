/* Provenance of a build made now: toolchain, options, source files, device, workload. */
#ifndef ASCTUNE_TUNE_PROVENANCE_NOW_H
#define ASCTUNE_TUNE_PROVENANCE_NOW_H

#include "tuner/base/err.h"
#include "tuner/result/provenance.h"
#include "tuner/tune/impl_search.h"
#include "tuner/workload/binding/binding.h"

struct json_doc;
struct loop_options;

struct provenance_now {         /* caller's storage, zeroed at first; provenance_now_close() */
	struct provenance made; /* borrowed from the following, the workload and the session */
	struct binding binding;
	struct impl_searches searches;
	struct json_doc *options, *sources;
};

/* Describes o->implementation of the problem on the session's device, without building it.
 * ASC_ABSENT when it cannot run here: no compiler, not covered. */
enum asc_status provenance_now_open(struct provenance_now *p, const struct loop_options *o,
				    struct asc_err *e);
void provenance_now_close(struct provenance_now *p);

#endif
