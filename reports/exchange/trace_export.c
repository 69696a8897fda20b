/* The exporter `trace`: when each configuration of a run was compiled and measured, as Chrome's
 * Trace Event Format, which Perfetto and chrome://tracing draw. A run is a process there; each
 * compiler at work, the worker and the finals are its threads, and times are microseconds since the
 * first run began. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db/run_span.h"
#include "reports/tables/exporter.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"

enum { WORKER = 1, FINALS, FIRST_COMPILER }; /* thread numbers of a run, which order its lanes */

#define US_PER_MS 1e3
#define NS_PER_US 1e3

/* ---- lanes of compilers ---- */

struct command { /* a compiler's */
	int64_t begin_ns, end_ns;
	size_t number, lane;
};

struct lanes {
	struct command *commands; /* in the order of the trials */
	size_t n, room;
	int64_t *ends_ns; /* of each lane's last command */
	size_t n_lanes, lanes_room;
};

static enum asc_status collect(void *user, const struct db_spanned_trial *t, struct asc_err *e)
{
	struct lanes *l = user;

	for (size_t i = 0; i < t->n_builds; i++) {
		if (!array_room(&l->commands, l->n, &l->room, sizeof *l->commands))
			return asc_err_nomem(e);
		l->commands[l->n] =
			(struct command){t->builds[2 * i], t->builds[2 * i + 1], l->n, 0};
		l->n++;
	}
	return ASC_OK;
}

static int compare_begins(const void *a, const void *b)
{
	const struct command *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Gives each command of a run a lane, as few as there were compilers at once. */
static enum asc_status lanes_find(struct lanes *l, struct db *d, int64_t run_id, struct asc_err *e)
{
	if (db_each_spanned_trial(d, run_id, collect, l, e))
		return e->status;
	struct command *sorted = calloc(l->n + 1, sizeof *sorted);
	enum asc_status status = ASC_OK;

	if (!sorted)
		return asc_err_nomem(e);
	/* By their begins, in a copy: trials need the commands in their own order. */
	if (l->n > 0)
		memcpy(sorted, l->commands, l->n * sizeof *sorted);
	qsort(sorted, l->n, sizeof *sorted, compare_begins);
	for (size_t i = 0; i < l->n && status == ASC_OK; i++) {
		const struct command *c = &sorted[i];
		size_t lane = 0;

		/* The first lane that is free when the command begins. */
		while (lane < l->n_lanes && l->ends_ns[lane] > c->begin_ns)
			lane++;
		if (lane == l->n_lanes) {
			if (!array_room(&l->ends_ns, lane, &l->lanes_room, sizeof *l->ends_ns)) {
				status = asc_err_nomem(e);
				break;
			}
			l->n_lanes++;
		}
		l->ends_ns[lane] = c->end_ns;
		l->commands[c->number].lane = lane;
	}
	free(sorted);
	return status;
}

/* ---- events ---- */

struct trace {
	const struct export_request *request;
	struct json_writer w;
	int64_t runs, first_ms; /* runs so far; start of the first */
	/* Members of the current run. */
	int64_t run_id;
	double start_us; /* its start, since the start of the first run */
	struct lanes lanes;
	size_t next; /* command of the next build */
};

static void begin_event(struct trace *t, const char *kind, size_t thread, const char *name)
{
	buf_add_char(t->w.out, '\n');
	json_write_begin(&t->w, NULL, '{');
	json_write_string(&t->w, "ph", kind);
	json_write_int(&t->w, "pid", t->run_id);
	json_write_int(&t->w, "tid", (int64_t)thread);
	json_write_string(&t->w, "name", name);
}

/* Names a lane, or, for thread 0, the run. */
static void add_name(struct trace *t, size_t thread, const char *name)
{
	begin_event(t, "M", thread, thread ? "thread_name" : "process_name");
	json_write_begin(&t->w, "args", '{');
	json_write_string(&t->w, "name", name);
	json_write_end(&t->w, '}');
	json_write_end(&t->w, '}');
	begin_event(t, "M", thread, thread ? "thread_sort_index" : "process_sort_index");
	json_write_begin(&t->w, "args", '{');
	json_write_int(&t->w, "sort_index", thread ? (int64_t)thread : t->runs);
	json_write_end(&t->w, '}');
	json_write_end(&t->w, '}');
}

/* Begins a span; its "args" are to be written. */
static void begin_span(struct trace *t, size_t thread, const char *name, double begin_ns, double ns)
{
	begin_event(t, "X", thread, name);
	json_write_real(&t->w, "ts", t->start_us + begin_ns / NS_PER_US);
	json_write_real(&t->w, "dur", ns / NS_PER_US);
	json_write_begin(&t->w, "args", '{');
}

static void end_span(struct trace *t)
{
	json_write_end(&t->w, '}');
	json_write_end(&t->w, '}');
}

static void add_span(struct trace *t, const struct db_spanned_trial *trial, size_t thread,
		     enum phase phase, double begin_ns, double ns)
{
	struct buf name = {0};

	buf_print(&name, "%s %s", phase_name(phase), trial->implementation);
	begin_span(t, thread, buf_str(&name), begin_ns, ns);
	json_write_int(&t->w, "trial", trial->id);
	json_write_string(&t->w, "configuration", trial->config_key);
	json_write_string(&t->w, "status", trial->status);
	end_span(t);
	t->w.out->failed |= name.failed;
	buf_fini(&name);
}

static enum asc_status add_trial(void *user, const struct db_spanned_trial *trial,
				 struct asc_err *e)
{
	struct trace *t = user;
	double at_ns = (double)trial->begin_ns;

	for (size_t i = 0; i < trial->n_builds && t->next < t->lanes.n; i++) {
		const struct command *c = &t->lanes.commands[t->next++];

		add_span(t, trial, FIRST_COMPILER + c->lane, PHASE_BUILD, (double)c->begin_ns,
			 (double)c->end_ns - (double)c->begin_ns);
	}
	/* Phases of a trial follow each other in the worker; their begins are not recorded. */
	for (size_t p = PHASE_LOAD; p < PHASE_COUNT && trial->worked; p++) {
		const double ns = (double)trial->spent_ns[p];

		if (ns > 0)
			add_span(t, trial, WORKER, (enum phase)p, at_ns, ns);
		at_ns += ns;
	}
	return buf_check(t->w.out, e);
}

static void add_names(struct trace *t, const struct db_spanned_run *r)
{
	struct buf name = {0};

	buf_print(&name, "run %" PRId64 ": %s/%s on %s: %s", r->id, r->workload, r->problem,
		  r->device_kind, r->device_model ? r->device_model : "");
	if (r->cache_policy)
		buf_print(&name, ", %s cache", r->cache_policy);
	add_name(t, 0, buf_str(&name));
	add_name(t, WORKER, "worker");
	if (r->has_finals)
		add_name(t, FINALS, "finals");
	for (size_t i = 0; i < t->lanes.n_lanes; i++) {
		buf_clear(&name);
		buf_print(&name, "compiler %zu", i + 1);
		add_name(t, FIRST_COMPILER + i, buf_str(&name));
	}
	t->w.out->failed |= name.failed;
	buf_fini(&name);
}

static enum asc_status add_run(void *user, const struct db_spanned_run *r, struct asc_err *e)
{
	struct trace *t = user;

	/* Since the first run: a double has no room for a date and nanoseconds. */
	if (t->runs++ == 0)
		t->first_ms = r->started_ms;
	t->run_id = r->id;
	t->start_us = ((double)r->started_ms - (double)t->first_ms) * US_PER_MS;
	t->lanes = (struct lanes){0};
	t->next = 0;
	enum asc_status status = lanes_find(&t->lanes, t->request->db, r->id, e);

	if (status == ASC_OK) {
		add_names(t, r);
		if (r->has_finals) {
			begin_span(t, FINALS, "finals", (double)r->finals_begin_ns,
				   (double)r->finals_ns);
			json_write_int(&t->w, "finalists", r->finalists);
			if (r->chosen_config_key) {
				json_write_string(&t->w, "chosen implementation",
						  r->chosen_implementation);
				json_write_string(&t->w, "chosen configuration",
						  r->chosen_config_key);
			}
			end_span(t);
		}
		status = db_each_spanned_trial(t->request->db, r->id, add_trial, t, e);
	}
	free(t->lanes.commands);
	free(t->lanes.ends_ns);
	return status;
}

/* ---- the file ---- */

static enum asc_status write_trace(struct trace *t, int64_t run_id, struct asc_err *e)
{
	json_write_begin(&t->w, NULL, '{');
	json_write_string(&t->w, "displayTimeUnit", "ms");
	json_write_begin(&t->w, "otherData", '{');
	json_write_string(&t->w, "format", "asctune-trace");
	json_write_end(&t->w, '}');
	json_write_begin(&t->w, "traceEvents", '[');
	if (db_each_spanned_run(t->request->db, run_id, t->request->simulated, add_run, t, e))
		return e->status;
	json_write_end(&t->w, ']');
	json_write_end(&t->w, '}');
	buf_add_char(t->w.out, '\n');
	if (t->runs == 0 && run_id)
		return asc_err_set(e, ASC_NOTFOUND,
				   "nothing to export: run %" PRId64
				   " is not there, or has no times of what it did",
				   run_id);
	if (t->runs == 0)
		return asc_err_set(e, ASC_NOTFOUND,
				   "nothing to export: no run has times of what it did, which "
				   "`asctune run` records");
	return buf_check(t->w.out, e);
}

static enum asc_status export_trace(const struct exporter_ops *self, const struct export_request *r,
				    struct sink *to, struct asc_err *e)
{
	struct buf text = {0};
	struct trace t = {.request = r, .w = {&text, false}};
	const char *run = exporter_find_setting(r, "run");
	uint64_t number = 0;

	if (run && (!units_parse_count(run, &number) || number > INT64_MAX))
		return asc_err_set(e, ASC_USAGE, "--set run=%s: expected the number of a run", run);
	enum asc_status status = write_trace(&t, (int64_t)number, e);

	if (status == ASC_OK)
		status = sink_add(to, &self->kind, "trace.json", &text, e);
	buf_fini(&text);
	return status;
}

static const struct export_option trace_options[] = {
	{"run", "number of the one run to draw (default: the newest of each problem, "
		"device and cache policy)"},
	{0}};

const struct exporter_ops trace_exporter = {
	.name = "trace",
	.summary = "trace.json: compilers, worker and finals over time, for Perfetto and "
		   "chrome://tracing",
	.needs = EXPORT_TRIALS,
	.simulated = true,
	.options = trace_options,
	.kind = {.begins = "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"format\":"
			   "\"asctune-trace\""},
	.write = export_trace,
};
