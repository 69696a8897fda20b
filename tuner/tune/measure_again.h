/* Measuring again: pairs of sides, each pair verified on the same inputs and measured in the same
 * rounds, in several fresh processes, each of which serves all pairs. `asctune reproduce`, `run
 * --confirm`, `compare` and `gate` take this path.
 *
 * Fill in the pairs, the most important first, call measure_again(), and judge each by
 * confirmation_judge(&pair->found, ...):
 *
 *     struct again_pair pairs[] = {{.workload = head, .problem = "p0", .sides = {
 *         {.what = "the base", .workload = base, .implementation = "a", .config_key = "BLOCK=64"},
 *         {.what = "the head", .implementation = "a", .config_key = "BLOCK=64"}}}};
 *     measure_again(&(struct again_options){.session = s, .seed = 1}, pairs, 1, &e);
 *
 * The verdict: with r = confirmation_find_all(&found), confirmation_judge(&found, &r, TIE_MARGIN,
 * CONFIRMATION_SAME_BELOW). The ratio is that of the second side to the first. A side whose
 * workload is another copy of the pair's brings its artifact and its launch from there: sources,
 * constants, grid, order of the arguments; the tensors, found by name, the inputs and the reference
 * are the pair's. Children may read both copies from here on. Each copy has the verdicts of the
 * target before (target_use_verdicts()), and the twins of a stand-in (workload_file_open()). */
#ifndef ASCTUNE_TUNE_MEASURE_AGAIN_H
#define ASCTUNE_TUNE_MEASURE_AGAIN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/confirmation.h"
#include "tuner/result/result.h"

struct session;
struct workload;

struct again_side {                 /* borrowed */
	const char *what;           /* in a reason: "the previous winner" */
	struct workload *workload;  /* has the implementation; NULL: the pair's */
	const char *problem;        /* what that calls the problem; NULL: as the pair does */
	const char *implementation; /* name */
	const char *config_key;
	const char *artifact; /* content key of its artifact; NULL or "": unknown */
	bool as_recorded;     /* that artifact and none else: without it there is no comparison */
};

struct again_pair {
	/* Set by the caller; borrowed. Workloads may get a problem with sizes of its own. */
	struct workload *workload; /* inputs and reference are its */
	const char *problem;
	const char *problem_key; /* key that the problem is to have; NULL: any */
	unsigned rewrites_off;   /* rewrite_bit()s */
	const char *cache;       /* name of a cache policy; NULL: the session's */
	struct again_side sides[CONFIRMATION_SIDES];

	/* Found. A side that cannot be measured (not in the space any more, other inputs, a failed
	 * build) is a reason in `found`; `trouble` is one of the machine, or of the pair's
	 * reference: status ASC_OK where there was none. */
	bool reached; /* false: the budget ended before, or a stop came */
	struct confirmation found;
	struct asc_err trouble;
	/* File of the reference, where the text of it alone differs between the copies: both sides
	 * are verified by that of the pair. Borrowed from one of the workloads; NULL: it does not.
	 */
	const char *other_reference;
	/* With again_options.keep, what each side gave, which is the caller's then (result_fini()):
	 * that of the first process with the samples of all, or the newest that did not pass. kept:
	 * false where a side was not measured. */
	struct result results[CONFIRMATION_SIDES];
	bool kept[CONFIRMATION_SIDES];
};

struct again_options {           /* borrowed */
	struct session *session; /* with policy and target of all pairs */
	uint64_t seed;
	bool sets;         /* in the first process the faster side, and one that ties with it, is
			      verified on all sets of inputs, whatever the policy; else on the first */
	size_t processes;  /* CONFIRMATION_SESSIONS .. CONFIRMATION_MOST; 0: the fewest */
	size_t most;       /* processes that a pair has at most which is undecided then, by its
			      confirmation_find_all() and `margin`, while more may decide; 0: no
			      more than the others */
	bool once;         /* one process, whatever the two above say: sides are verified and not
			      compared */
	double margin;     /* of these verdicts: TIE_MARGIN */
	int64_t budget_ns; /* pairs that do not fit it are not reached, nor are more processes
			      begun; the first pair is measured in any case, unless its inputs and
			      reference take longer, and 10 s; 0: no limit */
	bool early;   /* a side that is clearly slower leaves the rounds, by the tests of finals,
			 where these take long; else both take all rounds */
	bool equal;   /* sides of equal code are both launched; else one is, and its times are of
			 both */
	bool keep;    /* results of the sides, for a database */
	bool unnamed; /* reasons do not name the side that did not pass */
	const volatile sig_atomic_t *stop; /* not 0: no further pair; NULL: never */
	/* Called when a pair has been measured in a process, 1 is the first one. Or NULL. */
	void (*measured)(void *user, const struct again_pair *p, size_t process);
	void *user;
};

/* Measures the pairs. Fails where memory runs out, or no process can be had any more; whatever
 * concerns one pair is in that. */
enum asc_status measure_again(const struct again_options *o, struct again_pair *pairs, size_t n,
			      struct asc_err *e);

/* Measures one, whose trouble is a failure. */
enum asc_status measure_again_one(const struct again_options *o, struct again_pair *pair,
				  struct asc_err *e);

#endif
