/* Evaluators of workers on kernels that misbehave (faults.json), for several test programs, each of
 * which is its own worker. Names begin with eval_; what a call cannot do is a failed test. */
#ifndef ASCTUNE_TESTS_UNIT_EVALUATOR_EVAL_H
#define ASCTUNE_TESTS_UNIT_EVALUATOR_EVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/evaluate/faults.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/workload/binding/binding.h"

extern struct eval {
	struct workload *workload;
	struct device_info info;
	char folder[256]; /* the cache; one that is set before eval_begin() is another process's */
	const struct evaluator_ops *ops;
	uint64_t last_id;
	int64_t steps[4], most[4]; /* of finals, as they were said last, by step */
} eval;

struct eval_setting {
	struct evaluator_target target;
	struct evaluator_problem problem;
};

struct eval_done { /* what has become of a trial */
	uint64_t id;
	bool again, late;
	struct result result; /* the caller's */
};

/* ---- the program ---- */

bool eval_begin(void);
void eval_end(void);

/* Runs the program as a worker, or `test` on the problem "small"; returns its exit status. */
int eval_main(int argc, char **argv, void (*test)(struct binding *small));

/* ---- an evaluator ---- */

bool eval_bind(struct binding *b, const char *problem);
struct eval_setting eval_options(const struct binding *b);
enum asc_status eval_open(const struct eval_setting *o, struct evaluator **v, struct asc_err *e);
void eval_close(struct evaluator *v);

/* ---- trials ---- */

/* A trial in a place that the 512th after it takes; its index is its identifier. */
struct trial *eval_trial(uint64_t id, const char *implementation, int fault, int pass);
uint64_t eval_submit(struct evaluator *v, const char *implementation, int fault, int pass);
enum asc_status eval_poll(struct evaluator *v, int64_t ns, struct eval_done *done, bool *taken,
			  struct asc_err *e);

/* The next result; false, with the reason, when none comes within two minutes or the evaluator
 * fails. */
bool eval_take(struct evaluator *v, struct eval_done *done);

void eval_check_good(const struct result *r);

#endif
