/* A verification:
 *
 * 1. Each problem that is added brings two spaces of each of its implementations: without the
 *    limits of memory, and with them (verify_space_add).
 * 2. The configurations of the first are gone through; those that are chosen are asked about, and
 *    equal questions are one variant (verify_space_ask).
 * 3. What the second space leaves out and what the planner says are put side by side, variant by
 *    variant (verify_variant_judge). */
#include "tuner/tune/verify_space.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"
#include "tuner/base/stats/rng.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"

enum { MOST_OPEN = 4096 };             /* questions that wait: the pool's lists are searched */
#define PATIENCE_NS INT64_C(100000000) /* between two looks at the stop */

static const char *const names[] = {
#define X(id, name) name,
	VERIFIED_LIST(X)
#undef X
};

struct subject { /* an implementation for a problem */
	const struct binding *binding;
	const struct implementation *implementation;
	struct space *all, *kept;
};

struct bound { /* a problem; stays where it is */
	struct bound *next;
	struct binding binding;
};

struct verify_space {
	struct bound *bound;
	struct subject *subjects;
	size_t n_subjects, subjects_room;
	uint64_t configurations; /* of all subjects */
	struct verify_variant *variants;
	size_t n_variants, variants_room;
	struct intern known; /* variants by their answers */
};

const char *verified_name(enum verified v)
{
	return names[v];
}

enum asc_status verify_space_new(struct verify_space **out, struct asc_err *e)
{
	*out = calloc(1, sizeof **out);
	return *out ? ASC_OK : asc_err_nomem(e);
}

void verify_space_free(struct verify_space *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n_subjects; i++) {
		space_free(v->subjects[i].all);
		space_free(v->subjects[i].kept);
	}
	for (struct bound *b = v->bound, *next; b; b = next) {
		next = b->next;
		binding_fini(&b->binding);
		free(b);
	}
	intern_fini(&v->known);
	free(v->variants);
	free(v->subjects);
	free(v);
}

/* ---- spaces ---- */

/* Adds the two spaces of an implementation; nothing where it does not cover the problem. */
static enum asc_status add_subject(struct verify_space *v, const struct binding *b,
				   const struct implementation *i, struct asc_err *e)
{
	char reason[512];
	bool covers;

	if (binding_covers(b, i, &covers, reason, sizeof reason, e))
		return e->status;
	if (!covers)
		return ASC_OK;
	if (!array_room(&v->subjects, v->n_subjects, &v->subjects_room, sizeof *v->subjects))
		return asc_err_nomem(e);
	struct subject *s = &v->subjects[v->n_subjects];

	*s = (struct subject){b, i, NULL, NULL};
	if (binding_space_unpruned(b, i, &s->all, e))
		return asc_err_wrap(e, "problem %s: implementation %s", b->problem->name, i->name);
	v->n_subjects++; /* its spaces are freed from here on */
	if (binding_space(b, i, &s->kept, e))
		return asc_err_wrap(e, "problem %s: implementation %s", b->problem->name, i->name);
	v->configurations += space_count(s->all);
	return ASC_OK;
}

enum asc_status verify_space_add(struct verify_space *v, const struct workload *w,
				 const struct problem *p, const struct planned_target *t,
				 const char *implementation, struct asc_err *e)
{
	struct bound *bound = calloc(1, sizeof *bound);

	if (!bound)
		return asc_err_nomem(e);
	struct binding *b = &bound->binding;
	enum asc_status s = planned_bind(t, w, p, b, e);

	bound->next = v->bound;
	v->bound = bound;
	for (size_t i = 0; i < w->n_implementations && s == ASC_OK; i++) {
		const struct implementation *im = &w->implementations[i];

		if (planned_any(im) && (!implementation || strcmp(implementation, im->name) == 0))
			s = add_subject(v, b, im, e);
	}
	return s;
}

uint64_t verify_space_configurations(const struct verify_space *v)
{
	return v->configurations;
}

/* ---- variants ---- */

/* An intern's test: the answers of a variant, and what the limits say, are those of `user`. */
static bool is_same(const void *user, uint32_t id)
{
	const struct {
		const struct verify_space *v;
		const struct verify_variant *wanted;
	} *with = user;
	const struct verify_variant *have = &with->v->variants[id];

	return have->kept == with->wanted->kept &&
	       memcmp(have->answers, with->wanted->answers, sizeof have->answers) == 0;
}

/* Counts a configuration to its variant, a new one where there is none. */
static enum asc_status count(struct verify_space *v, const struct verify_variant *one,
			     struct asc_err *e)
{
	const struct {
		const struct verify_space *v;
		const struct verify_variant *wanted;
	} with = {v, one};
	/* Equal questions have one answer, at one place. */
	const uint64_t hash = hash_bytes(one->answers, sizeof one->answers) + one->kept;
	const uint32_t known = intern_find(&v->known, hash, is_same, &with);

	if (known != INTERN_NONE) {
		v->variants[known].configurations++;
		return ASC_OK;
	}
	if (!array_room(&v->variants, v->n_variants, &v->variants_room, sizeof *v->variants) ||
	    !intern_add(&v->known, hash, (uint32_t)v->n_variants))
		return asc_err_nomem(e);
	v->variants[v->n_variants++] = *one;
	return ASC_OK;
}

/* Asks about one configuration: a question for each of its kernels. */
static enum asc_status ask(struct verify_space *v, struct verdicts *desk, const struct subject *s,
			   uint64_t index, struct asc_err *e)
{
	struct verify_variant one = {.binding = s->binding,
				     .implementation = s->implementation,
				     .space = s->all,
				     .kept_space = s->kept,
				     .index = index,
				     .configurations = 1};
	struct callable storage;
	struct config c;
	uint64_t at;

	space_get(s->all, index, &c);
	one.kept = space_find(s->kept, &c, &at);
	for (size_t k = 0; k < s->implementation->n_calls; k++)
		if (planned_call(&s->implementation->calls[k], &storage) &&
		    verdicts_ask(desk,
				 &(struct verdict_question){s->binding, s->implementation, k, &c,
							    space_names(s->all)},
				 &one.answers[k], e))
			return e->status;
	return count(v, &one, e);
}

/* ---- what is asked ---- */

/* True where the next value of one parameter that makes a configuration leads to the other side of
 * the limits. Values between, which make none, are passed over. */
static bool is_at_edge(const struct subject *s, uint64_t index)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];
	uint64_t at;

	space_get_picks(s->all, index, picks);
	const bool kept = space_find_picks(s->kept, picks, &at);

	for (size_t k = 0; k < space_params(s->all); k++) {
		const uint16_t own = picks[k];
		const size_t n = space_param(s->all, k)->n;

		for (int step = -1; step <= 1; step += 2) {
			size_t next = own + (size_t)step; /* -1 wraps to more than n */

			while (next < n &&
			       (picks[k] = (uint16_t)next, !space_find_picks(s->all, picks, &at)))
				next += (size_t)step;
			if (next < n && space_find_picks(s->kept, picks, &at) != kept)
				return true;
		}
		picks[k] = own;
	}
	return false;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Draws numbers of configurations, counted over all subjects, in ascending order; a number that is
 * drawn twice counts once. NULL: out of memory. */
static uint64_t *draw(const struct verify_space *v, const struct verify_choice *c)
{
	uint64_t *list = calloc(c->sample + 1, sizeof *list);
	struct rng r;

	rng_init(&r, c->seed);
	for (uint64_t i = 0; i < c->sample && list; i++)
		list[i] = rng_below(&r, v->configurations);
	if (list) {
		qsort(list, c->sample, sizeof *list, compare_numbers);
		list[c->sample] = UINT64_MAX;
	}
	return list;
}

/* Waits until at most `most` questions are open, and shows how far it is. */
static enum asc_status await(const struct verify_space *v, struct verdicts *desk, size_t most,
			     const struct verify_choice *c, struct asc_err *e)
{
	do {
		if (c->stop && *c->stop)
			return asc_err_set(e, ASC_INTERRUPTED, "stopped");
		if (c->progress)
			c->progress(c->user, verdicts_asked(desk) - verdicts_open_questions(desk),
				    v->n_variants);
		if (verdicts_await(desk, most, PATIENCE_NS, e))
			return e->status;
	} while (verdicts_open_questions(desk) > most);
	return ASC_OK;
}

enum asc_status verify_space_ask(struct verify_space *v, struct verdicts *desk,
				 const struct verify_choice *c, struct asc_err *e)
{
	const bool all = c->sample == 0 || c->sample >= v->configurations;
	uint64_t *drawn = all ? NULL : draw(v, c);
	uint64_t number = 0, *next = drawn;
	enum asc_status s = all || drawn ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; i < v->n_subjects && s == ASC_OK; i++) {
		const struct subject *of = &v->subjects[i];

		for (uint64_t k = 0; k < space_count(of->all) && s == ASC_OK; k++, number++) {
			const bool is_drawn = all || *next == number;

			while (drawn && *next == number)
				next++;
			if (is_drawn || is_at_edge(of, k))
				s = ask(v, desk, of, k, e);
			if (s == ASC_OK)
				s = await(v, desk, MOST_OPEN, c, e);
		}
	}
	if (s == ASC_OK)
		s = await(v, desk, 0, c, e);
	free(drawn);
	return s;
}

/* ---- answers ---- */

size_t verify_space_variants(const struct verify_space *v)
{
	return v->n_variants;
}

const struct verify_variant *verify_space_get(const struct verify_space *v, size_t i)
{
	return &v->variants[i];
}

const struct verdict *verify_variant_answer(const struct verify_variant *v, size_t *call)
{
	const struct verdict *first = NULL;

	*call = 0;
	for (size_t k = 0; k < v->implementation->n_calls; k++) {
		const struct verdict *a = v->answers[k];

		if (a && (!first || (first->kind == VERDICT_FITS && a->kind != VERDICT_FITS))) {
			first = a;
			*call = k;
		}
	}
	return first;
}

enum verified verify_variant_judge(const struct verify_variant *v)
{
	size_t call;

	switch (verify_variant_answer(v, &call)->kind) {
	case VERDICT_FITS: return v->kept ? VERIFIED_ACCEPTED : VERIFIED_LOST;
	case VERDICT_REFUSED: return v->kept ? VERIFIED_REFUSED : VERIFIED_FORESEEN;
	case VERDICT_UNSUPPORTED: return VERIFIED_UNSUPPORTED;
	case VERDICT_FAILED: return VERIFIED_FAILED;
	default: return VERIFIED_UNANSWERED;
	}
}

enum asc_status verify_variant_print_limits(const struct verify_variant *v, struct buf *out,
					    struct asc_err *e)
{
	struct config c;

	space_get(v->space, v->index, &c);
	return space_print_violations(v->kept_space, &c, out, e);
}
