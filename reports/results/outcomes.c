#include "reports/results/outcomes.h"

#include <stdlib.h>

#include "reports/results/snapshot.h"
#include "tuner/base/array.h"

struct found { /* of an implementation in one run */
	const struct implementation_row *of;
	struct run_outcome outcome;
};

struct finding {             /* of one run */
	struct found **list; /* each on the heap: failures refer to outcomes by their address */
	size_t n, room;
	const struct trial_row **trials;
	size_t n_trials, trials_room;
};

static struct run_outcome *get_outcome(struct finding *f, const struct implementation_row *of)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->list[i]->of == of)
			return &f->list[i]->outcome;
	struct found *added = array_room(&f->list, f->n, &f->room, sizeof(struct found *))
				      ? malloc(sizeof *added)
				      : NULL;

	if (!added)
		return NULL;
	added->of = of;
	run_outcome_init(&added->outcome);
	f->list[f->n++] = added;
	return &added->outcome;
}

static int compare_newest(const void *x, const void *y)
{
	const struct trial_row *a = *(const struct trial_row *const *)x,
			       *b = *(const struct trial_row *const *)y;

	return (a->id < b->id) - (a->id > b->id);
}

/* Adds the rows of a run as run_outcome.h asks for them: finalists, counts, then trials, the newest
 * first. */
static enum asc_status add_run(struct finding *f, const struct run_row *r,
			       struct outcome_storage *s, struct asc_err *e)
{
	f->n_trials = 0;
	for (const struct final_row *x = r->finals; x; x = x->next) {
		struct run_outcome *o = get_outcome(f, x->config->of);
		const struct outcome_final row = {.config_hash = x->config->hash,
						  .config_key = x->config->key,
						  .winner = x->winner,
						  .median_ns = x->median_ns,
						  .clock_mhz = x->clock_mhz};

		if (!o)
			return asc_err_nomem(e);
		if (run_outcome_add_final(o, &row, s, e))
			return e->status;
	}
	for (const struct tried_row *x = r->tried; x; x = x->next) {
		struct run_outcome *o = get_outcome(f, x->of);

		if (!o)
			return asc_err_nomem(e);
		run_outcome_add_count(o, x->status, x->n);
	}
	for (const struct trial_row *t = r->trials; t; t = t->next) {
		if (!array_room(&f->trials, f->n_trials, &f->trials_room,
				sizeof(struct trial_row *)))
			return asc_err_nomem(e);
		f->trials[f->n_trials++] = t;
	}
	if (f->n_trials > 1)
		qsort(f->trials, f->n_trials, sizeof(struct trial_row *), compare_newest);
	for (size_t i = 0; i < f->n_trials; i++) {
		const struct trial_row *t = f->trials[i];
		struct run_outcome *o = get_outcome(f, t->config->of);
		const struct outcome_trial row = {.id = t->id,
						  .config_hash = t->config->hash,
						  .config_key = t->config->key,
						  .status = t->status,
						  .median_ns = t->median_ns,
						  .clock_mhz = t->clock_mhz};

		if (!o)
			return asc_err_nomem(e);
		if (run_outcome_add_trial(o, &row, s, e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status outcomes_find(const struct snapshot *s, struct outcomes *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct finding f = {0};

	for (size_t i = 0; i < s->n_runs && status == ASC_OK; i++) {
		status = add_run(&f, &s->runs[i], &out->storage, e);
		for (size_t k = 0; k < f.n; k++) {
			struct run_outcome *o = &f.list[k]->outcome;

			if (status == ASC_OK &&
			    !array_room(&out->list, out->n, &out->room, sizeof *out->list))
				status = asc_err_nomem(e);
			/* A run whose results were all resumed says nothing of it. */
			if (status == ASC_OK && o->tried) {
				run_outcome_decide(o);
				out->list[out->n++] =
					(struct outcome_row){.run_id = s->runs[i].id,
							     .implementation_id = f.list[k]->of->id,
							     .config_key = o->config_key,
							     .trial_id = o->trial_id,
							     .ns = o->ns,
							     .clock_mhz = o->clock_mhz,
							     .passed = o->passed,
							     .failed = o->failed};
			}
			free(f.list[k]);
		}
		f.n = 0;
		/* Failures are looked up within a run, whose outcomes are gone now: an address may
		 * be that of another one next. */
		intern_clear(&out->storage.failed);
		out->storage.n_failures = 0;
	}
	free(f.list);
	free(f.trials);
	return status;
}

void outcomes_fini(struct outcomes *o)
{
	outcome_storage_fini(&o->storage);
	free(o->list);
}
