/* `asctune gate`: which kernels differ between a checkout and its base, and are they slower.
 *
 * 1. The base is read from git's objects into a scratch folder (base_checkout.h).
 * 2. gate_list_make() pairs the kernels of both trees, by their names, and keeps the key of each:
 *    equal keys are `unchanged`, without a build.
 * 3. gate_builds_make() builds what is left on both sides: equal code that is launched equally is
 *    unchanged, too, without a launch.
 * 4. gate_measure() measures the others, both sides in the same rounds (tune/measure_again.h), the
 *    most important first (gate_weights.c).
 * 5. gate_retune() searches for better configurations of the head, where that is asked for.
 * 6. gate_accept() finds slower kernels that the change accepts (acceptance.h).
 * 7. gate_code.h finds what the change did to the code; gate_text.h and gate_ci.h print,
 *    gate_record.h records.
 *
 * A kernel is a problem, an implementation and a configuration: the best on record, else the
 * default. */
#ifndef ASCTUNE_CMD_GATE_GATE_H
#define ASCTUNE_CMD_GATE_GATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/base/hash.h"
#include "tuner/cmd/code/code_side.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/acceptance.h"
#include "tuner/cmd/gate/gate_code.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/terminal/screen.h"
#include "tuner/result/confirmation.h"
#include "tuner/result/result.h"

struct base_checkout;
struct db;
struct impl_search;
struct workload;

/* id, name; the worst first, as they are printed */
#define GATE_VERDICT_LIST(X)                                                                       \
	X(BROKEN, "broken")       /* the head fails, and the base does not */                      \
	X(SLOWER, "slower")       /* beyond the margin of tests; by how much decides the status */ \
	X(UNDECIDED, "undecided") /* the interval is too wide, or it was not reached */            \
	X(FAILING, "failing")     /* both fail */                                                  \
	X(CHECKED, "checked")     /* inputs differ: the head passes, and there is no ratio */      \
	X(MENDED, "mended")       /* the base fails, and the head does not */                      \
	X(FASTER, "faster")                                                                        \
	X(NEW, "new") /* the head alone has it, and passes */                                      \
	X(GONE, "gone")                                                                            \
	X(SAME, "same")           /* measured: neither takes longer */                             \
	X(UNCHANGED, "unchanged") /* equal keys, or equal code that is launched equally */

enum gate_verdict {
#define X(id, name) GATE_##id,
	GATE_VERDICT_LIST(X)
#undef X
		GATE_VERDICTS,
	GATE_CHANGED = GATE_VERDICTS /* keys differ: nothing more is known yet */
};
const char *gate_verdict_name(enum gate_verdict v);

enum gate_tree { GATE_BASE, GATE_HEAD, GATE_TREES };

struct gate_side {
	struct workload *workload;   /* borrowed from the list; NULL: the tree does not have it */
	char key[HASH_TEXT_SIZE];    /* of all that decides code, launch, inputs and verification */
	char inputs[HASH_TEXT_SIZE]; /* key of the problem */
	char rules[HASH_TEXT_SIZE];  /* of all by which outputs and times are refused */
	char *config;                /* key of the configuration; heap; NULL: it has no kernel */
	char launch[HASH_TEXT_SIZE]; /* of what runs and how; "": not built, or it failed */
	struct code_side code;       /* what was built of it; n 0: nothing */
	bool failed;                 /* it cannot be built, or a file that it names is missing; of
					the base also: it does not pass */
	char reason[1024];           /* why it has no kernel, or is not built; "" */
	struct result *result;       /* of what was measured, where it is recorded; heap */
};

struct gate_retuned {  /* what a search in the head found (--retune) */
	char *config;  /* key of the configuration; heap */
	char *changed; /* its parameters that differ from those that were measured; heap */
	struct confirmation_ratio ratio; /* to the base with its own configuration */
	enum gate_verdict verdict;
};

/* Measuring of a kernel: how far it came. */
enum gate_reach {
	GATE_NOT_REACHED, /* there was no need to measure it, or the budget ended before */
	GATE_UNVERIFIED,  /* the head's reference or inputs fail: nothing can be verified by them */
	GATE_REACHED
};

/* Verdict of the gate before on a kernel, with --watch. */
enum gate_before {
	GATE_WAS_UNCHANGED, /* or nothing */
	GATE_WAS_OTHER,     /* another verdict: that it is unchanged now is news */
	GATE_KEPT           /* the same verdict, which it has printed */
};

struct gate_kernel {
	const char *workload, *problem, *implementation; /* borrowed from the head, or the base */
	bool recorded; /* the configuration is the best on record, or the nearest to it that a tree
			  has; else the default */
	double recorded_ns; /* time of the best on record; 0: there is none */
	double weight;      /* time by --weights; 0: it does not tell */
	char note[160];     /* what is to be said beside the verdict; "" */
	struct gate_side sides[GATE_TREES];
	enum gate_verdict verdict;
	bool equal; /* keys are, or code that is launched equally */
	bool built; /* something was compiled for it */
	enum gate_reach reached;
	enum gate_before before;
	size_t order;                    /* in which it was found */
	struct gate_code code;           /* what its change did to the code */
	struct confirmation *found;      /* where it was measured; heap */
	struct confirmation_ratio ratio; /* head to base, of all processes; found->n > 0 */

	struct gate_retuned *retuned; /* NULL: nothing better was found; heap */

	/* What accepts it, of one that is slower, and why; NULL: nothing does. */
	const struct acceptance *accepted;
	const char *accepted_reason;
};

struct gate_progress {
	struct screen screen; /* open from gate_progress_begin() to _end() */
	const char *phase;    /* "building" */
	size_t done, planned;
	int64_t began_ns;
};

struct gate { /* the caller's storage, zeroed but for options, stop and session */
	const struct run_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session *on;
	const struct base_checkout *checkout;
	struct db *db;     /* that is recorded to, if any: results are kept (gate_record.h) */
	bool all;          /* what is equal is measured, too */
	double threshold;  /* slow-down that is let through */
	int64_t budget_ns; /* of measuring */
	int64_t until_ns;  /* its end, once it has begun; 0: no limit */
	struct workload **workloads; /* of both trees; heap */
	size_t n_workloads;
	struct gate_kernel *list;
	size_t n, room;
	size_t code_late, code_more; /* kernels whose code was not looked at: no time; too many */
	size_t builds, measured; /* kernels that something was compiled for; that were launched */
	size_t searched;         /* those whose space was, with --retune */
	struct buf noted;        /* as in struct loop_options */
	char others[160]; /* who else used machine or device before it measured; "": nobody */
	struct gate_progress progress;

	struct acceptances acceptances; /* of this change */
};

/* False with --untrusted for a database that nobody names: it may be part of the change. */
bool gate_may_read(const struct gate *g);

/* Finds the kernels of the paths, files or folders, on both sides. A workload that cannot be opened
 * in the head is a failure; one of the base is no base for its kernels. */
enum asc_status gate_list_make(struct gate *g, const char *const *paths, size_t n,
			       struct asc_err *e);

/* Makes the key of a side whose configuration and inputs are set. */
enum asc_status gate_key_make(const struct gate *g, const struct gate_side *s,
			      const struct impl_search *search, char key[HASH_TEXT_SIZE],
			      struct asc_err *e);

/* Sets the weight of kernels by a file of times. "-" is standard input, which has its text once:
 * `typed`, the caller's, keeps it for the gates of --watch. */
enum asc_status gate_weigh(struct gate *g, const char *path, struct buf *typed, struct asc_err *e);

/* Sorts by importance: by weights, then by the time on record, the longest first, then as they were
 * found. */
void gate_sort_by_importance(struct gate_kernel **list, size_t n);

/* Sorts by what is to be said first: the worst verdict, then the largest ratio. */
void gate_sort(struct gate *g);

enum asc_status gate_builds_make(struct gate *g, struct asc_err *e);
enum asc_status gate_measure(struct gate *g, struct asc_err *e);

/* Measures and judges these, the most important first, in what is left of the budget; `alone`: the
 * head's sides. */
enum asc_status gate_measure_these(struct gate *g, struct gate_kernel *const *kernels, size_t n,
				   bool alone, struct asc_err *e);

/* Searches the kernels that changed, in the head, and measures what was found beside the base. */
enum asc_status gate_retune(struct gate *g, struct asc_err *e);

/* Reads the acceptances of the change and applies them; what accepts nothing is warned of. */
enum asc_status gate_accept(struct gate *g, struct asc_err *e);

/* Frees what was measured of a side for the database. */
void gate_side_forget(struct gate_side *s);

/* Ratio beyond which a difference is called one: smaller ones are noise of a place in memory, or of
 * no interest, however large a slow-down is let through. */
double gate_margin(const struct gate *g);

/* True for a kernel that is broken, or slower by more than the threshold and not accepted. */
bool gate_kernel_fails(const struct gate *g, const struct gate_kernel *k);

/* Progress on stderr, where that is a terminal: a phase begins, with so many steps, and ends. */
void gate_progress_begin(struct gate *g, const char *phase, size_t planned);
void gate_progress_draw(struct gate *g);
void gate_progress_step(struct gate *g);
void gate_progress_end(struct gate *g);

/* 1: a kernel fails; with `strict` 4: one is undecided that may; 3: there is no kernel. */
enum exit_status gate_exit_status(const struct gate *g, bool strict);
void gate_fini(struct gate *g);

#endif
