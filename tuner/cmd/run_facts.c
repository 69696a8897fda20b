#include "tuner/cmd/run_facts.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "reports/export/best_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/binding/binding_rewrite.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run_failures.h"
#include "tuner/cmd/trial_text.h"
#include "tuner/device/device.h"
#include "tuner/loop/loop.h"
#include "tuner/run/session.h"
#include "tuner/run/trial.h"
#include "tuner/space/config.h"
#include "tuner/workload/workload.h"

enum { TIME_PARTS = PHASE_COUNT + 7 };

/* Parts of a run's time. Compilers run side by side; the parts behind theirs add up to the whole.
 */
static size_t time_parts(const struct loop_summary *sum, const char *names[TIME_PARTS],
			 double ns[TIME_PARTS])
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
		json_write_bool(w, "tied", f->standing == STANDING_TIED);
		json_write_string(w, "standing", standing_name(f->standing));
		json_write_bool(w, "winner", f->winner);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

static bool place_best(const struct loop_summary *sum, struct roofline *r)
{
	const struct roof roof = peaks_roof(&sum->peaks, sum->element);

	return roofline_place(&roof, sum->flops, sum->bytes,
			      sum->best.found ? sum->best.time.median : 0, r);
}

static void write_roofline(struct json_writer *w, const struct loop_summary *sum)
{
	const struct roof roof = peaks_roof(&sum->peaks, sum->element);
	struct roofline r;

	if (!place_best(sum, &r))
		return;
	json_write_begin(w, "roofline", '{');
	json_write_real(w, "peak_flops", roof.flops);
	json_write_real(w, "peak_bandwidth", roof.bandwidth);
	json_write_real(w, "intensity", r.intensity);
	json_write_real(w, "attainable_flops", r.attainable);
	json_write_real(w, "attainable_part", r.part);
	json_write_string(w, "bound", r.bound);
	json_write_end(w, '}');
}

void run_facts_end_json(const struct loop_options *o, const struct loop_summary *sum)
{
	const char *names[TIME_PARTS];
	double ns[TIME_PARTS];
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
	if (sum->best.found && sum->baseline.found && !sum->baseline.recorded)
		json_write_real(&w, "vs_baseline",
				sum->baseline.time.median / sum->best.time.median);
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
	for (size_t i = 0, n = time_parts(sum, names, ns); i < n; i++)
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

/* Prints the baseline; a time of other rounds is not compared. */
static void print_baseline(const struct loop_summary *sum)
{
	const struct loop_trial *t = &sum->baseline;
	char text[UNITS_TEXT_SIZE];

	if (!t->found)
		return;
	printf("  baseline %s (%s, %s", units_print_duration(t->time.median, text),
	       t->implementation, buf_str(&t->config));
	if (t->recorded)
		puts("), measured at another moment");
	else
		printf("): the best is %.2f times as fast\n",
		       t->time.median / sum->best.time.median);
}

/* "1.2 ms  (95 % interval 1.1 ms .. 1.3 ms, 32 samples)", or the middle half where there is none;
 * the clock where it is known. */
static void print_time(const struct loop_trial *best)
{
	const struct stats_summary *t = &best->time;
	bool known = t->interval.known;
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE], c[UNITS_TEXT_SIZE], clock[32] = "";

	if (best->clock_mhz > 0)
		(void)snprintf(clock, sizeof clock, " at %.0f MHz", best->clock_mhz);
	printf("  time     %s  (%s %s .. %s, %zu sample%s%s)\n", units_print_duration(t->median, a),
	       known ? "95 % interval" : "middle half",
	       units_print_duration(known ? t->interval.low : t->q1, b),
	       units_print_duration(known ? t->interval.high : t->q3, c), t->n,
	       t->n == 1 ? "" : "s", clock);
}

enum { MAX_TIES_SHOWN = 8 };

/* NAME=VALUE,... of `config` without what `best` has, too. */
static void print_difference(const char *config, const char *best)
{
	const char *separator = "  ";

	for (const char *p = config; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
		int n = (int)strcspn(p, ",");
		bool same = false;

		for (const char *q = best; *q && !same;
		     q += strcspn(q, ",") + (q[strcspn(q, ",")] == ','))
			same = (int)strcspn(q, ",") == n && strncmp(p, q, (size_t)n) == 0;
		if (same)
			continue;
		printf("%s%.*s", separator, n, p);
		separator = ",";
	}
}

/* Prints the ties: ratio to the best in the same round, and the parameters that differ from it. */
static void print_ties(const struct loop_summary *sum)
{
	size_t shown = 0;

	if (sum->n_finalists == 0 || sum->sure.ties < 2)
		return;
	printf("  ties     %zu of %zu finalists may be the fastest; times the best's (95 %% "
	       "interval):\n",
	       sum->sure.ties, sum->n_finalists);
	for (size_t i = 0; i < sum->n_finalists && shown < MAX_TIES_SHOWN; i++) {
		const struct loop_finalist *f = &sum->finalists[i];

		if (f->winner || f->standing == STANDING_SLOWER)
			continue;
		shown++;
		printf("           %.3f (%.3f .. %.3f)", f->ratio, f->interval.low,
		       f->interval.high);
		if (strcmp(f->implementation, sum->best.implementation) != 0)
			printf("  %s", f->implementation);
		print_difference(buf_str(&f->config), buf_str(&sum->best.config));
		putchar('\n');
	}
	if (sum->sure.ties > shown + 1)
		printf("           and %zu more: `asctune best --json` has them all\n",
		       sum->sure.ties - shown - 1);
}

static void print_roofline(const struct loop_summary *sum)
{
	struct roofline r;
	char text[UNITS_TEXT_SIZE];

	if (!place_best(sum, &r))
		return;
	units_print_rate(r.attainable, "FLOP/s", text);
	if (roofline_is_cached(&r))
		printf("  peak     %.3g times the %s attainable from memory at %.3g FLOP/B (the "
		       "data "
		       "stayed in caches)\n",
		       r.part, text, r.intensity);
	else
		printf("  peak     %.0f %% of the %s attainable at %.3g FLOP/B (%s-bound)\n",
		       100 * r.part, text, r.intensity, r.bound);
}

static void print_default(const struct loop_summary *sum)
{
	const struct loop_trial *best = &sum->best, *trial = &sum->default_trial;
	char text[UNITS_TEXT_SIZE];

	if (sum->default_failure && !trial->found)
		run_failures_print_line("default", sum->default_failure);
	else if (trial->found && strcmp(trial->implementation, best->implementation) == 0 &&
		 strcmp(buf_str(&trial->config), buf_str(&best->config)) == 0)
		puts("  default  is the best");
	else if (trial->found)
		printf("  default  %s (%s, %s): the best is %.2f times as fast\n",
		       units_print_duration(trial->time.median, text), trial->implementation,
		       buf_str(&trial->config), trial->time.median / best->time.median);
}

static void print_best(const struct loop_summary *sum)
{
	const struct stats_summary *t = &sum->best.time;
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];

	printf("  best     %s  %s\n", sum->best.implementation, buf_str(&sum->best.config));
	print_time(&sum->best);
	print_ties(sum);
	if (sum->flops > 0 || sum->bytes > 0)
		printf("  rate     %s%s%s\n",
		       sum->flops > 0 ? units_print_rate(1e9 * sum->flops / t->median, "FLOP/s", a)
				      : "",
		       sum->flops > 0 && sum->bytes > 0 ? "  " : "",
		       sum->bytes > 0 ? units_print_rate(1e9 * sum->bytes / t->median, "B/s", b)
				      : "");
	print_roofline(sum);
	if (sum->best.errors.known)
		printf("  error    %.3g at most, %.3g on average\n", sum->best.errors.max_abs,
		       sum->best.errors.mean_abs);
	print_default(sum);
	print_baseline(sum);
}

static void print_trials(const struct loop_summary *sum)
{
	const char *separator = ": ";

	printf("  trials   %llu of %.0f", (unsigned long long)sum->trials, sum->valid);
	for (int i = 0; i < RESULT_STATUS_COUNT; i++)
		if (sum->by_status[i]) {
			printf("%s%llu %s", separator, (unsigned long long)sum->by_status[i],
			       result_status_name((enum result_status)i));
			separator = ", ";
		}
	if (sum->resumed)
		printf(" (%llu from the database)", (unsigned long long)sum->resumed);
	putchar('\n');
}

/* Prints why the search ended before its budget. */
static void print_patience(const struct loop_patience *p)
{
	if (!p->over)
		return;
	printf("  patience ended the search after %llu trials: ", (unsigned long long)p->trials);
	if (p->wanted.part > 0 && isinf(p->expected_pct))
		printf("less than %g %% of the rest are expected to pass\n", 100 * p->wanted.part);
	else if (p->wanted.part > 0)
		printf("%.2g %% of the time were expected of the rest, less than %g %%\n",
		       p->expected_pct, 100 * p->wanted.part);
	else
		printf("%llu in a row gained nothing\n", (unsigned long long)p->wanted.trials);
}

static void print_power(const struct loop_steadiness *s)
{
	double samples = s->samples > 0 ? (double)s->samples : 1;

	if (s->capped > 0)
		printf("  power    its limit set the clock in %.0f %% of %lld samples\n",
		       100 * (double)s->capped / samples, (long long)s->samples);
	if (s->hot > 0)
		printf("  heat     lowered the clock in %.0f %% of %lld samples, which were kept\n",
		       100 * (double)s->hot / samples, (long long)s->samples);
}

static void print_machine(const struct loop_steadiness *s)
{
	double samples = s->samples > 0 ? (double)s->samples : 1;

	printf("  machine  was not steady: of %lld samples %.0f %% with other load, ",
	       (long long)s->samples, 100 * (double)s->load / samples);
	if (s->clock_known || s->clock > 0)
		printf("%.0f %% at a low clock", 100 * (double)s->clock / samples);
	else
		fputs("clock unknown", stdout);
	printf("; %lld taken again\n", (long long)s->retaken);
}

static const double LEAST_SHOWN_NS = 1e6;

static void print_spent(const struct loop_summary *sum)
{
	int shown = 0;
	const char *names[TIME_PARTS];
	double ns[TIME_PARTS];
	char text[UNITS_TEXT_SIZE];

	printf("  spent    %s", units_print_duration((double)sum->wall_ns, text));
	for (size_t i = 1, n = time_parts(sum, names, ns); i < n; i++) {
		if (ns[i] < LEAST_SHOWN_NS)
			continue;
		printf("%s%s %s", shown++ ? ", " : ": ",
		       i == 1 ? "waiting for compilers" : names[i],
		       units_print_duration(ns[i], text));
	}
	if (ns[0] >= LEAST_SHOWN_NS)
		printf("%scompilers %s side by side", shown ? "; " : ": ",
		       units_print_duration(ns[0], text));
	if ((double)sum->flush_ns >= LEAST_SHOWN_NS)
		printf("; %s of it to flush caches",
		       units_print_duration((double)sum->flush_ns, text));
	puts(sum->interrupted ? " (interrupted)" : "");
}

/* The verdict ends the first line; a run without an answer has none. */
static void print_verdict(const struct loop_summary *sum)
{
	char text[SURE_TEXT_SIZE];

	if (sum->best.found || sum->sure.sure != SURE_UNKNOWN)
		printf(": %s", sure_print(&sum->sure, text));
	if (sum->answer_run_id && sum->answer_run_id != sum->run_id)
		printf(" (by run %lld)", (long long)sum->answer_run_id);
	putchar('\n');
}

void run_facts_end_text(const char *title, const struct run_options *run,
			const struct loop_options *o, const struct loop_summary *sum)
{
	bool busy = loop_was_busy(&sum->steady);

	printf("%s on %s: %s%s", title, o->session->target.device->name,
	       o->session->target.info->model,
	       o->session->target.info->simulated ? ", simulated" : "");
	print_verdict(sum);
	if (busy)
		print_machine(&sum->steady);
	if (sum->best.found)
		print_best(sum);
	else
		printf("  best     none: %s\n",
		       sum->trials ? "no configuration passed" : "nothing was tried");
	print_trials(sum);
	print_patience(&sum->patience);
	if (sum->history.len)
		run_failures_print_line("history", buf_str(&sum->history));
	print_power(&sum->steady);
	if (!busy && loop_was_unsteady(&sum->steady))
		print_machine(&sum->steady);
	run_failures_print(run, o, sum);
	print_spent(sum);
	fflush(stdout);
}
