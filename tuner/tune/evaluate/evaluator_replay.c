/* The evaluator that gives recorded results in the order of their submission, in recorded time: no
 * device, no build. Each evaluation begins when the one before it has ended, or when it was
 * submitted, by a clock that several such evaluators may share. */
#include <math.h>
#include <stdlib.h>

#include "reports/exchange/formats/recorded.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/trial.h"

struct place {
	struct trial *trial;
	double begin_ns, end_ns;
};

struct evaluator {
	const struct recorded *const *recorded; /* of each search */
	double own_ns;                          /* time of all evaluations so far */
	double *now_ns;                         /* own_ns, or the clock of several */
	struct place *queue;                    /* a ring of `room` places; the oldest at `first` */
	size_t room, first, n;
};

static struct place *place(const struct evaluator *v, size_t i)
{
	return &v->queue[(v->first + i) % v->room];
}

static void replay_end(struct evaluator *v)
{
	v->n = 0;
}

static void replay_close(struct evaluator *v)
{
	if (v)
		free(v->queue);
	free(v);
}

static enum asc_status replay_open(const struct evaluator_target *t, struct evaluator **out,
				   struct asc_err *e)
{
	struct evaluator *v = calloc(1, sizeof *v);

	*out = NULL;
	if (!v)
		return asc_err_nomem(e);
	v->recorded = t->recorded;
	v->room = t->ahead;
	v->now_ns = t->recorded_ns ? t->recorded_ns : &v->own_ns;
	v->queue = calloc(v->room, sizeof *v->queue);
	if (!v->queue) {
		replay_close(v);
		return asc_err_nomem(e);
	}
	*out = v;
	return ASC_OK;
}

/* Begins at time 0, of a clock of its own. */
static enum asc_status replay_begin(struct evaluator *v, const struct evaluator_problem *p,
				    struct asc_err *e)
{
	(void)p, (void)e;
	v->own_ns = 0;
	return ASC_OK;
}

static size_t replay_capacity(const struct evaluator *v, bool all)
{
	(void)all;
	return v->room;
}

static int64_t replay_now_ns(const struct evaluator *v)
{
	return llround(*v->now_ns);
}

static enum asc_status replay_submit(struct evaluator *v, struct trial *const *list, size_t n,
				     struct asc_err *e)
{
	if (n > v->room - v->n)
		return asc_err_set(e, ASC_LIMIT, "more than %zu trials on recorded results",
				   v->room);
	for (size_t i = 0; i < n; i++) {
		struct trial *t = list[i];
		const double free_ns = v->n > 0 ? place(v, v->n - 1)->end_ns : 0;
		struct place *new = place(v, v->n++);

		new->trial = t;
		t->state = TRIAL_SENT;
		new->begin_ns = fmax(free_ns, *v->now_ns);
		new->end_ns = new->begin_ns + v->recorded[t->search]->spent_ns[t->index];
	}
	return ASC_OK;
}

/* Cancels the one that was submitted last, where it has not begun; what has is evaluated. */
static bool replay_cancel(struct evaluator *v, struct trial *t)
{
	if (v->n < 2 || place(v, v->n - 1)->trial != t ||
	    place(v, v->n - 1)->begin_ns <= *v->now_ns)
		return false;
	v->n--;
	return true;
}

/* Sets what is recorded of the configuration; a time is a result's only sample. */
static enum asc_status set_result(const struct recorded *r, uint64_t index, struct result *out,
				  struct asc_err *e)
{
	result_init(out);
	out->status = r->status[index];
	out->phase = PHASE_MEASURE;
	out->spent_ns[PHASE_MEASURE] = llround(r->spent_ns[index]);
	if (out->status != RESULT_OK)
		return ASC_OK;
	out->samples = malloc(sizeof *out->samples);
	if (!out->samples)
		return asc_err_nomem(e);
	out->samples[out->n_samples++] = llround(r->time_ns[index]);
	if (result_summarize(out, e))
		return e->status;
	out->time.median = r->time_ns[index];
	return ASC_OK;
}

/* Time passes while it is polled. */
static int64_t replay_next_ns(const struct evaluator *v, struct evaluator_fds *fds)
{
	(void)fds;
	return v->n > 0 ? (int64_t)ceil(place(v, 0)->end_ns) : INT64_MAX;
}

static enum asc_status replay_poll(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				   struct asc_err *e)
{
	*out = NULL;
	if (v->n == 0 || place(v, 0)->end_ns > *v->now_ns + (double)timeout_ns)
		return ASC_OK;
	struct trial *t = place(v, 0)->trial;

	*v->now_ns = fmax(*v->now_ns, place(v, 0)->end_ns);
	v->first = (v->first + 1) % v->room;
	v->n--;
	*out = t;
	return set_result(v->recorded[t->search], t->index, &t->result, e);
}

static enum asc_status replay_incumbent(struct evaluator *v, const struct result *r,
					struct asc_err *e)
{
	(void)v, (void)r, (void)e;
	return ASC_OK;
}

const struct evaluator_ops evaluator_replay = {
	.name = "replay",
	.summary = "gives recorded results, in recorded time (asctune replay)",
	.open = replay_open,
	.begin = replay_begin,
	.end = replay_end,
	.close = replay_close,
	.capacity = replay_capacity,
	.now_ns = replay_now_ns,
	.submit = replay_submit,
	.cancel = replay_cancel,
	.next_ns = replay_next_ns,
	.poll = replay_poll,
	.incumbent = replay_incumbent,
};
