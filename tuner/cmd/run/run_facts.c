#include "tuner/cmd/run/run_facts.h"

#include <stdbool.h>
#include <stdio.h>

#include "reports/tables/best_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/answers/trial_text.h"
#include "tuner/cmd/command.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/space/config.h"
#include "tuner/workload/workload.h"

static void put_line(struct json_writer *w)
{
	struct asc_err e;

	json_write_end(w, '}');
	if (command_print_line(w->out, &e))
		log_print(LOG_WARN, "a line of the output is missing: %s", e.text);
	fflush(stdout);
}

static void begin_line(struct json_writer *w, const char *type)
{
	json_write_begin(w, NULL, '{');
	json_write_string(w, "type", type);
}

/* Marks a line whose times are those of a model. */
static void write_origin(struct json_writer *w, const struct loop_options *o)
{
	if (o->session->target.info->simulated)
		json_write_bool(w, "simulated", true);
}

static void write_subject(struct json_writer *w, const struct loop_options *o,
			  const struct loop_summary *sum)
{
	json_write_string(w, "workload", o->workload->name);
	json_write_string(w, "problem", o->problem->name);
	json_write_string(w, "device", o->session->target.device->name);
	json_write_string(w, "model", o->session->target.info->model);
	write_origin(w, o);
	json_write_int(w, "run", sum->run_id);
}

/* A whole number, as such where a double holds it exactly. */
static void write_count(struct json_writer *w, const char *key, double n)
{
	if (n < 0x1p53)
		json_write_int(w, key, (int64_t)n);
	else
		json_write_real(w, key, n);
}

/* Writes null where the search begins with nothing. */
static void write_history(struct json_writer *w, const struct loop_summary *sum)
{
	struct asc_err e;

	(void)field_json_write_text(w, "history",
				    sum->history_json.len ? buf_str(&sum->history_json) : NULL, &e);
}

void run_facts_begin_json(const struct loop_options *o, const struct loop_summary *sum)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	begin_line(&w, "run");
	write_subject(&w, o, sum);
	json_write_string(&w, "strategy", sum->strategy);
	json_write_int(&w, "seed", (int64_t)o->seed);
	write_count(&w, "valid", sum->valid);
	write_count(&w, "cartesian", sum->cartesian);
	json_write_int(&w, "planned", (int64_t)sum->planned);
	write_history(&w, sum);
	policy_write_json(&o->session->policy, "policy", &w);
	put_line(&w);
}

static void write_clock(struct json_writer *w, double mhz)
{
	if (mhz > 0)
		json_write_real(w, "clock_mhz", mhz);
}

void run_facts_trial_json(const struct loop_options *o, const struct loop_event *event)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};
	struct asc_err e;
	size_t n;

	begin_line(&w, "trial");
	write_origin(&w, o);
	json_write_string(&w, "implementation", event->trial->implementation->name);
	json_write_begin(&w, "config", '{');
	for (size_t i = 0; i < event->trial->config.n; i++)
		json_write_value(&w, event->trial->names[i], event->trial->config.values[i]);
	json_write_end(&w, '}');
	if (event->trial->implementation->n_rewrites)
		(void)binding_write_rewrites(event->binding, event->trial->implementation,
					     &event->trial->config, "rewrites", &w, &n, &e);
	json_write_bool(&w, "resumed", event->resumed);
	json_write_bool(&w, "best", event->best);
	write_clock(&w, result_clock_mhz(event->trial->result.notes, event->trial->result.n_samples,
					 NULL));
	result_write_json(&event->trial->result, &w);
	if (o->config || event->trial->result.status == RESULT_BUILD_FAILED)
		trial_text_write_build(o, event, &w);
	put_line(&w);
}

static void write_interval(struct json_writer *w, const char *key, const struct stats_interval *i)
{
	if (!i->known)
		return;
	json_write_begin(w, key, '[');
	json_write_real(w, NULL, i->low);
	json_write_real(w, NULL, i->high);
	json_write_end(w, ']');
}

static void write_trial(struct json_writer *w, const char *key, const struct loop_trial *t)
{
	if (!t->found)
		return;
	json_write_begin(w, key, '{');
	json_write_string(w, "implementation", t->implementation);
	json_write_string(w, "config", buf_str(&t->config));
	json_write_real(w, "median_ns", t->time.median);
	if (t->recorded) {
		json_write_bool(w, "recorded", true);
		json_write_end(w, '}');
		return;
	}
	json_write_real(w, "q1_ns", t->time.q1);
	json_write_real(w, "q3_ns", t->time.q3);
	json_write_int(w, "samples", (int64_t)t->time.n);
	write_interval(w, "interval_ns", &t->time.interval);
	write_clock(w, t->clock_mhz);
	json_write_end(w, '}');
}

static void write_finalists(struct json_writer *w, const struct loop_summary *sum)
{
	json_write_begin(w, "finalists", '[');
	for (size_t i = 0; i < sum->n_finalists; i++) {
		const struct loop_finalist *f = &sum->finalists[i];

		json_write_begin(w, NULL, '{');
		json_write_string(w, "implementation", f->implementation);
		json_write_string(w, "config", buf_str(&f->config));
		json_write_real(w, "median_ns", f->time.median);
		write_clock(w, f->clock_mhz);
		json_write_real(w, "ratio", f->ratio);
		write_interval(w, "interval", &f->interval);
		json_write_int(w, "rounds", (int64_t)f->time.n);
		json_write_bool(w, "tied", f->standing == STANDING_TIED);
		json_write_string(w, "standing", standing_name(f->standing));
		json_write_bool(w, "winner", f->winner);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

static void write_roofline(struct json_writer *w, const struct loop_summary *sum)
{
	const struct roof roof = peaks_roof(&sum->peaks, sum->element);
	struct roofline r;

	if (!loop_summary_place_best(sum, &r))
		return;
	json_write_begin(w, "roofline", '{');
	json_write_real(w, "peak_flops", roof.flops);
	json_write_real(w, "peak_bandwidth", roof.bandwidth);
	json_write_real(w, "intensity", r.intensity);
	json_write_real(w, "attainable_flops", r.attainable);
	json_write_real(w, "attainable_part", r.part);
	json_write_string(w, "bound", r.bound);
	json_write_string(w, "note", r.note);
	json_write_end(w, '}');
}

void run_facts_end_json(const struct loop_options *o, const struct loop_summary *sum)
{
	const char *names[LOOP_TIME_PARTS];
	double ns[LOOP_TIME_PARTS];
	struct buf line = {0};
	struct json_writer w = {&line, false};

	begin_line(&w, "summary");
	write_subject(&w, o, sum);
	write_trial(&w, "best", &sum->best);
	write_trial(&w, "default", &sum->default_trial);
	write_trial(&w, "baseline", &sum->baseline);
	json_write_string(&w, "sure", sure_name(sum->sure.sure));
	json_write_real(&w, "noise_pct", sum->sure.noise_pct);
	json_write_int(&w, "n_ties", (int64_t)sum->sure.ties);
	json_write_int(&w, "answer_of_run", sum->answer_run_id);
	if (sum->best.found && sum->default_trial.found && !sum->default_trial.recorded)
		json_write_real(&w, "vs_default", sum->default_trial.ratio);
	if (sum->best.found && sum->baseline.found && !sum->baseline.recorded)
		json_write_real(&w, "vs_baseline", sum->baseline.ratio);
	write_finalists(&w, sum);
	write_roofline(&w, sum);
	json_write_int(&w, "trials", (int64_t)sum->trials);
	json_write_int(&w, "resumed", (int64_t)sum->resumed);
	json_write_begin(&w, "statuses", '{');
	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		if (sum->by_status[i])
			json_write_int(&w, result_status_name((enum result_status)i),
				       (int64_t)sum->by_status[i]);
	json_write_end(&w, '}');
	json_write_begin(&w, "spent_ns", '{');
	for (size_t i = 0, n = loop_summary_time_parts(sum, names, ns); i < n; i++)
		json_write_int(&w, names[i], (int64_t)ns[i]);
	json_write_end(&w, '}');
	if (sum->patience.over)
		loop_patience_write_json(&sum->patience, "patience", &w);
	loop_steadiness_write_json(&sum->steady, "steady", &w);
	json_write_int(&w, "flush_ns", sum->flush_ns);
	json_write_int(&w, "wall_ns", sum->wall_ns);
	json_write_bool(&w, "interrupted", sum->interrupted);
	put_line(&w);
}
