#include "tuner/worker/repeats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/measurement.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/worker/worker_sets.h"

enum {
	BURST = 8,           /* launches in a row that begin alike: with a flush, or without */
	LEAST_BUSY = 4,      /* of the time by the clock at least one part of so many counts */
	MOST_READ = 64 << 20 /* bytes of outputs that are read back from a device's own memory */
};

/* Part of the time that bursts with flushes have: on a CPU a flush takes longer than many a kernel
 * (0.1 ms), so that with one before every second launch there were a third as many. */
static const double FLUSHED_PART = 0.125;

/* Launches that take longer are looked at one by one: time may be up behind each. */
static const int64_t LONG_NS = INT64_C(1000000);

/* ---- digests ---- */

static bool is_compared(const struct worker_problem *p, size_t i)
{
	return p->reference.has[i] && p->workload->tensors[i].verify.kind != VERIFY_DISTRIBUTION;
}

bool repeats_can(const struct worker_problem *p)
{
	for (size_t i = 0; p->ops->digest && i < p->workload->n_tensors; i++)
		if (is_compared(p, i))
			return true;
	return false;
}

/* Lists the memories of the outputs that are compared, each once; returns their number. One that
 * holds a sample of a distribution, too, is left out. */
static size_t list_outputs(const struct worker_problem *p,
			   struct device_buffer *out[WORKLOAD_MAX_TENSORS])
{
	bool skipped[WORKLOAD_MAX_TENSORS] = {false};
	size_t n = 0;

	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (p->reference.has[i] && !is_compared(p, i))
			skipped[p->binding.tensors[i].owner] = true;
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const size_t owner = p->binding.tensors[i].owner;

		if (is_compared(p, i) && !skipped[owner])
			out[n++] = p->buffers[i];
		skipped[owner] |= is_compared(p, i);
	}
	return n;
}

static enum asc_status digest(const struct worker_problem *p, uint64_t *out, struct asc_err *e)
{
	struct device_buffer *outputs[WORKLOAD_MAX_TENSORS];
	uint64_t digests[WORKLOAD_MAX_TENSORS];
	const size_t n = list_outputs(p, outputs);

	if (n > 0 && p->ops->digest(p->device, outputs, n, digests, e))
		return e->status;
	*out = hash_bytes(digests, n * sizeof *digests);
	return ASC_OK;
}

enum asc_status repeats_note(struct measurement *m, struct repeats *r, struct asc_err *e)
{
	const struct worker_problem *p = m->config->problem;
	const int64_t start = clock_now_ns();

	if (!repeats_can(p))
		return ASC_OK;
	if (launch_collect(m, e) || digest(p, &r->digests[p->set], e))
		return e->status;
	r->known[p->set] = true;
	r->digest_ns = clock_now_ns() - start;
	return ASC_OK;
}

enum asc_status repeats_find_bits(struct measurement *m, const struct repeats *r, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	struct result_bits *bits = &m->result->bits;
	const struct device_info *info = p->ops->info(p->device);
	char text[HASH_TEXT_SIZE];
	struct hash h;
	int64_t bytes = 0;
	bool all = true; /* the device's digest is one of all that is compared */
	enum asc_status s = ASC_OK;

	if (!r->known[0] || p->set != 0)
		return ASC_OK;
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		bytes += is_compared(p, i) ? p->binding.tensors[i].bytes : 0;
	if (!info->shares_host && bytes > MOST_READ) {
		(void)snprintf(bits->digest, sizeof bits->digest, "%s:%016" PRIx64, p->ops->name,
			       r->digests[0]);
		return ASC_OK;
	}
	/* The device's digest leaves out memories that hold a sample of a distribution, too. */
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		all &= !p->reference.has[i] || is_compared(p, i);
	if (all && *p->bits.text && p->bits.digest == r->digests[0]) {
		memcpy(bits->digest, p->bits.text, sizeof p->bits.text);
		return ASC_OK;
	}
	hash_init(&h);
	for (size_t i = 0; !s && i < p->workload->n_tensors; i++) {
		const size_t n = (size_t)p->binding.tensors[i].bytes;

		if (!is_compared(p, i))
			continue;
		s = worker_problem_read(p, i, e);
		hash_add(&h, p->staging, s ? 0 : n);
		memset(p->staging, 0, n); /* right outputs are not for the next kernel */
	}
	struct asc_err unused;
	const enum asc_status ended = hash_end(&h, text, s ? &unused : e);

	if (!s && !ended) {
		(void)snprintf(bits->digest, sizeof bits->digest, "%s", text);
		p->bits.digest = r->digests[0];
		memcpy(p->bits.text, text, sizeof p->bits.text);
	}
	return s ? s : ended;
}

/* ---- comparing ---- */

/* Makes what was found in one of the launches the result. */
static void set_wrong(struct result *r, const char *when, const char *reason)
{
	r->bits.wrong = true;
	result_set(r, RESULT_WRONG, PHASE_MEASURE, "in 1 of %lld launches%s: %s",
		   (long long)r->bits.compared, when, reason);
}

/* Compares outputs of other bits with the reference; `when` says more of the launch. */
static enum asc_status check_whole(struct measurement *m, const char *when, struct asc_err *e)
{
	struct result *r = m->result;
	const struct error_norms errors = r->errors;
	const enum phase phase = r->phase;

	r->phase = PHASE_VERIFY;
	if (launch_verify_last(m, e))
		return e->status;
	/* A stray write, or a device that is lost, is no matter of one launch. */
	if (m->config->harmful || m->config->problem->ops->lost(m->config->problem->device))
		return ASC_OK;
	if (r->status != RESULT_OK) {
		set_wrong(r, when, result_reason(r));
		return ASC_OK;
	}
	r->bits.varied++;
	/* Which of the two has the larger error is chance. */
	r->bits.varied_abs = fmax(r->bits.varied_abs, fmax(errors.max_abs, r->errors.max_abs));
	r->errors = errors;
	r->phase = phase;
	if (m->config->problem->workload->deterministic)
		set_wrong(r, when, "bits vary, and the workload is deterministic");
	return ASC_OK;
}

/* Compares what the last launch has left on a set that is known; `when` says more of it. */
static enum asc_status check(struct measurement *m, const struct repeats *r, const char *when,
			     struct asc_err *e)
{
	const struct worker_problem *p = m->config->problem;
	uint64_t now = 0;

	if (launch_collect(m, e))
		return e->status;
	if (m->result->status != RESULT_OK)
		return ASC_OK;
	if (digest(p, &now, e))
		return launch_refuse(m, e);
	m->result->bits.compared++;
	return now == r->digests[p->set] ? ASC_OK : check_whole(m, when, e);
}

enum asc_status repeats_check(struct measurement *m, const struct repeats *r, struct asc_err *e)
{
	return r->known[m->config->problem->set] ? check(m, r, "", e) : ASC_OK;
}

/* ---- launches in a row ---- */

/* State that a launch finds, of which nothing is known in advance: poison and a flush of the
 * caches, or one of these. */
enum found {
	FOUND_POISON, /* in all outputs */
	FOUND_LAUNCH, /* the answer of another launch, which found poison and ended right before */
	FOUND_LINES,  /* poison in lines of the outputs, in others the answer of the launch before
		       */
	FOUND_OTHER,  /* other inputs than the launch before, and its answer in the outputs */
	FOUND_BACK    /* the first set's inputs again, and the answer to the others */
};

/* Finds a set with which the first one can change places between two launches; 0: none. */
static size_t find_other(const struct worker_problem *p, const struct repeats *r)
{
	for (size_t set = 1; worker_sets_keeps(p) && set < p->n_sets; set++)
		if (r->known[set])
			return set;
	return 0;
}

/* Chooses what launch number `made` finds; `other`: another set may be there. Errors that other
 * inputs bring about, or outputs in parts, are no matter of chance, and these launches cost as much
 * as copying tensors: some are among the first, fewer and fewer among the others. */
static enum found choose(int64_t made, bool other, bool inout)
{
	enum { FIRST = POLICY_RACES_LEAST, LINES = 3 };
	const int64_t behind = made - LINES;

	if (other && made >= BURST && (made & (made - 1)) == 0)
		return FOUND_OTHER;
	if (other && made > BURST && ((made - 1) & (made - 2)) == 0)
		return FOUND_BACK;
	if (behind >= 0 &&
	    (made < FIRST ? behind % (2 * (int64_t)BURST) == 0 : (behind & (behind - 1)) == 0))
		return FOUND_LINES;
	/* The last of a burst, so that two are made for one that is compared an eighth as often. */
	return made % BURST == BURST - 1 && !inout ? FOUND_LAUNCH : FOUND_POISON;
}

/* Times that the launches of one configuration have taken. */
struct taken {
	int64_t begun_ns, begun_busy_ns;
	int64_t wall_ns, free_ns; /* free_ns: as in struct repeats_limits */
	int64_t flushed_ns;       /* of bursts with flushes */
	bool flushes;             /* the burst that goes on is one */
};

static int64_t busy_ns(const struct worker_problem *p)
{
	struct device_use now = {0};

	if (p->ops->use)
		p->ops->use(p->device, &now);
	return now.busy_ns;
}

static void look_at_time(struct taken *t, const struct worker_problem *p)
{
	const int64_t before_ns = t->wall_ns;

	t->wall_ns = t->free_ns = clock_now_ns() - t->begun_ns;
	t->flushed_ns += t->flushes ? t->wall_ns - before_ns : 0;
	if (!p->ops->use)
		return;
	/* Threads that wait for each other are busy all together no longer than the clock says. */
	const int64_t busy = busy_ns(p) - t->begun_busy_ns, least = t->wall_ns / LEAST_BUSY;

	t->free_ns = busy > least ? busy : least;
	t->free_ns = t->free_ns < t->wall_ns ? t->free_ns : t->wall_ns;
}

static bool is_enough(const struct repeats_limits *l, const struct taken *t, int64_t made,
		      int64_t compared)
{
	return made >= l->least && (t->wall_ns >= l->part_ns || compared >= l->plenty) &&
	       (t->free_ns >= l->free_ns || compared >= l->enough);
}

/* Makes launch number `made` on what it is to find, and compares; the digest waits for it. */
static enum asc_status launch_found(struct measurement *m, const struct repeats *r,
				    enum found found, int64_t made, bool flushed, struct rng *rng,
				    struct asc_err *e)
{
	static const char *const when[] = {
		[FOUND_POISON] = "",
		[FOUND_LAUNCH] = ", one right behind another",
		[FOUND_LINES] = ", one that found a part of the answer",
		[FOUND_OTHER] = ", one on inputs that had just changed",
		[FOUND_BACK] = ", one on inputs that had just changed",
	};
	enum asc_status s = ASC_OK;

	if (found == FOUND_LINES)
		s = worker_config_poison_lines(m->config, rng, e);
	else if (found >= FOUND_OTHER)
		s = launch_put_set(m, found == FOUND_OTHER ? find_other(m->config->problem, r) : 0,
				   e);
	else
		s = made % BURST == 0 ? worker_config_poison(m->config, e)
				      : worker_problem_poison(m->config->problem, e);
	if (!s)
		s = launch_queue(m, flushed, found == FOUND_LAUNCH ? 2 : 1, e);
	return s || m->result->status != RESULT_OK ? s : check(m, r, when[found], e);
}

/* ---- a part that changes ---- */

enum {
	HEAD = 4096, /* bytes: written in less than a microsecond */
	TRIES = 3    /* another process may come between two launches */
};

/* Heads of inputs, of the first set and of another one. */
struct heads {
	size_t other;
	size_t bytes[WORKLOAD_MAX_TENSORS];
	unsigned char data[2][WORKLOAD_MAX_TENSORS][HEAD];
};

/* Reads the heads of inputs that are data: a mixture of lengths or indices may be out of range. */
static enum asc_status read_heads(const struct worker_problem *p, struct heads *h,
				  struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct bound_tensor *t = &p->binding.tensors[i];

		if (!p->kept[0]->inputs[i] || !dtype_is_float(t->dtype))
			continue;
		h->bytes[i] = t->bytes < HEAD ? (size_t)t->bytes : HEAD;
		for (int k = 0; k < 2; k++)
			if (p->ops->read(p->device, p->kept[k ? h->other : 0]->inputs[i],
					 h->data[k][i], h->bytes[i], e))
				return e->status;
	}
	return ASC_OK;
}

static enum asc_status write_heads(const struct worker_problem *p, const struct heads *h, int which,
				   struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (h->bytes[i] > 0 &&
		    p->ops->write(p->device, p->buffers[i], h->data[which][i], h->bytes[i], e))
			return e->status;
	return ASC_OK;
}

/* Takes inputs whose heads change out of the search for stray writes, or back: a digest of them
 * would take longer than a moment. */
static enum asc_status protect_heads(const struct worker_problem *p, const struct heads *h, bool on,
				     struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++)
		if (h->bytes[i] > 0 && p->ops->protect(p->device, p->buffers[i], on, e))
			return e->status;
	return ASC_OK;
}

static enum asc_status launch_digest(struct measurement *m, uint64_t *out, struct asc_err *e)
{
	if (launch_queue(m, false, 1, e) || launch_collect(m, e))
		return e->status;
	if (m->result->status != RESULT_OK)
		return ASC_OK;
	return digest(m->config->problem, out, e) ? launch_refuse(m, e) : ASC_OK;
}

/* Launches on the first set with its heads, or (`which` is 1) with the other one's, behind other
 * inputs, and no sooner than these can be put: what lasts longer than that shows where whole sets
 * change places. */
static enum asc_status launch_mixed(struct measurement *m, const struct heads *h, int which,
				    uint64_t *out, struct asc_err *e)
{
	if (launch_put_set(m, h->other, e) || launch_put_set(m, 0, e) ||
	    write_heads(m->config->problem, h, which, e) || worker_config_poison(m->config, e))
		return e->status;
	return launch_digest(m, out, e);
}

/* Launches on the first set until one takes no longer than samples have, and at once with the other
 * one's heads. */
static enum asc_status launch_at_once(struct measurement *m, const struct heads *h, uint64_t *out,
				      struct asc_err *e)
{
	enum { MOST = 64 };
	static const int64_t MOST_NS = 10000000, BESIDE_NS = 5000; /* of a launch on the host */
	const struct worker_problem *p = m->config->problem;
	const double fast_ns = 2 * m->result->time.median + (double)BESIDE_NS;

	/* Answers kept of the launch before are forgotten by then. */
	if (launch_put_set(m, h->other, e) || launch_put_set(m, 0, e) ||
	    worker_config_poison(m->config, e))
		return e->status;
	const int64_t start = clock_now_ns();
	int64_t before = start, now = start;

	for (int k = 0;
	     k < 2 || (k < MOST && now - start < MOST_NS && (double)(now - before) > fast_ns);
	     k++) {
		before = clock_now_ns();
		if (launch_queue(m, false, 1, e))
			return e->status;
		if (m->result->status != RESULT_OK)
			return ASC_OK;
		now = clock_now_ns();
	}
	return write_heads(p, h, 1, e) ? e->status : launch_digest(m, out, e);
}

/* Finds whether a launch gives the answer to inputs of which a part has changed since the launch a
 * moment before. Whole sets take longer to change places than launches on warm caches to follow
 * each other: what is kept for a moment would pass there. Inputs that change by their heads alone
 * have an answer of their own, the same in each launch, and the first set's is none to them,
 * whatever order sums are in. */
static enum asc_status check_moment(struct measurement *m, const struct repeats *r,
				    struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	struct heads *h = calloc(1, sizeof *h);
	uint64_t mixed = 0, at_once = 0, again = 0;
	enum asc_status s = ASC_OK;

	if (!h)
		return asc_err_nomem(e);
	h->other = find_other(p, r);
	s = read_heads(p, h, e);
	if (!s)
		s = protect_heads(p, h, false, e);
	if (!s)
		s = launch_mixed(m, h, 1, &mixed, e);
	const bool differs = mixed != r->digests[0];

	for (int k = 0; k < TRIES && !s && differs && at_once != r->digests[0] &&
			m->result->status == RESULT_OK && (k == 0 || !measurement_is_over(m));
	     k++)
		s = launch_at_once(m, h, &at_once, e);
	bool stale = differs && at_once == r->digests[0];

	/* Sums in any order may have these bits by chance, of few that they can have: those of both
	 * inputs have to be the same in launches of each, by turns. */
	for (int k = 0; k < 2 * TRIES && !s && stale && m->result->status == RESULT_OK; k++) {
		s = launch_mixed(m, h, k % 2, &again, e);
		stale = again == (k % 2 ? mixed : r->digests[0]);
	}
	if (!s && stale && m->result->status == RESULT_OK) {
		m->result->bits.compared++;
		set_wrong(m->result, ", one on inputs of which a part had just changed",
			  "gives the answer to those before");
	}
	if (!s && !p->ops->lost(p->device))
		s = write_heads(p, h, 0, e);
	if (!s && !p->ops->lost(p->device))
		s = protect_heads(p, h, true, e);
	free(h);
	return s;
}

enum asc_status repeats_run(struct measurement *m, const struct repeats *r,
			    const struct repeats_limits *limits, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	struct taken t = {.begun_ns = clock_now_ns(), .begun_busy_ns = busy_ns(p)};
	const bool other = find_other(p, r) > 0;
	const bool inout = worker_problem_has_inout(p); /* in a row, none is restored */
	struct rng rng;

	if (!r->known[p->set])
		return ASC_OK;
	/* Drawn by what no kernel knows. */
	rng_init(&rng, m->race->unseen);
	/* Announces the launches, since others had theirs before. */
	if (measurement_enter(m, PHASE_MEASURE, e) || (other && !inout && check_moment(m, r, e)))
		return e->status;
	if (m->result->status != RESULT_OK)
		return ASC_OK;
	for (int64_t made = 0; made < limits->most && !measurement_is_over(m); made++) {
		const bool begins = made % BURST == 0;

		if (begins || made < BURST || t.wall_ns > LONG_NS * made) {
			look_at_time(&t, p);
			if (is_enough(limits, &t, made, m->result->bits.compared))
				break;
		}
		if (begins)
			t.flushes = (double)t.flushed_ns <= FLUSHED_PART * (double)t.wall_ns;
		const enum found found = choose(made, other, inout);

		/* At once, where inputs change: a kernel may forget what is older than a moment. */
		if (launch_found(m, r, found, made, t.flushes && found < FOUND_OTHER, &rng, e))
			return e->status;
		if (m->result->status != RESULT_OK)
			break;
	}
	if (!p->ops->lost(p->device) && launch_await(m, e))
		return e->status;
	/* It may have ended between two launches that belong together. */
	return m->config->harmful || p->ops->lost(p->device) ? ASC_OK : launch_put_set(m, 0, e);
}
