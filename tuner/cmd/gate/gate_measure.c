/* Measures what builds do not decide, and judges:
 *
 * 1. Both sides of each kernel, in the same rounds of several processes (tune/measure_again.h), on
 *    the head's inputs, verified by the head's reference.
 * 2. The head alone where there is no such ratio, or no need of one: the base does not have the
 *    kernel, fails, or computes something else, or its code is equal and verified by other rules.
 *    It is verified at least. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/result/tie.h"
#include "tuner/tune/measure_again.h"
#include "tuner/workload/workload.h"

static const char *const sides[GATE_TREES] = {"the base", "the head"};

/* Rounds of a process at most, while they take no time, where the device queues launches: cold ones
 * of a GPU's kernels that wait for memory differ by 1 to 2.5 % from round to round (the middle half
 * of them), so that the ratio of a process has an error of 0.15 % by 128 rounds, and half of that
 * by these. A processor's caches take far longer to flush. */
enum { QUEUED_ROUNDS = 512 };

static struct again_pair pair_of(const struct gate_kernel *k, bool alone)
{
	struct workload *head = k->sides[GATE_HEAD].workload;
	struct again_pair p = {.workload = head, .problem = k->problem};

	for (size_t t = 0; t < GATE_TREES; t++) {
		const struct gate_side *s = &k->sides[alone ? GATE_HEAD : t];

		p.sides[t] = (struct again_side){.what = sides[alone ? GATE_HEAD : t],
						 .workload = s->workload,
						 .implementation = k->implementation,
						 .config_key = s->config};
	}
	return p;
}

double gate_margin(const struct gate *g)
{
	return fmin(TIE_MARGIN, g->threshold);
}

static void step(void *user, const struct again_pair *p, size_t process)
{
	(void)p;
	if (process <= CONFIRMATION_SESSIONS) /* how many more there will be is not known */
		gate_progress_step(user);
}

/* Time that is left of the budget: at least 1 ns, since 0 is no limit. */
static int64_t time_left(const struct gate *g)
{
	const int64_t left_ns = g->until_ns - clock_now_ns();

	return g->until_ns == 0 ? 0 : left_ns > 0 ? left_ns : 1;
}

/* Keeps what a side gave for the database; of a head that is measured alone its second result. */
static enum asc_status keep_result(struct gate_side *s, struct again_pair *p, size_t side,
				   struct asc_err *e)
{
	if (!p->kept[side])
		return ASC_OK;
	if (s->result)
		result_fini(s->result);
	else
		s->result = malloc(sizeof *s->result);
	if (!s->result)
		return asc_err_nomem(e);
	*s->result = p->results[side];
	p->kept[side] = false;
	return ASC_OK;
}

static enum asc_status keep_results(struct gate_kernel *k, struct again_pair *p, bool alone,
				    struct asc_err *e)
{
	enum asc_status status = keep_result(&k->sides[GATE_HEAD], p, GATE_HEAD, e);

	if (status == ASC_OK && !alone)
		status = keep_result(&k->sides[GATE_BASE], p, GATE_BASE, e);
	for (size_t i = 0; i < CONFIRMATION_SIDES; i++)
		if (p->kept[i])
			result_fini(&p->results[i]);
	return status;
}

/* True for trouble that the workload makes, rather than the machine: its reference does not build
 * or crashes, its inputs cannot be made. */
static bool is_of_workload(const struct asc_err *trouble)
{
	return trouble->status == ASC_INPUT || trouble->status == ASC_CHILD;
}

/* Keeps the first reason of a side. */
static void set_reason(struct gate_side *s, const char *reason)
{
	if (!*s->reason)
		snprintf(s->reason, sizeof s->reason, "%s", reason);
}

/* True where both trees verify the kernel alike, on the same inputs. */
static bool is_of_one_problem(const struct gate_kernel *k)
{
	const struct gate_side *base = &k->sides[GATE_BASE], *head = &k->sides[GATE_HEAD];

	return strcmp(base->inputs, head->inputs) == 0 && strcmp(base->rules, head->rules) == 0;
}

/* Judges what both sides gave, `referred`: by the head's text of a reference that differs between
 * the trees. GATE_CHANGED: the head is to be verified alone. */
static enum gate_verdict judge(const struct gate *g, struct gate_kernel *k, bool referred)
{
	const struct confirmation *c = k->found;

	if (k->reached == GATE_NOT_REACHED) {
		set_reason(&k->sides[GATE_HEAD], "the budget ended before");
		return GATE_UNDECIDED;
	}
	if (k->reached == GATE_UNVERIFIED) {
		/* The base cannot be verified either, where its reference is the same. */
		set_reason(&k->sides[GATE_HEAD], c->reason);
		return is_of_one_problem(k) && !referred ? GATE_FAILING : GATE_BROKEN;
	}
	if (c->fails[GATE_HEAD]) {
		set_reason(&k->sides[GATE_HEAD], c->reason);
		/* By a reference or rules that are not its own a base that is right may fail. */
		return c->fails[GATE_BASE] && is_of_one_problem(k) ? GATE_FAILING : GATE_BROKEN;
	}
	if (c->fails[GATE_BASE] ||
	    (c->n == 0 && strcmp(k->sides[GATE_HEAD].inputs, k->sides[GATE_BASE].inputs) != 0)) {
		set_reason(&k->sides[GATE_BASE], c->reason);
		k->sides[GATE_BASE].failed = c->fails[GATE_BASE];
		return GATE_CHANGED;
	}
	if (c->n == 0) {
		set_reason(&k->sides[GATE_HEAD], c->reason);
		return GATE_UNDECIDED;
	}
	k->ratio = confirmation_find_all(c);
	switch (confirmation_judge(c, &k->ratio, gate_margin(g), CONFIRMATION_SAME_BELOW)) {
	case CONFIRMATION_SAME: return GATE_SAME;
	case CONFIRMATION_FASTER: return GATE_FASTER;
	case CONFIRMATION_SLOWER: return GATE_SLOWER;
	case CONFIRMATION_BROKEN: /* a side that is none of the above: nothing was measured */
	case CONFIRMATION_UNDECIDED: break;
	}
	return GATE_UNDECIDED;
}

static enum gate_verdict judge_alone(struct gate_kernel *k)
{
	struct confirmation *c = k->found;
	const enum gate_verdict passed = k->sides[GATE_BASE].failed   ? GATE_MENDED
					 : k->sides[GATE_BASE].config ? GATE_CHECKED
								      : GATE_NEW;

	if (k->reached && c->n > 0) {
		*c = (struct confirmation){0};
		return passed;
	}
	set_reason(&k->sides[GATE_HEAD], k->reached ? c->reason : "the budget ended before");
	return c->failed || k->reached == GATE_UNVERIFIED ? GATE_BROKEN : GATE_UNDECIDED;
}

/* Keeps what was found of a kernel, and judges it, unless a stop has left it as it was. */
static void take(const struct gate *g, struct gate_kernel *k, const struct again_pair *p,
		 bool alone)
{
	*k->found = p->found;
	k->reached = !p->reached                   ? GATE_NOT_REACHED
		     : is_of_workload(&p->trouble) ? GATE_UNVERIFIED
						   : GATE_REACHED;
	if (p->trouble.status) {
		snprintf(k->found->reason, sizeof k->found->reason, "%s", p->trouble.text);
		base_checkout_cut(g->checkout, k->found->reason);
	}
	if (k->equal)
		snprintf(k->note, sizeof k->note, "equal code");
	else if (p->other_reference)
		snprintf(k->note, sizeof k->note, "both by the reference %.100s of the head",
			 p->other_reference);
	if (!*g->stop)
		k->verdict = alone ? judge_alone(k) : judge(g, k, p->other_reference != NULL);
}

/* Finds the kernels that nothing has decided yet, the most important first: those of which both
 * sides can be measured, or those of which the head alone can. */
static size_t find_open(struct gate *g, bool alone, struct gate_kernel **out)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		struct gate_kernel *k = &g->list[i];

		if (k->verdict == GATE_CHANGED &&
		    (alone || (k->sides[GATE_BASE].config && !k->sides[GATE_BASE].failed &&
			       (!k->equal || is_of_one_problem(k)))))
			out[n++] = k;
	}
	gate_sort_by_importance(out, n);
	return n;
}

enum asc_status gate_measure_these(struct gate *g, struct gate_kernel *const *kernels, size_t n,
				   bool alone, struct asc_err *e)
{
	const struct again_options o = {.session = &g->on->session,
					.seed = 1,
					.sets = true,
					.most = CONFIRMATION_MOST,
					.once = alone,
					.margin = gate_margin(g),
					.budget_ns = time_left(g),
					.early = true,
					.equal = g->all,
					.keep = g->db != NULL,
					.unnamed = true, /* the verdict says which side it is */
					.stop = g->stop,
					.measured = step,
					.user = g};
	struct again_pair *pairs = calloc(n + 1, sizeof *pairs);
	enum asc_status status = pairs ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; status == ASC_OK && i < n; i++) {
		pairs[i] = pair_of(kernels[i], alone);
		if (!kernels[i]->found)
			kernels[i]->found = calloc(1, sizeof *kernels[i]->found);
		if (!kernels[i]->found)
			status = asc_err_nomem(e);
	}
	if (status == ASC_OK) {
		gate_progress_begin(g, "measuring", CONFIRMATION_SESSIONS * n);
		status = measure_again(&o, pairs, n, e);
		gate_progress_end(g);
	}
	for (size_t i = 0; status == ASC_OK && i < n; i++)
		take(g, kernels[i], &pairs[i], alone);
	for (size_t i = 0; pairs && i < n; i++)
		if (keep_results(kernels[i], &pairs[i], alone, e) && status == ASC_OK)
			status = e->status;
	free(pairs);
	return status;
}

enum asc_status gate_measure(struct gate *g, struct asc_err *e)
{
	struct gate_kernel **open = calloc(g->n + 1, sizeof(struct gate_kernel *));
	enum asc_status status = open ? ASC_OK : asc_err_nomem(e);

	if (g->on->target.info.queues)
		g->on->session.policy.finals.free = QUEUED_ROUNDS;
	g->until_ns = g->budget_ns > 0 ? clock_now_ns() + g->budget_ns : 0;
	for (int alone = 0; status == ASC_OK && !*g->stop && alone <= 1; alone++) {
		const size_t n = find_open(g, alone, open);

		if (n > 0)
			status = gate_measure_these(g, open, n, alone, e);
		for (size_t i = 0; status == ASC_OK && i < n; i++)
			g->measured += open[i]->reached && !alone;
	}
	free(open);
	return status;
}

bool gate_kernel_fails(const struct gate *g, const struct gate_kernel *k)
{
	return k->verdict == GATE_BROKEN ||
	       (k->verdict == GATE_SLOWER && !k->accepted && k->ratio.ratio > 1 + g->threshold);
}

/* True for one that is undecided, unless it was measured and takes no longer than is let through.
 */
static bool may_fail(const struct gate *g, const struct gate_kernel *k)
{
	return !k->found || k->found->n == 0 || k->ratio.high > 1 + g->threshold;
}

enum exit_status gate_exit_status(const struct gate *g, bool strict)
{
	enum exit_status status = g->n > 0 ? EXIT_DONE : EXIT_NOTHING;

	for (size_t i = 0; i < g->n; i++) {
		const struct gate_kernel *k = &g->list[i];

		if (gate_kernel_fails(g, k))
			return EXIT_NEGATIVE;
		if (strict && k->verdict == GATE_UNDECIDED && may_fail(g, k))
			status = EXIT_UNDECIDED;
	}
	return status;
}
