/* Profiles: why configurations take their time, found out after a search, or asked for alone. */
#ifndef ASCTUNE_TUNE_PROFILING_H
#define ASCTUNE_TUNE_PROFILING_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/loop_summary.h"

struct binding;
struct candidates;
struct impl_searches;
struct loop_options;
struct profile_wanted;
struct recorder;

struct profiling {                    /* all borrowed */
	const struct loop_options *o; /* its session has nothing to do */
	const struct profile_wanted *wanted;
	struct evaluator_problem problem; /* the session begins it anew where something is counted
					   */
	const struct binding *binding;
	const struct impl_searches *searches;
	struct recorder *recorder;
	int64_t until_ns;         /* no launch is begun after it (clock_now_ns()); 0: no limit */
	void (*tick)(void *user); /* called while no result comes; or NULL */
	void *user;
};

/* Chooses whom a run profiles: the best, and with counters its ties, the default and the baselines
 * too; none of another run's workload. Appends to out->profiles. */
enum asc_status profiling_choose(const struct profiling *x, struct loop_summary *out,
				 struct asc_err *e);

/* Chooses whose energy is measured where it decides: finalists and candidates of the search that
 * take at most 1.5 times the best time, the fastest first, until there are 24 in all. Appends to
 * out->profiles. */
enum asc_status profiling_choose_near(const struct profiling *x, const struct candidates *c,
				      struct loop_summary *out, struct asc_err *e);

/* Adds the configurations of loop_options.profiled. ASC_INPUT, with the reason, for one that its
 * space does not have; ASC_USAGE for one that is given twice. */
enum asc_status profiling_add_given(const struct profiling *x, struct loop_summary *out,
				    struct asc_err *e);

/* Profiles all of out->profiles and records each as soon as it is known. What a kernel does
 * meanwhile is a profile's failure; a stop leaves the rest without one. Energy is measured in
 * several turns of all of them. */
enum asc_status profiling_run(const struct profiling *x, struct loop_summary *out,
			      struct asc_err *e);

#endif
