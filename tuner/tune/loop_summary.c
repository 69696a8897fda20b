#include "tuner/tune/loop_summary.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/names.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search_history.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

const char *loop_phase_name(enum loop_phase p)
{
	static const char *const names[] = {LOOP_PHASE_LIST(NAME_OF)};

	return names[p];
}

void loop_summary_init(struct loop_summary *s)
{
	*s = (struct loop_summary){0};
}

void loop_summary_fini(struct loop_summary *s)
{
	free(s->steady.devices);
	buf_fini(&s->best.config);
	buf_fini(&s->default_trial.config);
	for (size_t i = 0; i < BASELINES_MAX; i++)
		buf_fini(&s->baselines[i].trial.config);
	for (size_t i = 0; i < s->n_finalists; i++)
		buf_fini(&s->finalists[i].config);
	for (int i = 0; i < RESULT_STATUS_COUNT; i++) {
		free(s->failures[i].reason);
		free(s->failures[i].config);
	}
	for (size_t i = 0; i < s->n_profiles; i++) {
		buf_fini(&s->profiles[i].config);
		profile_fini(&s->profiles[i].profile);
	}
	tally_fini(&s->tally);
	free(s->default_failure);
	for (size_t i = 0; i < sizeof s->foreign / sizeof *s->foreign; i++)
		free(s->foreign[i]);
	buf_fini(&s->history);
	buf_fini(&s->history_json);
}

void loop_summary_begin(struct loop_summary *s, const struct loop_options *o,
			const struct binding *b, const struct impl_searches *searches)
{
	s->flops = b->flops;
	s->bytes = b->bytes;
	s->has_element = binding_element(b, &s->element);
	for (size_t i = 0; i < searches->n; i++) {
		const char *name = searches->list[i].ops->name;

		s->valid += (double)space_count(searches->list[i].space);
		s->cartesian += space_cartesian(searches->list[i].space);
		s->planned += searches->list[i].chosen ? searches->list[i].n_choices : 0;
		s->strategy = !s->strategy || strcmp(s->strategy, name) == 0 ? name : "mixed";
	}
	search_history_print(searches, &s->history);
	search_history_write_json(searches, &s->history_json);
	if (o->config || o->n_given > 0)
		s->strategy = o->config ? "config" : o->given_for;
	if (s->planned == 0) /* nothing was chosen: strategies ask, as far as budget and space go */
		s->planned = impl_searches_budget(searches, o->budget.trials);
	if (s->planned == 0 || (double)s->planned > s->valid)
		s->planned = (uint64_t)s->valid;
}

/* Counts retaken samples as load, which is the usual reason; the true one is not kept. */
void loop_steadiness_add(struct loop_steadiness *s, const struct result *r)
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

enum asc_status loop_steadiness_add_device(struct loop_steadiness *s, size_t device,
					   struct asc_err *e)
{
	if (!array_room(&s->devices, s->n_devices, &s->room, sizeof *s->devices))
		return asc_err_nomem(e);
	s->devices[s->n_devices++] = (uint16_t)device;
	return ASC_OK;
}

/* Writes the numbers of the trials that other devices measured, in the order of the record. */
static void write_devices(const struct loop_steadiness *s, struct json_writer *w)
{
	const struct session_peers *peers = s->session->peers;
	bool any = false;

	for (size_t i = 0; i < peers->n; i++) {
		size_t n = 0;

		for (size_t k = 0; peers->list[i] != s->session && k < s->n_devices; k++) {
			if (s->devices[k] != i)
				continue;
			if (!any)
				json_write_begin(w, "trials_of", '{');
			any = true;
			if (n++ == 0)
				json_write_begin(w, peers->list[i]->name, '[');
			json_write_count(w, NULL, k + 1);
		}
		if (n > 0)
			json_write_end(w, ']');
	}
	if (any)
		json_write_end(w, '}');
}

bool loop_was_unsteady(const struct loop_steadiness *s)
{
	return 20 * (s->load + s->clock) > s->samples; /* 5 % */
}

void loop_steadiness_write_json(const struct loop_steadiness *s, const char *key,
				struct json_writer *w)
{
	json_write_begin(w, key, '{');
	json_write_bool(w, "unsteady", loop_was_unsteady(s));
	json_write_int(w, "samples", s->samples);
	json_write_int(w, "load", s->load);
	json_write_int(w, "clock", s->clock);
	json_write_int(w, "throttled", s->hot);
	json_write_int(w, "power_capped", s->capped);
	json_write_int(w, "retaken", s->retaken);
	json_write_bool(w, "clock_known", s->clock_known);
	if (s->session) {
		session_write_beside(s->session, w);
		write_devices(s, w);
	}
	json_write_end(w, '}');
}

void loop_patience_write_json(const struct loop_patience *p, const char *key, struct json_writer *w)
{
	struct buf wanted = {0};

	patience_print(&p->wanted, &wanted);
	json_write_begin(w, key, '{');
	json_write_string(w, "patience", buf_str(&wanted));
	json_write_count(w, "trials", p->trials);
	json_write_real(w, "expected_pct", p->expected_pct);
	json_write_end(w, '}');
	buf_fini(&wanted);
}

static void keep(struct loop_trial *t, const struct impl_search *search, const struct config *c,
		 const struct result *r, double score)
{
	t->found = true;
	t->implementation = search->implementation->name;
	buf_clear(&t->config);
	config_print(c, space_names(search->space), &t->config);
	t->time = r->time;
	t->score = score;
	t->clock_mhz = result_clock_mhz(r->notes, r->n_samples, NULL);
	t->host_ns = result_host_ns(r, r->time.median);
	t->errors = r->errors;
	t->verified_by = r->verified_by;
}

static bool is_better(const struct loop_trial *t, double score)
{
	return !t->found || score < t->score;
}

/* Keeps an example of a failure; without memory there is none, which is harmless. */
static void keep_failure(struct loop_summary *s, const struct impl_search *search,
			 const char *config, bool is_default, const struct result *r)
{
	struct loop_failure *f = &s->failures[r->status];

	/* The first is kept: later ones mostly repeat it. */
	if (!f->reason) {
		free(f->config);
		*f = (struct loop_failure){str_dup(result_reason(r)), str_dup(config),
					   search->implementation->name};
	}
	if (is_default && !s->default_failure)
		s->default_failure = str_print("failed: %s: %s", result_status_name(r->status),
					       result_reason(r));
}

bool loop_summary_add(struct loop_summary *s, const struct impl_search *search, uint64_t index,
		      const struct config *c, const struct result *r, double score)
{
	struct buf config = {0};

	s->trials += r->status != RESULT_PRUNED; /* refused by a planner: not tried */
	s->by_status[r->status]++;
	s->same_code += r->same.as != NULL;
	for (size_t i = 0; i < PHASE_COUNT; i++)
		s->spent_ns[i] += r->spent_ns[i];
	s->flush_ns += r->flush_ns;
	config_print(c, space_names(search->space), &config);
	tally_add(&s->tally, search->implementation->name, buf_str(&config), r);
	if (result_status_failed(r->status))
		keep_failure(s, search, buf_str(&config),
			     index == search->default_index && !search->baseline, r);
	buf_fini(&config);
	if (r->status != RESULT_OK)
		return false;
	/* Prefers the default of the first implementation; a baseline comes last. */
	if (index == search->default_index && (!s->default_trial.found || s->default_of_baseline)) {
		keep(&s->default_trial, search, c, r, score);
		s->default_of_baseline = search->baseline != 0;
	}
	if (search->baseline && is_better(&s->baselines[search->baseline - 1].trial, score))
		keep(&s->baselines[search->baseline - 1].trial, search, c, r, score);
	if (!is_better(&s->best, score))
		return false;
	keep(&s->best, search, c, r, score);
	return true;
}

void loop_summary_change(struct loop_summary *s, const struct impl_search *search,
			 const struct config *c, enum result_status before, const struct result *r)
{
	struct buf config = {0};

	if (before == RESULT_STATUS_COUNT)
		s->trials++;
	else
		s->by_status[before]--;
	s->by_status[r->status]++;
	config_print(c, space_names(search->space), &config);
	tally_change(&s->tally, search->implementation->name, buf_str(&config), r);
	if (result_status_failed(r->status))
		keep_failure(s, search, buf_str(&config), false, r);
	buf_fini(&config);
}

bool loop_summary_is_best(const struct loop_summary *s, const struct impl_search *search,
			  const struct config *c)
{
	struct buf config = {0};

	config_print(c, space_names(search->space), &config);
	bool is = s->best.found &&
		  strcmp(s->best.implementation, search->implementation->name) == 0 &&
		  strcmp(buf_str(&s->best.config), buf_str(&config)) == 0;
	buf_fini(&config);
	return is;
}

void loop_summary_set_best(struct loop_summary *s, const struct impl_search *search,
			   const struct config *c, const struct result *r, double score)
{
	keep(&s->best, search, c, r, score);
}

void loop_summary_leave_out_times(struct loop_summary *s, const struct result *r)
{
	for (size_t i = 0; i < PHASE_COUNT; i++)
		s->spent_ns[i] -= i == PHASE_BUILD ? 0 : r->spent_ns[i];
	s->flush_ns -= r->flush_ns;
}

/* ---- what it says ---- */

size_t loop_summary_time_parts(const struct loop_summary *sum, const char *names[LOOP_TIME_PARTS],
			       double ns[LOOP_TIME_PARTS])
{
	const struct {
		const char *name;
		int64_t ns;
	} parts[] = {
		{"build", sum->spent_ns[PHASE_BUILD]},
		{"waiting", sum->phase_ns[LOOP_BUILDING]},
		{"reference", sum->phase_ns[LOOP_REFERENCE]},
		{"load", sum->spent_ns[PHASE_LOAD]},
		{"verify", sum->spent_ns[PHASE_VERIFY]},
		{"measure", sum->spent_ns[PHASE_MEASURE]},
		{"finals", sum->phase_ns[LOOP_FINALS]},
		{"peaks", sum->peaks_ns},
		{"profile", sum->profile_ns},
		{"search", sum->search_ns},
		{"database", sum->record_ns},
	};
	const size_t n = sizeof parts / sizeof *parts;
	int64_t rest = sum->wall_ns;

	for (size_t i = 0; i < n; i++) {
		names[i] = parts[i].name;
		ns[i] = (double)parts[i].ns;
		rest -= i > 0 ? parts[i].ns : 0;
	}
	names[n] = "rest";
	ns[n] = rest > 0 ? (double)rest : 0;
	return n + 1;
}

bool loop_summary_place_best(const struct loop_summary *sum, struct roofline *r)
{
	/* Peaks of other types than the problem's are known, too. */
	const struct roof roof =
		sum->has_element ? peaks_roof(&sum->peaks, sum->element) : (struct roof){0};

	return roofline_place(&roof, sum->flops, sum->bytes,
			      sum->best.found ? sum->best.time.median : 0, r);
}
