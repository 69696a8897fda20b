#include "tuner/cmd/run/run_facts.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "reports/results/profile_json.h"
#include "reports/results/profile_view.h"
#include "reports/tables/best_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/answers/answer_row.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/device/device.h"
#include "tuner/result/setting.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

enum { LABEL = 8, HANG = LABEL + 3 };

/* Time below which a part of it is not worth a word. */
static const double LEAST_SHOWN_NS = 1e6;

struct run_fact {
	const char *key, *label; /* in JSON; of a line of --verbose. NULL: not there */

	/* JSON: a member of the summary, by its kind and place, or a function that writes it. */
	enum { NO_MEMBER, COUNT, AMOUNT, REAL, FLAG, TEXT, TRIAL } kind;
	bool of_best; /* --verbose: no line where nothing is best */
	size_t at;
	void (*write)(const struct run_facts *f, const char *key, struct json_writer *w);

	/* --verbose: appends the text of the line; nothing where the fact is not known. NULL: that
	 * of a trial which the best is compared with. */
	void (*print)(const struct run_facts *f, struct buf *out);

	void (*put)(const struct run_facts *f, struct prose *p); /* in the headline */
};

/* ---- the subject ---- */

void run_facts_write_origin(struct json_writer *w, const struct run_facts *f, const char *place)
{
	if (f->o->session->target.info->simulated)
		json_write_bool(w, "simulated", true);
	/* Beside the kind, which "device" is. */
	if (place)
		json_write_string(w, "place", place);
}

static void write_subject(const struct run_facts *f, const char *key, struct json_writer *w)
{
	json_write_string(w, key, f->o->workload->name);
	json_write_string(w, "problem", f->o->problem->name);
	json_write_string(w, "device", f->o->session->target.device->name);
	json_write_string(w, "model", f->o->session->target.info->model);
	run_facts_write_origin(w, f, f->o->session->name);
	json_write_int(w, "run", f->sum->run_id);
}

static void print_device(const struct run_facts *f, struct buf *out)
{
	buf_print(out, "%s: %s", f->o->session->target.device->name,
		  f->o->session->target.info->model);
}

/* ---- the search ---- */

static void write_seed(const struct run_facts *f, const char *key, struct json_writer *w)
{
	json_write_int(w, key, (int64_t)f->o->seed);
}

/* Writes null where the search begins with nothing. */
static void write_history(const struct run_facts *f, const char *key, struct json_writer *w)
{
	const struct buf *history = &f->sum->history_json;
	struct asc_err e;

	(void)field_json_write_text(w, key, history->len ? buf_str(history) : NULL, &e);
}

static void print_history(const struct run_facts *f, struct buf *out)
{
	buf_add_str(out, buf_str(&f->sum->history));
}

/* The planner that is asked, or null and why nobody is; nothing where there is nothing to ask. */
static void write_planner(const struct run_facts *f, const char *key, struct json_writer *w)
{
	if (!f->sum->planner && !f->sum->no_planner)
		return;
	json_write_string(w, key, f->sum->planner);
	if (!f->sum->planner) {
		json_write_string(w, "no_planner", f->sum->no_planner);
		json_write_count(w, "unasked", (uint64_t)f->sum->unasked);
	}
}

static void print_planner(const struct run_facts *f, struct buf *out)
{
	const unsigned long long refused = f->sum->by_status[RESULT_PRUNED];

	if (f->sum->planner)
		buf_print(out, "%s refused %llu configuration%s", f->sum->planner, refused,
			  refused == 1 ? "" : "s");
	else if (f->sum->no_planner)
		buf_print(out, "none, %.0f configurations were not asked: %s", f->sum->unasked,
			  f->sum->no_planner);
}

static void write_policy(const struct run_facts *f, const char *key, struct json_writer *w)
{
	policy_write_json(&f->o->session->policy, key, w);
}

static void write_patience(const struct run_facts *f, const char *key, struct json_writer *w)
{
	if (f->sum->patience.over)
		loop_patience_write_json(&f->sum->patience, key, w);
}

static void print_patience(const struct run_facts *f, struct buf *out)
{
	const struct loop_patience *s = &f->sum->patience;

	if (!s->over)
		return;
	buf_print(out, "ended the search after %llu trials: ", (unsigned long long)s->trials);
	/* No gain can be computed while nothing passes: the chance of a pass stands for it. */
	if (s->wanted.part > 0 && isinf(s->expected_pct))
		buf_print(out,
			  "less than %g %% of the remaining configurations were expected to pass",
			  100 * s->wanted.part);
	else if (s->wanted.part > 0)
		buf_print(out,
			  "the remaining configurations were expected to gain %.2g %%, below the "
			  "limit of %g %%",
			  s->expected_pct, 100 * s->wanted.part);
	else
		buf_print(out, "%llu in a row gained nothing",
			  (unsigned long long)s->wanted.trials);
}

/* ---- the best, and what it is compared with ---- */

void run_facts_write_clock(struct json_writer *w, double mhz)
{
	if (mhz > 0)
		json_write_real(w, "clock_mhz", mhz);
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

static void write_trial(const struct loop_trial *t, const char *key, struct json_writer *w)
{
	if (!t->found)
		return;
	json_write_begin(w, key, '{');
	json_write_string(w, "implementation", t->implementation);
	setting_write_config(buf_str(&t->config), w);
	json_write_real(w, "median_ns", t->time.median);
	if (t->recorded) {
		json_write_bool(w, "recorded", true);
	} else {
		json_write_real(w, "q1_ns", t->time.q1);
		json_write_real(w, "q3_ns", t->time.q3);
		json_write_int(w, "samples", (int64_t)t->time.n);
		write_interval(w, "interval_ns", &t->time.interval);
		run_facts_write_clock(w, t->clock_mhz);
	}
	json_write_end(w, '}');
}

static void print_best(const struct run_facts *f, struct buf *out)
{
	buf_print(out, "%s  %s", f->sum->best.implementation, buf_str(&f->sum->best.config));
}

/* "1.2 ms  (95 % interval 1.1 ms .. 1.3 ms, 32 samples)", or the middle half where there is none;
 * the clock where it is known. */
static void print_time(const struct run_facts *f, struct buf *out)
{
	const struct stats_summary *t = &f->sum->best.time;
	const bool known = t->interval.known;
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE], c[UNITS_TEXT_SIZE];

	buf_print(out, "%s  (%s %s .. %s, %zu sample%s", units_print_duration(t->median, a),
		  known ? "95 % interval" : "middle half",
		  units_print_duration(known ? t->interval.low : t->q1, b),
		  units_print_duration(known ? t->interval.high : t->q3, c), t->n,
		  t->n == 1 ? "" : "s");
	if (f->sum->best.clock_mhz > 0)
		buf_print(out, " at %.0f MHz", f->sum->best.clock_mhz);
	buf_add_char(out, ')');
}

static void put_time(const struct run_facts *f, struct prose *p)
{
	const struct stats_summary *t = &f->sum->best.time;
	const struct stats_interval *i = &t->interval;
	const double pct = answer_row_width_pct(t->median, i->known ? i->low : NAN,
						i->known ? i->high : NAN, t->q1, t->q3);
	char text[UNITS_TEXT_SIZE];

	prose_put(p, answer_row_ink(f->sum->sure.sure), "  %s",
		  units_print_duration(t->median, text));
	prose_put(p, INK_PLAIN, " ");
	/* One decimal below what rounds to 10 %: two digits in any case. */
	if (!isnan(pct))
		prose_put(p, INK_PLAIN, "±%.*f %%", pct < 9.95, pct);
	if (f->o->session->target.info->simulated)
		prose_put(p, INK_PLAIN, ", simulated");
}

static void print_rate(const struct run_facts *f, struct buf *out)
{
	const struct loop_summary *sum = f->sum;
	char rate[UNITS_TEXT_SIZE];

	if (sum->flops > 0)
		buf_add_str(out, units_print_rate(1e9 * sum->flops / sum->best.time.median,
						  "FLOP/s", rate));
	if (sum->bytes > 0)
		buf_print(out, "%s%s", sum->flops > 0 ? "  " : "",
			  units_print_rate(1e9 * sum->bytes / sum->best.time.median, "B/s", rate));
}

static void write_roofline(const struct run_facts *f, const char *key, struct json_writer *w)
{
	const struct roof roof = peaks_roof(&f->sum->peaks, f->sum->element);
	struct roofline r;

	if (!loop_summary_place_best(f->sum, &r))
		return;
	json_write_begin(w, key, '{');
	json_write_real(w, "peak_flops", roof.flops);
	json_write_real(w, "peak_bandwidth", roof.bandwidth);
	json_write_real(w, "intensity", r.intensity);
	json_write_real(w, "attainable_flops", r.attainable);
	json_write_real(w, "attainable_part", r.part);
	json_write_string(w, "bound", r.bound);
	json_write_string(w, "note", r.note);
	json_write_end(w, '}');
}

static void print_roofline(const struct run_facts *f, struct buf *out)
{
	const struct loop_summary *sum = f->sum;
	const struct roof roof = peaks_roof(&sum->peaks, sum->element);
	char rate[UNITS_TEXT_SIZE], no_peak[80];
	struct roofline r;

	if (!loop_summary_place_best(sum, &r)) {
		snprintf(no_peak, sizeof no_peak,
			 "the device's peak of arithmetic in %s is not known",
			 dtype_name(sum->element));
		/* The first reason that a person can do something about. */
		buf_print(out, "not known: %s",
			  !(sum->flops > 0)   ? "the workload does not say its flops"
			  : !(sum->bytes > 0) ? "the workload does not say its bytes"
			  : sum->peaks_late   ? "no time was left to measure the peaks of the "
						"device: a longer --budget has it"
			  : roof.bandwidth > 0 && !(roof.flops > 0)
				  ? no_peak
				  : "the peaks of the device are not known");
		return;
	}
	units_print_rate(r.attainable, "FLOP/s", rate);
	buf_print(out, "%.0f %% of the %s attainable at %.3g FLOP/B (%s-bound)", 100 * r.part, rate,
		  r.intensity, r.bound);
	if (r.note)
		buf_print(out, ": %s", roofline_explain(r.note));
}

static void put_roofline(const struct run_facts *f, struct prose *p)
{
	struct roofline place;

	if (loop_summary_place_best(f->sum, &place))
		prose_put(p, INK_PLAIN, "  %.0f %% of attainable", 100 * place.part);
	if (place.note)
		prose_put(p, INK_DIM, " (%s)", place.note);
}

static void print_error(const struct run_facts *f, struct buf *out)
{
	const struct error_norms *n = &f->sum->best.errors;

	if (n->known)
		buf_print(out, "%.3g at most, %.3g on average", n->max_abs, n->mean_abs);
	if (n->known && f->sum->best.verified_by > VERIFIED_FLOAT64)
		buf_print(out, ", from %s", verified_by_words(f->sum->best.verified_by));
}

bool run_facts_default_is_best(const struct loop_summary *sum)
{
	const struct loop_trial *d = &sum->default_trial;

	return d->found && strcmp(d->implementation, sum->best.implementation) == 0 &&
	       strcmp(buf_str(&d->config), buf_str(&sum->best.config)) == 0;
}

/* True for a time of the same rounds as the best's; other times are not compared. */
static bool is_compared(const struct run_facts *f, const struct loop_trial *t)
{
	return f->sum->best.found && t->found && !t->recorded;
}

/* Appends a trial that the best is compared with. */
static void print_other(const struct loop_trial *t, struct buf *out)
{
	char time[UNITS_TEXT_SIZE];

	if (!t->found)
		return;
	buf_print(out, "%s (%s, %s)", units_print_duration(t->time.median, time), t->implementation,
		  buf_str(&t->config));
	if (t->recorded)
		buf_add_str(out, ", measured at another moment");
	else
		buf_print(out, ": the best is %.2f times as fast", t->ratio);
}

/* Puts a ratio that is known: a difference that two decimals do not show has no color. */
static void put_ratio(struct prose *p, double ratio, const char *to)
{
	const enum ink ink = ratio >= 1.005 ? INK_GOOD : ratio < 0.995 ? INK_BAD : INK_PLAIN;

	if (ratio > 0) {
		prose_put(p, ink, "  %.2fx", ratio);
		prose_put(p, INK_PLAIN, " %s", to);
	}
}

/* Writes the ratios to default and first baseline, each if it was measured in the same rounds. */
static void write_ratios(const struct run_facts *f, const char *key, struct json_writer *w)
{
	if (is_compared(f, &f->sum->default_trial))
		json_write_real(w, key, f->sum->default_trial.ratio);
	if (is_compared(f, &f->sum->baselines[0].trial))
		json_write_real(w, "vs_baseline", f->sum->baselines[0].trial.ratio);
}

static void put_ratios(const struct run_facts *f, struct prose *p)
{
	const struct loop_trial *d = &f->sum->default_trial;

	if (is_compared(f, d) && !run_facts_default_is_best(f->sum))
		put_ratio(p, d->ratio, "default");
	for (const struct loop_baseline *b = f->sum->baselines;
	     b < f->sum->baselines + BASELINES_MAX; b++)
		if (is_compared(f, &b->trial))
			put_ratio(p, b->trial.ratio, b->trial.implementation);
}

/* Writes what the best is compared with, in the workload's order. */
static void write_baselines(const struct run_facts *f, const char *key, struct json_writer *w)
{
	bool any = false;

	for (size_t i = 0; f->sum->best.found && i < BASELINES_MAX; i++)
		any |= f->sum->baselines[i].trial.found;
	if (!any)
		return;
	json_write_begin(w, key, '[');
	for (size_t i = 0; i < BASELINES_MAX; i++) {
		const struct loop_trial *t = &f->sum->baselines[i].trial;

		if (!t->found)
			continue;
		json_write_begin(w, NULL, '{');
		json_write_string(w, "implementation", t->implementation);
		setting_write_config(buf_str(&t->config), w);
		json_write_real(w, "ns", t->time.median);
		if (is_compared(f, t))
			json_write_real(w, "ratio", t->ratio);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

static void print_baselines(const struct run_facts *f, struct buf *out)
{
	for (size_t i = 0; i < BASELINES_MAX; i++) {
		const struct loop_trial *t = &f->sum->baselines[i].trial;

		if (t->found && out->len > 0)
			buf_add_str(out, "; ");
		print_other(t, out);
	}
}

static void write_sure(const struct run_facts *f, const char *key, struct json_writer *w)
{
	json_write_string(w, key, sure_name(f->sum->sure.sure));
}

/* Members of their own, where energy has decided. */
static void write_energy(const struct run_facts *f, const char *key, struct json_writer *w)
{
	(void)key;
	answer_row_write_energy(&f->sum->energy, w);
}

/* The profile of the best, as `profile --json` has it. */
static void write_profile(const struct run_facts *f, const char *key, struct json_writer *w)
{
	const struct loop_profile *p = f->sum->profiles;
	const struct profile_heading h = {.implementation = p->implementation,
					  .config = buf_str(&p->config),
					  .time_ns = p->time.median,
					  .low_ns = NAN,
					  .high_ns = NAN};
	struct asc_err e;

	if (f->sum->n_profiles > 0 && p->found)
		(void)profile_json_write(w, key, &h, &p->profile, &e);
}

static void put_answer_run(const struct run_facts *f, struct prose *p)
{
	if (f->sum->answer_run_id && f->sum->answer_run_id != f->sum->run_id)
		prose_put(p, INK_DIM, "  (by run %lld)", (long long)f->sum->answer_run_id);
}

static void write_finalists(const struct run_facts *of, const char *key, struct json_writer *w)
{
	json_write_begin(w, key, '[');
	for (size_t i = 0; i < of->sum->n_finalists; i++) {
		const struct loop_finalist *f = &of->sum->finalists[i];

		json_write_begin(w, NULL, '{');
		json_write_string(w, "implementation", f->implementation);
		setting_write_config(buf_str(&f->config), w);
		json_write_real(w, "median_ns", f->time.median);
		run_facts_write_clock(w, f->clock_mhz);
		json_write_real(w, "ratio", f->ratio);
		write_interval(w, "interval", &f->interval);
		json_write_int(w, "rounds", (int64_t)f->time.n);
		json_write_bool(w, "tied", f->standing == STANDING_TIED);
		json_write_string(w, "standing", standing_name(f->standing));
		json_write_bool(w, "winner", f->winner);
		if (f->same_code)
			json_write_bool(w, "same_code", true);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

/* ---- what it took ---- */

static void write_statuses(const struct run_facts *f, const char *key, struct json_writer *w)
{
	json_write_begin(w, key, '{');
	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		if (f->sum->by_status[i])
			json_write_int(w, result_status_name((enum result_status)i),
				       (int64_t)f->sum->by_status[i]);
	json_write_end(w, '}');
}

static void write_spent(const struct run_facts *f, const char *key, struct json_writer *w)
{
	const char *names[LOOP_TIME_PARTS];
	double ns[LOOP_TIME_PARTS];

	json_write_begin(w, key, '{');
	for (size_t i = 0, n = loop_summary_time_parts(f->sum, names, ns); i < n; i++)
		json_write_int(w, names[i], (int64_t)ns[i]);
	json_write_end(w, '}');
}

static void print_spent(const struct run_facts *f, struct buf *out)
{
	const char *names[LOOP_TIME_PARTS];
	double ns[LOOP_TIME_PARTS];
	char time[UNITS_TEXT_SIZE];
	int shown = 0;

	buf_add_str(out, units_print_duration((double)f->sum->wall_ns, time));
	/* Compilers run beside all other parts: theirs, the first, is none of the sum. */
	for (size_t i = 1, n = loop_summary_time_parts(f->sum, names, ns); i < n; i++)
		if (ns[i] >= LEAST_SHOWN_NS)
			buf_print(out, "%s%s %s", shown++ ? ", " : ": ",
				  i == 1 ? "waiting for compilers" : names[i],
				  units_print_duration(ns[i], time));
	if (ns[0] >= LEAST_SHOWN_NS)
		buf_print(out, "%scompilers %s side by side", shown ? "; " : ": ",
			  units_print_duration(ns[0], time));
	if ((double)f->sum->flush_ns >= LEAST_SHOWN_NS)
		buf_print(out, "; %s of it to flush caches",
			  units_print_duration((double)f->sum->flush_ns, time));
}

/* Percent of the samples of a run; 0 of none. */
static double part_pct(const struct loop_steadiness *s, int64_t n)
{
	return 100 * (double)n / (s->samples > 0 ? (double)s->samples : 1);
}

static void print_power(const struct run_facts *f, struct buf *out)
{
	const struct loop_steadiness *s = &f->sum->steady;

	if (s->capped > 0)
		buf_print(out, "its limit set the clock in %.0f %% of %lld samples",
			  part_pct(s, s->capped), (long long)s->samples);
}

static void write_steady(const struct run_facts *f, const char *key, struct json_writer *w)
{
	loop_steadiness_write_json(&f->sum->steady, key, w);
}

static void print_steady(const struct run_facts *f, struct buf *out)
{
	const struct loop_steadiness *s = &f->sum->steady;

	if (!loop_was_unsteady(s))
		return;
	buf_print(out, "was not steady: of %lld samples %.0f %% with other load, ",
		  (long long)s->samples, part_pct(s, s->load));
	if (s->clock_known || s->clock > 0)
		buf_print(out, "%.0f %% at a low clock", part_pct(s, s->clock));
	else
		buf_add_str(out, "clock unknown");
	buf_print(out, "; %lld taken again", (long long)s->retaken);
}

/* ---- the table ---- */

enum fact_id {
	SUBJECT,
	STRATEGY,
	SEED,
	VALID,
	CARTESIAN,
	PLANNED,
	PLANNER,
	HISTORY,
	POLICY,
	PATIENCE,
	BEST,
	TIME,
	RATE,
	ROOFLINE,
	ERROR,
	DEFAULT,
	BASELINE,
	BASELINES,
	RATIOS,
	SURE,
	ENERGY,
	NOISE,
	TIES,
	ANSWER_RUN,
	FINALISTS,
	TRIALS,
	RESUMED,
	SAME_CODE,
	STATUSES,
	PROFILE,
	SPENT,
	POWER,
	STEADY,
	FLUSH,
	WALL,
	INTERRUPTED,
	N_FACTS
};

#define AT(member) offsetof(struct loop_summary, member)

static const struct run_fact facts[N_FACTS] = {
	[SUBJECT] = {"workload", "device", .write = write_subject, .print = print_device},
	[STRATEGY] = {"strategy", .kind = TEXT, .at = AT(strategy)},
	[SEED] = {"seed", .write = write_seed},
	[VALID] = {"valid", .kind = AMOUNT, .at = AT(valid)},
	[CARTESIAN] = {"cartesian", .kind = AMOUNT, .at = AT(cartesian)},
	[PLANNED] = {"planned", .kind = COUNT, .at = AT(planned)},
	[PLANNER] = {"planner", "planner", .write = write_planner, .print = print_planner},
	[HISTORY] = {"history", "history", .write = write_history, .print = print_history},
	[POLICY] = {"policy", .write = write_policy},
	[PATIENCE] = {"patience", "patience", .write = write_patience, .print = print_patience},
	[BEST] = {"best", "best", .kind = TRIAL, .at = AT(best), .print = print_best,
		  .of_best = true},
	[TIME] = {NULL, "time", .print = print_time, .of_best = true, .put = put_time},
	[RATE] = {NULL, "rate", .print = print_rate, .of_best = true},
	[ROOFLINE] = {"roofline", "attains", .write = write_roofline, .print = print_roofline,
		      .of_best = true, .put = put_roofline},
	[ERROR] = {NULL, "error", .print = print_error, .of_best = true},
	[DEFAULT] = {"default", "default", .kind = TRIAL, .at = AT(default_trial), .of_best = true},
	[BASELINE] = {"baseline", "baseline", .kind = TRIAL, .at = AT(baselines[0].trial),
		      .print = print_baselines, .of_best = true},
	[BASELINES] = {"baselines", .write = write_baselines},
	[RATIOS] = {"vs_default", .write = write_ratios, .put = put_ratios},
	[SURE] = {"sure", .write = write_sure},
	[ENERGY] = {"objective", .write = write_energy},
	[NOISE] = {"noise_pct", .kind = REAL, .at = AT(sure.noise_pct)},
	[TIES] = {"n_ties", .kind = COUNT, .at = AT(sure.ties)},
	[ANSWER_RUN] = {"answer_of_run", .kind = COUNT, .at = AT(answer_run_id),
			.put = put_answer_run},
	[FINALISTS] = {"finalists", .write = write_finalists},
	[TRIALS] = {"trials", .kind = COUNT, .at = AT(trials)},
	[RESUMED] = {"resumed", .kind = COUNT, .at = AT(resumed)},
	[SAME_CODE] = {"same_code", .kind = COUNT, .at = AT(same_code)},
	[STATUSES] = {"statuses", .write = write_statuses},
	[PROFILE] = {"profile", .write = write_profile},
	[SPENT] = {"spent_ns", "spent", .write = write_spent, .print = print_spent},
	[POWER] = {NULL, "power", .print = print_power},
	[STEADY] = {"steady", "machine", .write = write_steady, .print = print_steady},
	[FLUSH] = {"flush_ns", .kind = COUNT, .at = AT(flush_ns)},
	[WALL] = {"wall_ns", .kind = COUNT, .at = AT(wall_ns)},
	[INTERRUPTED] = {"interrupted", .kind = FLAG, .at = AT(interrupted)}};

_Static_assert(sizeof(size_t) == sizeof(int64_t), "a COUNT is read as an int64_t");

/* The outputs, and the order of facts in each; N_FACTS ends a list. */
static const enum fact_id in_headline[] = {TIME, RATIOS, ROOFLINE, ANSWER_RUN, N_FACTS};
static const enum fact_id in_verbose[] = {SUBJECT, BEST,    TIME,     RATE,    ROOFLINE,
					  ERROR,   DEFAULT, BASELINE, PLANNER, HISTORY,
					  POWER,   STEADY,  SPENT,    N_FACTS};
static const enum fact_id at_begin[] = {SUBJECT, STRATEGY, SEED,    VALID,  CARTESIAN,
					PLANNED, PLANNER,  HISTORY, POLICY, N_FACTS};
static const enum fact_id at_end[] = {SUBJECT,   BEST,      DEFAULT,  BASELINE,    SURE,
				      ENERGY,    NOISE,     TIES,     ANSWER_RUN,  RATIOS,
				      BASELINES, FINALISTS, ROOFLINE, PROFILE,     TRIALS,
				      RESUMED,   SAME_CODE, STATUSES, SPENT,       PATIENCE,
				      STEADY,    FLUSH,     WALL,     INTERRUPTED, N_FACTS};

static void write_list(struct json_writer *w, const struct run_facts *f, const enum fact_id *list)
{
	for (; *list != N_FACTS; list++) {
		const struct run_fact *x = &facts[*list];
		const void *member = (const char *)f->sum + x->at;

		switch (x->kind) {
		case NO_MEMBER: x->write(f, x->key, w); break;
		case COUNT: json_write_int(w, x->key, *(const int64_t *)member); break;
		case AMOUNT: /* a count that may be beyond 64 bits: whole where a double is exact */
			if (*(const double *)member < 0x1p53)
				json_write_int(w, x->key, (int64_t) * (const double *)member);
			else
				json_write_real(w, x->key, *(const double *)member);
			break;
		case REAL: json_write_real(w, x->key, *(const double *)member); break;
		case FLAG: json_write_bool(w, x->key, *(const bool *)member); break;
		case TRIAL: write_trial(member, x->key, w); break;
		case TEXT: json_write_string(w, x->key, *(const char *const *)member); break;
		}
	}
}

void run_facts_write_begin(struct json_writer *w, const struct run_facts *f)
{
	write_list(w, f, at_begin);
}

void run_facts_write_end(struct json_writer *w, const struct run_facts *f)
{
	write_list(w, f, at_end);
}

void run_facts_put_headline(struct prose *p, const struct run_facts *f)
{
	for (const enum fact_id *i = in_headline; *i != N_FACTS; i++)
		facts[*i].put(f, p);
}

static void print_line(struct prose *p, const struct run_facts *f, const struct run_fact *x)
{
	struct buf text = {0};

	if (x->of_best && !f->sum->best.found)
		return;
	if (x->print)
		x->print(f, &text);
	else
		print_other((const void *)((const char *)f->sum + x->at), &text);
	if (text.len > 0) {
		prose_put(p, INK_PLAIN, "  %-*s %s", LABEL, x->label, buf_str(&text));
		prose_end(p, HANG);
	}
	buf_fini(&text);
}

void run_facts_print_verbose(struct prose *p, const struct run_facts *f)
{
	for (const enum fact_id *i = in_verbose; *i != N_FACTS; i++)
		print_line(p, f, &facts[*i]);
}

void run_facts_print_patience(struct prose *p, const struct run_facts *f)
{
	print_line(p, f, &facts[PATIENCE]);
}
