#include "tuner/cmd/answers/trial_text.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/build/builder.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/config.h"
#include "tuner/workload/workload.h"

enum { MAX_SAMPLES_SHOWN = 16, HANG = 11 };

/* ---- configuration ---- */

static void add_config(const struct loop_options *o, const struct loop_event *event,
		       struct buf *out)
{
	const struct config *c = &event->trial->config;
	bool given[CONFIG_MAX_PARAMETERS];
	struct config ignored = *c;
	struct buf text = {0};
	const char *separator = "";
	struct asc_err e;

	config_print(c, event->trial->names, &text);
	buf_print(out, "  config   %s%s%s\n", event->trial->implementation->name,
		  text.len ? "  " : "", buf_str(&text));
	buf_clear(&text);
	/* Parsed once more, to see which parameters the user left to their defaults. */
	if (config_parse_over(o->config, event->trial->names, &ignored, given, &e) == ASC_OK)
		for (size_t i = 0; i < c->n; i++) {
			if (given[i])
				continue;
			buf_print(&text, "%s%s", separator, event->trial->names[i]);
			separator = ", ";
		}
	if (text.len)
		buf_print(out, "  default  %s: not given\n", buf_str(&text));
	buf_fini(&text);
}

/* ---- build ---- */

/* Makes the build command of a call in `out`, which is for build_command_fini() in any case; false
 * where nothing is built. */
static bool find_command(const struct loop_options *o, const struct loop_event *event, size_t call,
			 struct build_command *out)
{
	const struct implementation *i = event->trial->implementation;
	const struct builder_ops *builder =
		builder_find(i->calls[call].builder, o->session->target.device->name);
	struct plan plan;
	struct asc_err e;
	char output[128];
	const struct kernel_source kernel = {.binding = event->binding,
					     .call = &i->calls[call],
					     .implementation = i,
					     .config = &event->trial->config,
					     .names = event->trial->names,
					     .plan = &plan,
					     .device = o->session->target.device->name,
					     .arch = o->session->target.info->arch,
					     .program = o->session->target.program};
	struct build_request request;

	build_command_init(out);
	if (!builder || !builder->command ||
	    binding_plan(event->binding, i, call, &event->trial->config, &plan, &e))
		return false;
	(void)snprintf(output, sizeof output, "%s%s", i->name, builder->suffix);
	kernel_request(builder, &kernel, &request);
	bool ok = !build_request_check(&request, &e);
	if (ok)
		builder->command(&request, ".", output, out);
	build_request_fini(&request);
	return ok && !build_command_check(out, &e);
}

/* A program that starts a compiler which stays may be given as text, and facts with it. */
static const char *shown_word(const struct build_command *c, size_t i)
{
	enum { LONG = 400 };

	return i < c->n_server && strlen(c->argv[i]) > LONG ? "PROGRAM" : c->argv[i];
}

/* Adds how a call was built; of several, the first line tells the time of all. */
static void add_build(const struct loop_options *o, const struct loop_event *event, size_t call,
		      struct buf *out)
{
	const struct result *r = &event->trial->result;
	struct build_command c;
	struct buf text = {0};
	char time[UNITS_TEXT_SIZE];

	buf_add_str(out, call == 0 ? "  build    " : "           ");
	if (!find_command(o, event, call, &c)) {
		buf_print(out, "none: %s\n", event->trial->implementation->calls[call].source);
		build_command_fini(&c);
		return;
	}
	for (size_t i = 0; i < c.argc; i++)
		shell_add_argument(&text, shown_word(&c, i));
	if (call == 0)
		buf_print(out, "%s: ",
			  r->cached ? "from the cache"
				    : units_print_duration((double)r->spent_ns[PHASE_BUILD], time));
	buf_print(out, "%s\n", buf_str(&text));
	if (c.input)
		buf_print(out, "           (%s is generated: --json has its text)\n", c.input_name);
	buf_fini(&text);
	build_command_fini(&c);
}

static void write_build(const struct loop_options *o, const struct loop_event *event, size_t call,
			struct json_writer *w)
{
	struct build_command c;

	if (find_command(o, event, call, &c)) {
		json_write_begin(w, "build_command", '[');
		for (size_t i = 0; i < c.argc; i++)
			json_write_string(w, NULL, shown_word(&c, i));
		json_write_end(w, ']');
		if (c.input) {
			json_write_string(w, "build_input_name", c.input_name);
			json_write_string(w, "build_input", c.input);
		}
	}
	build_command_fini(&c);
}

void trial_text_write_build(const struct loop_options *o, const struct loop_event *event,
			    struct json_writer *w)
{
	const size_t n = event->trial->implementation->n_calls;

	if (n == 1) {
		write_build(o, event, 0, w);
		return;
	}
	json_write_begin(w, "calls", '[');
	for (size_t k = 0; k < n; k++) {
		json_write_begin(w, NULL, '{');
		write_build(o, event, k, w);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

/* ---- result ---- */

static void add_time(const struct result *r, struct buf *out)
{
	const struct stats_summary *t = &r->time;
	bool known = t->interval.known;
	char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE], c[UNITS_TEXT_SIZE];

	buf_print(out, "  time     %s  (%s %s .. %s, %zu samples of %lld launch%s)\n",
		  units_print_duration(t->median, a), known ? "95 % interval" : "middle half",
		  units_print_duration(known ? t->interval.low : t->q1, b),
		  units_print_duration(known ? t->interval.high : t->q3, c), r->n_samples,
		  (long long)r->launches_per_sample, r->launches_per_sample == 1 ? "" : "es");
}

static void add_samples(const struct result *r, struct buf *out)
{
	char text[UNITS_TEXT_SIZE];

	buf_add_str(out, "  samples ");
	for (size_t i = 0; i < r->n_samples && i < MAX_SAMPLES_SHOWN; i++)
		buf_print(out, "%s %s", i ? "," : "",
			  units_print_duration((double)r->samples[i], text));
	if (r->n_samples > MAX_SAMPLES_SHOWN)
		buf_print(out, " and %zu more: --json has them all",
			  r->n_samples - MAX_SAMPLES_SHOWN);
	buf_add_char(out, '\n');
	if (result_marked(r) > 0)
		buf_print(out,
			  "           %zu of them were disturbed by other load or a low clock\n",
			  result_marked(r));
}

static void add_errors(const struct result *r, struct buf *out)
{
	const struct error_norms *n = &r->errors;

	buf_print(out, "  error    %.3g at most, %.3g on average, %.3g relative", n->max_abs,
		  n->mean_abs, n->max_rel);
	if (n->bad)
		buf_print(out, "; %lld elements outside the tolerance", (long long)n->bad);
	if (n->not_finite)
		buf_print(out, ", %lld not finite", (long long)n->not_finite);
	if (r->verified_by > VERIFIED_FLOAT64)
		buf_print(out, "; from %s", verified_by_words(r->verified_by));
	buf_add_char(out, '\n');
}

static void add_metrics(const struct result *r, struct buf *out)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		buf_print(out, "  %-8s %s %.6g %s\n", r->metrics[i].probe, r->metrics[i].name,
			  r->metrics[i].value, r->metrics[i].unit);
}

/* A compiler's message may quote a source: no control character reaches the terminal. */
static void print_log(const char *log)
{
	struct prose p;

	fputs("  log\n", stdout);
	prose_open(&p, stdout);
	while (*log) {
		const size_t n = strcspn(log, "\n");

		prose_put(&p, INK_PLAIN, "    %.*s", (int)n, log);
		prose_end(&p, 4);
		log += n + (log[n] == '\n');
	}
	prose_close(&p);
}

void trial_text_print(const char *title, const struct loop_options *o,
		      const struct loop_event *event)
{
	const struct result *r = &event->trial->result;
	struct buf out = {0};

	buf_print(&out, "%s on %s: %s\n", title, o->session->target.device->name,
		  o->session->target.info->model);
	add_config(o, event, &out);
	buf_print(&out, "  result   %s: %s\n", result_status_name(r->status), result_reason(r));
	for (size_t k = 0; k < event->trial->implementation->n_calls; k++)
		add_build(o, event, k, &out);
	if (r->n_samples > 0) {
		add_time(r, &out);
		add_samples(r, &out);
	}
	if (r->errors.known)
		add_errors(r, &out);
	add_metrics(r, &out);
	prose_print(stdout, HANG, buf_str(&out));
	if (r->log && *r->log)
		print_log(r->log);
	fflush(stdout);
	buf_fini(&out);
}
