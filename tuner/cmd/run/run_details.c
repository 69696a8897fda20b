#include "tuner/cmd/run/run_details.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop.h"

enum { HANG = 11 };

/* Prints a line "  name     text". */
static void print_line(struct prose *p, const char *name, const char *text)
{
	prose_put(p, INK_PLAIN, "  %-8s %s", name, text);
	prose_end(p, HANG);
}

/* Prints a line and ends its storage. */
static void print_text(struct prose *p, const char *name, struct buf *text)
{
	print_line(p, name, buf_str(text));
	buf_fini(text);
}

/* "1.2 ms  (95 % interval 1.1 ms .. 1.3 ms, 32 samples)", or the middle half where there is none;
 * the clock where it is known. */
static void print_time(struct prose *p, const struct loop_trial *best)
{
	const struct stats_summary *t = &best->time;
	const bool known = t->interval.known;
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE], c[UNITS_TEXT_SIZE];
	struct buf text = {0};

	buf_print(&text, "%s  (%s %s .. %s, %zu sample%s", units_print_duration(t->median, a),
		  known ? "95 % interval" : "middle half",
		  units_print_duration(known ? t->interval.low : t->q1, b),
		  units_print_duration(known ? t->interval.high : t->q3, c), t->n,
		  t->n == 1 ? "" : "s");
	if (best->clock_mhz > 0)
		buf_print(&text, " at %.0f MHz", best->clock_mhz);
	buf_add_char(&text, ')');
	print_text(p, "time", &text);
}

static void print_rate(struct prose *p, const struct loop_summary *sum)
{
	char rate[UNITS_TEXT_SIZE];
	struct buf text = {0};

	if (sum->flops > 0)
		buf_add_str(&text, units_print_rate(1e9 * sum->flops / sum->best.time.median,
						    "FLOP/s", rate));
	if (sum->bytes > 0)
		buf_print(&text, "%s%s", sum->flops > 0 ? "  " : "",
			  units_print_rate(1e9 * sum->bytes / sum->best.time.median, "B/s", rate));
	if (text.len > 0)
		print_text(p, "rate", &text);
}

/* Prints why the part of what is attainable is not known. */
static void print_no_roofline(struct prose *p, const struct loop_summary *sum)
{
	const char *why = !(sum->flops > 0)   ? "the workload does not say its flops"
			  : !(sum->bytes > 0) ? "the workload does not say its bytes"
			  : sum->peaks_late   ? "no time was left to measure the peaks of the "
						"device: a longer --budget has it"
					      : "the peaks of the device are not known";
	struct buf text = {0};

	buf_print(&text, "not known: %s", why);
	print_text(p, "attains", &text);
}

static void print_roofline(struct prose *p, const struct loop_summary *sum)
{
	char rate[UNITS_TEXT_SIZE];
	struct buf text = {0};
	struct roofline r;

	if (!loop_summary_place_best(sum, &r)) {
		print_no_roofline(p, sum);
		return;
	}
	units_print_rate(r.attainable, "FLOP/s", rate);
	buf_print(&text, "%.0f %% of the %s attainable at %.3g FLOP/B (%s-bound)", 100 * r.part,
		  rate, r.intensity, r.bound);
	if (r.note)
		buf_print(&text, ": %s", roofline_explain(r.note));
	print_text(p, "attains", &text);
}

/* Prints a trial that the best is compared with; a time of other rounds is not compared. */
static void print_other(struct prose *p, const char *name, const struct loop_trial *t)
{
	char time[UNITS_TEXT_SIZE];
	struct buf text = {0};

	if (!t->found)
		return;
	buf_print(&text, "%s (%s, %s)", units_print_duration(t->time.median, time),
		  t->implementation, buf_str(&t->config));
	if (t->recorded)
		buf_add_str(&text, ", measured at another moment");
	else
		buf_print(&text, ": the best is %.2f times as fast", t->ratio);
	print_text(p, name, &text);
}

static void print_best(struct prose *p, const struct loop_summary *sum)
{
	struct buf text = {0};

	buf_print(&text, "%s  %s", sum->best.implementation, buf_str(&sum->best.config));
	print_text(p, "best", &text);
	print_time(p, &sum->best);
	print_rate(p, sum);
	print_roofline(p, sum);
	if (sum->best.errors.known) {
		buf_print(&text, "%.3g at most, %.3g on average", sum->best.errors.max_abs,
			  sum->best.errors.mean_abs);
		print_text(p, "error", &text);
	}
	print_other(p, "default", &sum->default_trial);
	print_other(p, "baseline", &sum->baseline);
}

void run_details_print_patience(struct prose *p, const struct loop_summary *sum)
{
	const struct loop_patience *s = &sum->patience;
	struct buf text = {0};

	if (!s->over)
		return;
	buf_print(&text, "ended the search after %llu trials: ", (unsigned long long)s->trials);
	if (s->wanted.part > 0 && isinf(s->expected_pct))
		buf_print(&text,
			  "less than %g %% of the remaining configurations were expected to pass",
			  100 * s->wanted.part);
	else if (s->wanted.part > 0)
		buf_print(&text,
			  "the remaining configurations were expected to gain %.2g %%, below the "
			  "limit of %g %%",
			  s->expected_pct, 100 * s->wanted.part);
	else
		buf_print(&text, "%llu in a row gained nothing",
			  (unsigned long long)s->wanted.trials);
	print_text(p, "patience", &text);
}

static void print_machine(struct prose *p, const struct loop_steadiness *s)
{
	const double samples = s->samples > 0 ? (double)s->samples : 1;
	struct buf text = {0};

	if (s->capped > 0) {
		buf_print(&text, "its limit set the clock in %.0f %% of %lld samples",
			  100 * (double)s->capped / samples, (long long)s->samples);
		print_text(p, "power", &text);
	}
	if (!loop_was_unsteady(s))
		return;
	buf_print(&text, "was not steady: of %lld samples %.0f %% with other load, ",
		  (long long)s->samples, 100 * (double)s->load / samples);
	if (s->clock_known || s->clock > 0)
		buf_print(&text, "%.0f %% at a low clock", 100 * (double)s->clock / samples);
	else
		buf_add_str(&text, "clock unknown");
	buf_print(&text, "; %lld taken again", (long long)s->retaken);
	print_text(p, "machine", &text);
}

static const double LEAST_SHOWN_NS = 1e6;

static void print_spent(struct prose *p, const struct loop_summary *sum)
{
	const char *names[LOOP_TIME_PARTS];
	double ns[LOOP_TIME_PARTS];
	char time[UNITS_TEXT_SIZE];
	struct buf text = {0};
	int shown = 0;

	buf_add_str(&text, units_print_duration((double)sum->wall_ns, time));
	for (size_t i = 1, n = loop_summary_time_parts(sum, names, ns); i < n; i++)
		if (ns[i] >= LEAST_SHOWN_NS)
			buf_print(&text, "%s%s %s", shown++ ? ", " : ": ",
				  i == 1 ? "waiting for compilers" : names[i],
				  units_print_duration(ns[i], time));
	if (ns[0] >= LEAST_SHOWN_NS)
		buf_print(&text, "%scompilers %s side by side", shown ? "; " : ": ",
			  units_print_duration(ns[0], time));
	if ((double)sum->flush_ns >= LEAST_SHOWN_NS)
		buf_print(&text, "; %s of it to flush caches",
			  units_print_duration((double)sum->flush_ns, time));
	print_text(p, "spent", &text);
}

void run_details_print(struct prose *p, const struct loop_options *o,
		       const struct loop_summary *sum)
{
	struct buf text = {0};

	buf_print(&text, "%s: %s", o->session->target.device->name, o->session->target.info->model);
	print_text(p, "device", &text);
	if (sum->best.found)
		print_best(p, sum);
	if (sum->history.len)
		print_line(p, "history", buf_str(&sum->history));
	print_machine(p, &sum->steady);
	print_spent(p, sum);
}
