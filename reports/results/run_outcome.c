#include "reports/results/run_outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"

struct outcome_failure {
	const struct run_outcome *of;
	int64_t config_hash;
	const char *config_key;
};

void outcome_storage_fini(struct outcome_storage *s)
{
	arena_fini(&s->arena);
	intern_fini(&s->failed);
	free(s->failures);
}

void run_outcome_init(struct run_outcome *o)
{
	*o = (struct run_outcome){.ns = NAN, .clock_mhz = NAN};
}

enum asc_status run_outcome_add_final(struct run_outcome *o, const struct outcome_final *f,
				      struct outcome_storage *s, struct asc_err *e)
{
	struct outcome_final *copy = arena_alloc(&s->arena, sizeof *copy);

	if (!copy)
		return asc_err_nomem(e);
	*copy = *f;
	copy->config_key = arena_copy(&s->arena, f->config_key);
	copy->next = o->finals;
	o->finals = copy;
	return copy->config_key ? ASC_OK : asc_err_nomem(e);
}

/* ---- failures within the run ---- */

/* True for a status that ends what the configuration had shown before in the same run. What cannot
 * run here, or was only planned, neither passed nor failed. */
static bool fails(enum result_status s)
{
	switch (s) {
	case RESULT_BUILD_FAILED:
	case RESULT_LOAD_FAILED:
	case RESULT_LAUNCH_FAILED:
	case RESULT_CRASHED:
	case RESULT_TIMEOUT:
	case RESULT_WRONG:
	case RESULT_IMPOSSIBLE: return true;
	default: return false;
	}
}

struct wanted {
	const struct outcome_storage *s;
	struct outcome_failure failure;
};

static bool is_failure(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const struct outcome_failure *f = &w->s->failures[id];

	return f->of == w->failure.of && f->config_hash == w->failure.config_hash &&
	       strcmp(f->config_key, w->failure.config_key) == 0;
}

/* A hash for the table: outcomes lie at different addresses, and configurations differ in theirs;
 * the odd constant (2^64 divided by the golden ratio) spreads addresses over all bits. */
static uint64_t hash_failure(const struct run_outcome *o, int64_t config_hash)
{
	return (uint64_t)config_hash ^ (uint64_t)(uintptr_t)o * UINT64_C(0x9E3779B97F4A7C15);
}

void run_outcome_add_count(struct run_outcome *o, enum result_status status, int64_t n)
{
	o->tried = o->counted = true;
	o->passed += result_status_timed(status) ? n : 0;
	o->failed += fails(status) ? n : 0;
}

enum asc_status run_outcome_add_trial(struct run_outcome *o, const struct outcome_trial *t,
				      struct outcome_storage *s, struct asc_err *e)
{
	const uint64_t hash = hash_failure(o, t->config_hash);
	const struct wanted w = {s, {o, t->config_hash, t->config_key}};
	const bool failed = fails(t->status), passed = result_status_timed(t->status);
	/* Only an outcome with a failure has one to look up: nearly none has. */
	const bool failed_later =
		o->failed > 0 && intern_find(&s->failed, hash, is_failure, &w) != INTERN_NONE;
	struct outcome_final *f = o->finals;

	o->tried = true;
	while (f && (f->config_hash != t->config_hash || strcmp(f->config_key, t->config_key) != 0))
		f = f->next;
	if (f && !f->tried) { /* trials come newest first, so this is the newest */
		f->tried = true;
		f->failed = failed;
	}
	if (failed_later)
		return ASC_OK;
	o->passed += passed && !o->counted;
	o->failed += failed && !o->counted;
	if (failed) {
		if (!array_room(&s->failures, s->n_failures, &s->room, sizeof *s->failures))
			return asc_err_nomem(e);
		struct outcome_failure *own = &s->failures[s->n_failures];

		*own = w.failure;
		own->config_key = arena_copy(&s->arena, t->config_key);
		if (!own->config_key || !intern_add(&s->failed, hash, (uint32_t)s->n_failures++))
			return asc_err_nomem(e);
	}
	if (t->status != RESULT_OK)
		return ASC_OK;
	if (f)
		f->trial_id = t->id; /* the last one that is added is the oldest */
	/* The oldest trial of equal times: a later one showed nothing better. */
	if (isnan(t->median_ns) || t->median_ns > o->ns)
		return ASC_OK;
	o->config_key = arena_copy(&s->arena, t->config_key);
	o->trial_id = t->id;
	o->ns = t->median_ns;
	o->clock_mhz = t->clock_mhz;
	return o->config_key ? ASC_OK : asc_err_nomem(e);
}

/* The time in the finals counts before that of a trial: it was taken beside the others, in rounds.
 * A finalist whose newest trial failed is out. The winner comes first; if that is of another
 * implementation, the fastest finalist of this one, then the lesser key, so that the order is
 * total.
 */
void run_outcome_decide(struct run_outcome *o)
{
	const struct outcome_final *best = NULL;

	for (const struct outcome_final *f = o->finals; f; f = f->next) {
		if (f->failed || isnan(f->median_ns))
			continue;
		if (!best || f->winner > best->winner ||
		    (f->winner == best->winner && (f->median_ns < best->median_ns ||
						   (f->median_ns <= best->median_ns &&
						    strcmp(f->config_key, best->config_key) < 0))))
			best = f;
	}
	if (!best)
		return;
	o->config_key = best->config_key;
	o->trial_id = best->trial_id;
	o->ns = best->median_ns;
	o->clock_mhz = best->clock_mhz;
}
