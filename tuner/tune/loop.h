/* The tuning loop: ask a strategy for configurations, build and measure them, record the results,
 * give them to the strategy.
 *
 * One call tunes one problem of one workload on one device, over all implementations that cover it:
 * each has a space and a strategy of its own, and a trial goes to the one that promises most
 * (impl_searches_ask()). The default configuration of each is tried first, and that of the
 * workload's baseline whatever the budget is. */
#ifndef ASCTUNE_TUNE_LOOP_H
#define ASCTUNE_TUNE_LOOP_H

#include "tuner/base/err.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/loop_summary.h"

struct binding;
struct db;
struct loop;

/* Binds the problem and makes its spaces; nothing is built or measured yet. `out` is borrowed until
 * loop_close(). ASC_ABSENT when no implementation can run on this device, or all that can have
 * empty spaces. */
enum asc_status loop_open(const struct loop_options *o, struct loop_summary *out, struct loop **l,
			  struct asc_err *e);

/* Tunes, once. Errors of the database or of the worker end the loop; what was recorded before
 * stays. */
enum asc_status loop_go(struct loop *l, struct db *db, struct asc_err *e);
void loop_close(struct loop *l);

/* Binds the problem of the options to the session's device; `keyed`: with the digests of its files,
 * which are part of its key and which no build needs. */
enum asc_status loop_bind(const struct loop_options *o, bool keyed, struct binding *b,
			  struct asc_err *e);

/* The bound problem as a session is given it: with the session's policy, without callbacks. */
struct evaluator_problem loop_problem(const struct loop_options *o, const struct binding *b);

#endif
