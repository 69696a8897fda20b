#include "tuner/loop/tally.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/loop/arm.h"
#include "tuner/loop/loop.h"
#include "tuner/model/binding.h"
#include "tuner/model/space.h"
#include "tuner/model/workload.h"
#include "tuner/search/strategy.h"

void loop_summary_init(struct loop_summary *s)
{
	*s = (struct loop_summary){0};
}

static void failure_fini(struct loop_failure *f)
{
	free(f->reason);
	free(f->config);
}

void loop_summary_fini(struct loop_summary *s)
{
	buf_fini(&s->best.config);
	buf_fini(&s->preset.config);
	buf_fini(&s->baseline.config);
	for (size_t i = 0; i < s->n_finalists; i++)
		buf_fini(&s->finalists[i].config);
	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		failure_fini(&s->failures[i]);
	free(s->preset_failure);
	free(s->foreign);
}

void tally_begin(struct loop_summary *s, const struct loop_options *o, const struct binding *b,
		 const struct arms *arms)
{
	s->flops = b->flops;
	s->bytes = b->bytes;
	s->has_element = binding_element(b, &s->peaks.type);
	for (size_t i = 0; i < arms->n; i++) {
		const char *name = arms->list[i].ops->name;

		s->valid += (double)space_count(arms->list[i].space);
		s->cartesian += space_cartesian(arms->list[i].space);
		s->strategy = !s->strategy || strcmp(s->strategy, name) == 0 ? name : "mixed";
	}
	if (o->config)
		s->strategy = "config";
	s->planned = o->config ? 1 : arms_budget(arms, o->budget.trials);
	if (s->planned == 0 || (double)s->planned > s->valid)
		s->planned = (uint64_t)s->valid;
}

/* Why a sample was taken again is not kept: for load, as a rule. */
void tally_steadiness(struct loop_steadiness *s, const struct result *r)
{
	s->samples += (int64_t)r->n_samples + r->retaken;
	s->retaken += r->retaken;
	s->load += r->retaken;
	for (size_t i = 0; r->notes && i < r->n_samples; i++) {
		s->load += (r->notes[i] & RESULT_MARK_LOAD) != 0;
		s->clock += (r->notes[i] & RESULT_MARK_CLOCK) != 0;
		s->hot += (r->notes[i] & RESULT_MARK_HOT) != 0;
		s->capped += (r->notes[i] & RESULT_POWER_CAPPED) != 0;
		s->clock_known |= result_note_mhz(r->notes[i]) > 0;
	}
}

bool loop_was_unsteady(const struct loop_steadiness *s)
{
	return 20 * (s->load + s->clock) > s->samples;
}

bool loop_was_busy(const struct loop_steadiness *s)
{
	return 5 * (s->load + s->clock) > s->samples;
}

static void keep(struct loop_trial *t, const struct arm *arm, const struct config *c,
		 const struct result *r)
{
	t->found = true;
	t->implementation = arm->implementation->name;
	buf_clear(&t->config);
	config_print(c, space_names(arm->space), &t->config);
	t->time = r->time;
	t->clock_mhz = result_clock_mhz(r->notes, r->n_samples, NULL);
	t->errors = r->errors;
}

static bool is_better(const struct loop_trial *t, const struct result *r)
{
	return !t->found || r->time.median < t->time.median;
}

/* Without memory there is no example, which harms nothing. */
static void keep_failure(struct loop_summary *s, const struct arm *arm, const struct config *c,
			 bool preset, const struct result *r)
{
	struct loop_failure *f = &s->failures[r->status];
	struct buf config = {0};

	if (!f->reason) {
		config_print(c, space_names(arm->space), &config);
		*f = (struct loop_failure){str_dup(result_reason(r)), str_dup(buf_str(&config)),
					   arm->implementation->name};
		buf_fini(&config);
	}
	if (preset && !s->preset_failure)
		s->preset_failure = str_print("failed: %s: %s", result_status_name(r->status),
					      result_reason(r));
}

bool tally_add(struct loop_summary *s, const struct arm *arm, uint64_t index,
	       const struct config *c, const struct result *r)
{
	s->trials++;
	s->by_status[r->status]++;
	for (size_t i = 0; i < PHASE_COUNT; i++)
		s->spent_ns[i] += r->spent_ns[i];
	s->flush_ns += r->flush_ns;
	if (result_status_failed(r->status))
		keep_failure(s, arm, c, index == arm->preset && !arm->baseline, r);
	if (r->status != RESULT_OK)
		return false;
	/* The default of the first implementation; one that is only compared with comes last. */
	if (index == arm->preset && (!s->preset.found || s->preset_of_baseline)) {
		keep(&s->preset, arm, c, r);
		s->preset_of_baseline = arm->baseline;
	}
	if (arm->baseline && is_better(&s->baseline, r))
		keep(&s->baseline, arm, c, r);
	if (!is_better(&s->best, r))
		return false;
	keep(&s->best, arm, c, r);
	return true;
}

void tally_change(struct loop_summary *s, const struct arm *arm, const struct config *c,
		  enum result_status before, const struct result *r)
{
	if (before == RESULT_STATUS_COUNT)
		return;
	s->by_status[before]--;
	s->by_status[r->status]++;
	if (result_status_failed(r->status))
		keep_failure(s, arm, c, false, r);
}

bool tally_is_best(const struct loop_summary *s, const struct arm *arm, const struct config *c)
{
	struct buf config = {0};

	config_print(c, space_names(arm->space), &config);
	bool is = s->best.found && strcmp(s->best.implementation, arm->implementation->name) == 0 &&
		  strcmp(buf_str(&s->best.config), buf_str(&config)) == 0;
	buf_fini(&config);
	return is;
}

void tally_set_best(struct loop_summary *s, const struct arm *arm, const struct config *c,
		    const struct result *r)
{
	keep(&s->best, arm, c, r);
}
