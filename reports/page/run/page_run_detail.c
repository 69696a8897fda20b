/* The record of one configuration: samples, noise, clocks, errors, the compiler's output. */
#include <inttypes.h>
#include <math.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"
#include "tuner/result/result.h"

enum { MAX_SAMPLES = 64, MAX_METRICS = 40 };

static void begin_fact(struct buf *out, const char *name)
{
	buf_print(out, "<dt>%s</dt><dd>", name);
}

static void end_fact(struct buf *out)
{
	buf_add_str(out, "</dd>\n");
}

/* ---- samples ---- */

enum { BARS = 20, WIDTH = 120, HEIGHT = 28 };

/* Appends a small picture of bars, without axes, whose label states the number of samples and their
 * range; nothing for fewer than two samples or equal ones. */
static void write_histogram(const int64_t *samples_ns, size_t n, struct buf *out)
{
	const int width = WIDTH / BARS;
	size_t counts[BARS] = {0}, most = 0;
	int64_t low = n ? samples_ns[0] : 0, high = low;
	char from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];

	for (size_t i = 1; i < n; i++) {
		low = samples_ns[i] < low ? samples_ns[i] : low;
		high = samples_ns[i] > high ? samples_ns[i] : high;
	}
	if (low >= high) /* one sample, or equal ones: there is no range to divide */
		return;
	for (size_t i = 0; i < n; i++) {
		const double part = (double)(samples_ns[i] - low) / (double)(high - low);
		const size_t bar = part < 1 ? (size_t)(part * BARS) : BARS - 1;

		counts[bar]++;
		most = counts[bar] > most ? counts[bar] : most;
	}
	buf_print(
		out,
		"<svg class=\"spark\" role=\"img\" viewBox=\"0 0 %d %d\" aria-label=\"%zu samples "
		"from %s to %s in %d bars of equal width\">",
		WIDTH, HEIGHT, n, number_print_time((double)low, from),
		number_print_time((double)high, to), BARS);
	for (int i = 0; i < BARS; i++) {
		const double height = (double)(HEIGHT - 1) * (double)counts[i] / (double)most;

		if (counts[i])
			buf_print(out,
				  "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" "
				  "fill=\"var(--s1)\"/>",
				  i * width, HEIGHT - height, width - 1, height);
	}
	buf_add_str(out, "</svg>");
}

static void write_samples(const struct result *r, struct buf *out)
{
	char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE], middle[NUMBER_TEXT_SIZE];

	begin_fact(out, "samples");
	if (r->n_samples == 0) {
		buf_add_str(out, "none");
		end_fact(out);
		return;
	}
	if (r->same.as) {
		buf_add_str(out, "not measured: those of ");
		html_text(out, r->same.as);
		buf_add_str(out, ", whose code and launch are the same; ");
	}
	buf_print(out, "%zu samples, %" PRId64 " launch%s each, from %s to %s; middle half %s wide",
		  r->n_samples, r->launches_per_sample, r->launches_per_sample == 1 ? "" : "es",
		  number_print_time(r->time.min, low), number_print_time(r->time.max, high),
		  number_print_time(r->time.q3 - r->time.q1, middle));
	write_histogram(r->samples, r->n_samples, out);
	buf_add_str(out, "<details class=\"data\"><summary>in ns</summary><code>");
	for (size_t i = 0; i < r->n_samples && i < MAX_SAMPLES; i++)
		buf_print(out, "%s%" PRId64, i ? " " : "", r->samples[i]);
	if (r->n_samples > MAX_SAMPLES)
		buf_print(out, " and %zu more", r->n_samples - MAX_SAMPLES);
	buf_add_str(out, "</code></details>");
	end_fact(out);
}

static void write_noise(const struct result *r, struct buf *out)
{
	size_t load = 0, clock = 0;
	int64_t low_mhz = 0, high_mhz = 0; /* 0: not known */

	for (size_t i = 0; r->notes && i < r->n_samples; i++) {
		const int64_t mhz = r->notes[i] >> RESULT_MHZ_SHIFT;

		load += (r->notes[i] & RESULT_MARK_LOAD) != 0;
		clock += (r->notes[i] & RESULT_MARK_CLOCK) != 0;
		if (mhz > 0 && (low_mhz == 0 || mhz < low_mhz))
			low_mhz = mhz;
		if (mhz > high_mhz)
			high_mhz = mhz;
	}
	begin_fact(out, "noise");
	if (!r->notes)
		buf_add_str(out, "not recorded");
	else
		buf_print(out,
			  "%zu samples with other load, %zu with a low clock, %" PRId64
			  " taken again",
			  load, clock, r->retaken);
	end_fact(out);
	begin_fact(out, "clock");
	if (high_mhz == 0)
		buf_add_str(out, "not recorded");
	else if (low_mhz == high_mhz)
		buf_print(out, "%" PRId64 " MHz", high_mhz);
	else
		buf_print(out, "%" PRId64 " to %" PRId64 " MHz", low_mhz, high_mhz);
	end_fact(out);
}

/* ---- the rest ---- */

static void write_errors(const struct result *r, struct buf *out)
{
	const struct error_norms *v = &r->errors;

	begin_fact(out, "error");
	if (v->known)
		buf_print(out,
			  "%.3g at most, %.3g on average, relative %.3g at most; %" PRId64
			  " elements outside the tolerance, %" PRId64 " not finite%s%s",
			  v->max_abs, v->mean_abs, v->max_rel, v->bad, v->not_finite,
			  r->verified_by ? "; from " : "",
			  r->verified_by ? verified_by_words(r->verified_by) : "");
	else
		buf_add_str(out, "not recorded");
	end_fact(out);
}

static void write_spent(const struct result *r, struct buf *out)
{
	char text[NUMBER_TEXT_SIZE];
	size_t n = 0;

	begin_fact(out, "time spent");
	for (size_t p = 0; p < PHASE_COUNT; p++)
		if (r->spent_ns[p] > 0)
			buf_print(out, "%s%s %s", n++ ? ", " : "", phase_name((enum phase)p),
				  number_print_time((double)r->spent_ns[p], text));
	if (r->cached)
		buf_print(out, "%sbuilt earlier", n ? "; " : "");
	end_fact(out);
}

static void write_metrics(const struct result *r, struct buf *out)
{
	begin_fact(out, "counters");
	if (r->n_metrics == 0)
		buf_add_str(out, "not recorded");
	for (size_t i = 0; i < r->n_metrics && i < MAX_METRICS; i++) {
		const struct metric *m = &r->metrics[i];

		buf_add_str(out, i ? ", " : "");
		html_name(out, m->probe, 24);
		buf_add_char(out, ' ');
		html_name(out, m->name, 40);
		buf_print(out, " %.6g ", m->value);
		html_name(out, m->unit, 16);
	}
	end_fact(out);
}

static void write_log(const struct result *r, struct buf *out)
{
	begin_fact(out, "compiler");
	if (r->log && *r->log) {
		buf_add_str(out, "<pre>");
		html_text(out, r->log);
		buf_add_str(out, "</pre>");
	} else {
		buf_add_str(out, "no messages");
	}
	end_fact(out);
}

static void write_result(const struct result *r, const char *rewrites, struct buf *out)
{
	buf_add_str(out, "<dl>\n");
	write_samples(r, out);
	write_noise(r, out);
	write_errors(r, out);
	write_metrics(r, out);
	write_spent(r, out);
	if (*rewrites) {
		begin_fact(out, "rewrites");
		buf_add_str(out, "<code>");
		html_text(out, rewrites);
		buf_add_str(out, "</code>");
		end_fact(out);
	}
	write_log(r, out);
	if (*r->artifact) {
		begin_fact(out, "artifact");
		html_text(out, r->artifact);
		end_fact(out);
	}
	buf_add_str(out, "</dl>\n");
}

static enum asc_status write_trial(struct page_run *r, int64_t id, struct asc_err *e)
{
	struct result result;
	struct buf rewrites = {0};
	enum asc_status status = db_get_trial(r->p->db, id, &result, &rewrites, e);

	if (status == ASC_OK) {
		write_result(&result, buf_str(&rewrites), r->p->out);
		result_fini(&result);
	}
	buf_fini(&rewrites);
	return page_run_forgive(r->p, status, e);
}

enum asc_status page_run_detail(struct page_run *r, size_t place, struct asc_err *e)
{
	const struct run_place *x = &r->top[place];
	struct buf *out = r->p->out;
	enum asc_status status = ASC_OK;

	buf_print(out, "<details id=\"%s_%zu\"><summary>%zu: ", r->id, place + 1, place + 1);
	html_name(out, x->config_key, PAGE_RUN_CONFIG);
	buf_add_str(out, "</summary>\n");
	if (x->trial)
		status = write_trial(r, x->trial->id, e);
	else
		buf_add_str(out,
			    "<p class=\"note\">It was measured in an earlier run, which has its "
			    "samples.</p>\n");
	buf_add_str(out, "</details>\n");
	return status;
}
