/* Finals: the best configurations of a search measured once more, together, and their ties. */
#ifndef ASCTUNE_TUNE_FINALS_H
#define ASCTUNE_TUNE_FINALS_H

#include <stdint.h>

#include "tuner/base/err.h"

struct candidates;
struct plan_use;
struct trial;
struct hard_context;
struct impl_searches;
struct loop_options;
struct loop_summary;
struct binding;
struct recorder;

struct finals_context {                     /* all borrowed */
	const struct loop_options *options; /* its session has nothing pending */
	const struct impl_searches *searches;
	const struct binding *binding;
	struct recorder *recorder;
	size_t n_sets;             /* of inputs; one finalist is verified on several */
	int64_t until_ns;          /* time after which nothing is begun; 0: no limit */
	struct hard_context *hard; /* with what the chosen one is tried elsewhere */
	void (*tick)(void *user);  /* called while no result comes; or NULL */
	void *user;
};

/* Holds the finals where the policy asks for them, something was measured or none are on record,
 * and there are at least two to compare, or one whose search result is no ok; records their
 * results. A finalist that fails there is recorded with that result, and the others are measured
 * again without it; one that is chosen and fails at other sizes (hard_check.h) is recorded as
 * wrong, and the others are judged again. A stop leaves everything else as it was. */
enum asc_status finals_hold(const struct finals_context *x, const struct candidates *c,
			    struct loop_summary *out, struct asc_err *e);

/* Tries the one configuration that was measured at other sizes alone, as finals do with who is
 * chosen. */
enum asc_status finals_try(const struct finals_context *x, const struct candidates *c,
			   struct loop_summary *out, struct asc_err *e);

/* Finds what all calls of a finalist use, by the plans of its trial. Fails as binding_plan() does
 * where the trial's calls have none. */
enum asc_status finals_find_use(const struct binding *b, const struct trial *t,
				struct plan_use *out, struct asc_err *e);

/* Has what the answer of a search without finals rests on in this database, where it was resumed
 * from that of --with: the fastest that passed, and the defaults that it is compared with. */
enum asc_status finals_borrow(const struct finals_context *x, const struct candidates *c,
			      struct asc_err *e);

#endif
