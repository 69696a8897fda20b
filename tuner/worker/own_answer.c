#include "tuner/worker/own_answer.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/rng.h"
#include "tuner/base/stats/stats.h"
#include "tuner/device/device.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/measurement.h"
#include "tuner/worker/poison.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

/* Ratio of the times of a pair beyond which it speaks against the kernel: nothing but contents that
 * nobody needs differs, and noise makes a fifth at times. */
static const double TOO_LONG = 1.25;

/* The same of a pair that another process disturbed. */
static const double FAR_TOO_LONG = 2;

/* Pairs against the kernel that find it wrong, and such for it that clear it. One pair in three is
 * against an honest kernel on a busy machine at worst: 16 before 3 others once in 300,000 cases.
 * Long launches differ less, and cost more. */
static const struct count {
	int against, in_favour;
} SHORT = {16, 3}, LONG = {6, 1};
enum { PAIRS = 48 }; /* those that say nothing, too */
static const int64_t LONG_NS = 2000000;

enum { MOST_HELD = WORKLOAD_MAX_TENSORS + WORKER_CONFIG_OWN, MOST_SCRATCH = 16 << 20 };
static const size_t MOST_OUTPUTS = (size_t)1 << 30;

/* A buffer that launches write, and what is written there before one. */
struct held {
	struct device_buffer *buffer;
	size_t bytes;
	void *answer, *poison;
	bool own; /* their memory is the test's, else the problem's */
};

struct test {
	struct measurement *m;
	struct held held[MOST_HELD];
	size_t n;
};

/* Holds a buffer, in memory that the problem keeps; both NULL: in the test's own. */
static enum asc_status hold(struct test *t, struct device_buffer *b, size_t bytes,
			    const void *poison, void **kept_answer, void **kept_poison,
			    struct asc_err *e)
{
	struct held *h = &t->held[t->n++];

	*h = (struct held){.buffer = b, .bytes = bytes, .own = !kept_answer};
	h->answer = kept_answer && *kept_answer ? *kept_answer : malloc(bytes + 1);
	h->poison = kept_poison && *kept_poison ? *kept_poison : malloc(bytes + 1);
	if (kept_answer) {
		*kept_answer = h->answer;
		*kept_poison = h->poison;
	}
	if (!h->answer || !h->poison)
		return asc_err_nomem(e);
	if (poison)
		memcpy(h->poison, poison, bytes);
	else
		memset(h->poison, POISON_BYTE, bytes);
	return ASC_OK;
}

/* Holds the outputs; none where there are too many bytes of them. */
static enum asc_status hold_outputs(struct test *t, struct asc_err *e)
{
	struct worker_problem *p = t->m->config->problem;
	size_t all = 0;

	for (int pass = 0; pass < 2 && all <= MOST_OUTPUTS; pass++)
		for (size_t i = 0; i < p->workload->n_tensors; i++) {
			const size_t bytes = (size_t)p->binding.tensors[i].bytes;

			if (!p->buffers[i] || p->workload->tensors[i].role != ROLE_OUT ||
			    p->images[p->binding.tensors[i].owner])
				continue;
			all += pass == 0 ? bytes : 0;
			if (pass == 1 && hold(t, p->buffers[i], bytes, p->poison[i],
					      &p->spares[i].answer, &p->spares[i].poison, e))
				return e->status;
		}
	return ASC_OK;
}

/* Holds the scratch memory of the configuration, where there is little. */
static enum asc_status hold_scratch(struct test *t, struct asc_err *e)
{
	const struct worker_config *c = t->m->config;
	const size_t n_tensors = c->problem->workload->n_tensors;
	bool held[WORKLOAD_MAX_SCRATCH] = {false};
	size_t all = 0;

	for (size_t k = 0; k < c->sequence.n; k++)
		for (size_t i = 0; i < c->calls[k].plan.n_arguments; i++) {
			const struct bound_argument *a = &c->calls[k].plan.arguments[i];
			const bool is_tensor =
				(a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP) &&
				a->tensor >= n_tensors;
			struct device_buffer *b =
				is_tensor ? c->tensors[a->tensor] : c->calls[k].scratch[i];

			if (!b || (is_tensor && held[a->tensor - n_tensors]))
				continue;
			if (is_tensor)
				held[a->tensor - n_tensors] = true;
			all += (size_t)a->bytes;
			if (all <= MOST_SCRATCH && t->n < MOST_HELD &&
			    hold(t, b, (size_t)a->bytes, NULL, NULL, NULL, e))
				return e->status;
		}
	return ASC_OK;
}

/* Makes a launch on poison, and keeps what it leaves. */
static enum asc_status keep_answers(struct test *t, struct asc_err *e)
{
	const struct worker_problem *p = t->m->config->problem;

	if (measurement_enter(t->m, PHASE_MEASURE, e) || worker_config_poison(t->m->config, e) ||
	    launch_untimed(t->m, 1, e))
		return e->status;
	for (size_t i = 0; i < t->n && t->m->result->status == RESULT_OK; i++)
		if (p->ops->read(p->device, t->held[i].buffer, t->held[i].answer, t->held[i].bytes,
				 e))
			return e->status;
	return ASC_OK;
}

/* Times a launch that finds poison, or the answer. */
static enum asc_status time_one(struct test *t, bool poison, int64_t *ns, int64_t *marks,
				struct asc_err *e)
{
	static const struct device_batch one = {.samples = 1, .launches = 1};
	const struct worker_problem *p = t->m->config->problem;

	for (size_t i = 0; i < t->n; i++) {
		const struct held *h = &t->held[i];

		if (p->ops->write(p->device, h->buffer, poison ? h->poison : h->answer, h->bytes,
				  e))
			return e->status;
	}
	if (launch_sample(t->m, one, ns, e))
		return e->status;
	*marks |= t->m->note & RESULT_MARKS;
	return ASC_OK;
}

static enum asc_status take_pairs(struct test *t, struct rng *rng, struct asc_err *e)
{
	const struct result *r = t->m->result;
	double against[PAIRS];
	int n_against = 0, in_favour = 0;
	struct count most = SHORT;

	for (int i = 0; i < PAIRS && n_against < most.against && in_favour < most.in_favour &&
			!measurement_is_over(t->m);
	     i++) {
		const bool first = rng_below(rng, 2) == 0;
		int64_t ns[2] = {0}, marks = 0;

		for (int k = 0; k < 2 && r->status == RESULT_OK; k++) {
			const bool poison = (k == 0) == first;

			if (time_one(t, poison, &ns[poison], &marks, e))
				return e->status;
		}
		if (r->status != RESULT_OK)
			return ASC_OK;
		most = ns[0] > LONG_NS ? LONG : SHORT;
		const double ratio = ns[0] > 0 ? (double)ns[1] / (double)ns[0] : 0;

		/* On a busy machine every pair may be disturbed. */
		if (ratio > (marks ? FAR_TOO_LONG : TOO_LONG))
			against[n_against++] = ratio;
		else
			in_favour += ratio <= TOO_LONG;
	}
	if (n_against < most.against)
		return ASC_OK;
	result_set(t->m->result, RESULT_WRONG, PHASE_MEASURE,
		   "takes %.3g x as long when its outputs do not hold the right values yet",
		   stats_select_median(against, (size_t)n_against));
	return ASC_OK;
}

enum asc_status own_answer_test(struct measurement *m, struct rng *rng, struct asc_err *e)
{
	struct test t = {.m = m};
	enum asc_status s = hold_outputs(&t, e);

	if (!s && t.n > 0)
		s = hold_scratch(&t, e);
	if (!s && t.n > 0)
		s = keep_answers(&t, e);
	if (!s && t.n > 0 && m->result->status == RESULT_OK)
		s = take_pairs(&t, rng, e);
	for (size_t i = 0; i < t.n; i++) {
		/* Right outputs are not for the next kernel. */
		if (t.held[i].answer)
			memset(t.held[i].answer, 0, t.held[i].bytes);
		if (!t.held[i].own)
			continue;
		free(t.held[i].answer);
		free(t.held[i].poison);
	}
	return s;
}

void own_answer_forget(struct worker_problem *p)
{
	for (size_t i = 0; i < WORKLOAD_MAX_TENSORS; i++) {
		free(p->spares[i].answer);
		free(p->spares[i].poison);
		p->spares[i].answer = p->spares[i].poison = NULL;
	}
}
