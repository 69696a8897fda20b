#include "tuner/cmd/build/build_report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/build/verdict.h"
#include "tuner/cmd/build/built_kernel.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/live_lines.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/device/device.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/workload/binding/binding.h"

/* One implementation of one problem. */
struct build_row {
	char *problem, *implementation; /* heap */
	size_t place;                   /* of the implementation in its file */
	struct build_counts counts;
	bool has_code; /* of machine code: */
	int64_t least_registers, most_registers, shared_bytes;
	uint64_t spilling; /* configurations with spilled registers or local arrays */
	int64_t planned_bytes[VERDICT_SPACES]; /* the most of any plan; 0: none */
};

/* Failures of one kind: reasons that differ in their numbers alone. */
struct build_reason {
	enum result_status status;
	char *key, *text, *example; /* heap; the text without its digits; of the first */
	uint64_t n;
	bool first; /* a default is among them */
};

void build_report_init(struct build_report *r, const struct evaluator_target *t, bool json)
{
	*r = (struct build_report){.json = json, .target = t, .began_ns = clock_now_ns()};
	screen_open(&r->screen, stderr);
	/* Lines of JSON and progress do not share a terminal. */
	r->screen.live = r->screen.live && !(json && isatty(STDOUT_FILENO));
}

void build_report_fini(struct build_report *r)
{
	screen_close(&r->screen);
	for (size_t i = 0; i < r->n_rows; i++) {
		free(r->rows[i].problem);
		free(r->rows[i].implementation);
	}
	for (size_t i = 0; i < r->n_reasons; i++) {
		free(r->reasons[i].key);
		free(r->reasons[i].text);
		free(r->reasons[i].example);
	}
	for (size_t i = 0; i < BUILD_SLOWEST; i++)
		free(r->slowest[i].name);
	free(r->rows);
	free(r->reasons);
	free(r->keys);
	intern_fini(&r->numbers);
}

/* ---- progress ---- */

void build_report_begin(struct build_report *r, const struct binding *b, uint64_t planned)
{
	(void)snprintf(r->title, sizeof r->title, "%s/%s", b->workload->name, b->problem->name);
	r->planned = planned;
	r->now = (struct build_counts){0};
	build_report_draw(r);
}

void build_report_draw(struct build_report *r)
{
	struct live_facts f = {.title = r->title,
			       .phase = "building",
			       .trials = r->now.configurations,
			       .planned = r->planned,
			       .fresh = r->all.configurations,
			       .elapsed_ns = clock_now_ns() - r->began_ns,
			       .age_ns = -1,
			       .unmeasured = true};

	if (!screen_begin(&r->screen, false))
		return;
	memcpy(f.by_status, r->all.by_status, sizeof f.by_status);
	live_lines_add(&f, &r->screen.canvas);
	screen_draw(&r->screen);
}

/* ---- one build ---- */

/* "axpy/small loop BLOCK=64,UNROLL=2"; heap string, NULL: no memory. */
static char *print_name(const struct build_event *event)
{
	const struct binding *b = event->binding;
	struct buf config = {0};
	char *name;

	if (event->trial)
		config_print(&event->trial->config, event->trial->names, &config);
	name = config.failed ? NULL
			     : str_print("%s/%s %s%s%s", b->workload->name, b->problem->name,
					 event->trial ? event->trial->implementation->name
						      : event->function,
					 config.len ? " " : "", buf_str(&config));
	buf_fini(&config);
	return name;
}

static enum asc_status print_line(const struct build_event *event,
				  const struct built_kernel *kernels, struct asc_err *e)
{
	const struct binding *b = event->binding;
	const struct trial *t = event->trial;
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "build");
	json_write_string(&w, "workload", b->workload->name);
	json_write_string(&w, "problem", b->problem->name);
	if (t) {
		json_write_string(&w, "implementation", t->implementation->name);
		json_write_begin(&w, "config", '{');
		for (size_t i = 0; i < t->config.n; i++)
			json_write_value(&w, t->names[i], t->config.values[i]);
		json_write_end(&w, '}');
		json_write_bool(&w, "default", event->first);
	} else {
		json_write_string(&w, "function", event->function);
	}
	json_write_string(&w, "status", result_status_name(event->status));
	if (event->reason)
		json_write_string(&w, "reason", event->reason);
	if (t && t->result.log && result_status_failed(event->status))
		json_write_string(&w, "log", t->result.log);
	json_write_bool(&w, "cached", event->cached);
	json_write_int(&w, "spent_ns", event->spent_ns);
	json_write_begin(&w, "kernels", '[');
	for (size_t i = 0; i < event->n_kernels && build_event_is_built(event); i++) {
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "path", event->kernels[i].artifact.path);
		built_kernel_write_facts(&kernels[i], &w);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	const enum asc_status s = command_print_line(&line, e);

	(void)fflush(stdout); /* who reads the lines follows the builds */
	return s;
}

struct wanted_key {
	const struct build_report *r;
	const char *key;
};

static bool has_key(const void *user, uint32_t number)
{
	const struct wanted_key *w = user;

	return strcmp(w->r->keys[number], w->key) == 0;
}

/* Notes an artifact; false in *is_new: an earlier build of this command has it. */
static enum asc_status note_key(struct build_report *r, const char *key, bool *is_new,
				struct asc_err *e)
{
	const struct wanted_key wanted = {r, key};
	const uint64_t hash = hash_bytes(key, strlen(key));

	*is_new = !*key || intern_find(&r->numbers, hash, has_key, &wanted) == INTERN_NONE;
	if (!*key || !*is_new)
		return ASC_OK;
	if (!array_room(&r->keys, r->n_keys, &r->keys_room, sizeof *r->keys) ||
	    !intern_add(&r->numbers, hash, (uint32_t)r->n_keys))
		return asc_err_nomem(e);
	(void)snprintf(r->keys[r->n_keys++], sizeof *r->keys, "%s", key);
	return ASC_OK;
}

/* Finds the row of an implementation. Rows of a problem stand together, at the end, in the order of
 * the file, whichever build ends first. */
static struct build_row *find_row(struct build_report *r, const struct build_event *event)
{
	const struct workload *w = event->binding->workload;
	const struct implementation *i = event->trial->implementation;
	const size_t place = (size_t)(i - w->implementations);
	size_t at = r->n_rows;

	while (at > 0 && strcmp(r->rows[at - 1].problem, r->title) == 0 &&
	       r->rows[at - 1].place > place)
		at--;
	if (at > 0 && strcmp(r->rows[at - 1].problem, r->title) == 0 &&
	    r->rows[at - 1].place == place)
		return &r->rows[at - 1];
	struct build_row new = {
		.problem = str_dup(r->title), .implementation = str_dup(i->name), .place = place};

	if (!new.problem || !new.implementation ||
	    !array_room(&r->rows, r->n_rows, &r->rows_room, sizeof *r->rows)) {
		free(new.problem);
		free(new.implementation);
		return NULL;
	}
	memmove(&r->rows[at + 1], &r->rows[at], (r->n_rows - at) * sizeof *r->rows);
	r->n_rows++;
	r->rows[at] = new;
	return &r->rows[at];
}

static void count(struct build_counts *c, const struct build_event *event, bool is_new)
{
	c->configurations++;
	c->by_status[event->status]++;
	c->compiled += event->spent_ns > 0;
	c->cached += event->cached && is_new;
	c->equal += event->cached && !is_new;
	c->spent_ns += event->spent_ns;
}

static void count_code(struct build_row *row, const struct built_kernel *kernels, size_t n)
{
	bool spills = false;

	for (size_t i = 0; i < n; i++) {
		const struct built_kernel *k = &kernels[i];

		for (size_t s = 0; k->plan && s < VERDICT_SPACES; s++)
			if (k->plan->planned_bytes[s] > row->planned_bytes[s])
				row->planned_bytes[s] = k->plan->planned_bytes[s];
		if (!k->has_code)
			continue;
		if (!row->has_code || k->code.registers < row->least_registers)
			row->least_registers = k->code.registers;
		if (k->code.registers > row->most_registers)
			row->most_registers = k->code.registers;
		if (k->shared_bytes > row->shared_bytes)
			row->shared_bytes = k->shared_bytes;
		spills = spills || k->code.stack_bytes > 0;
		row->has_code = true;
	}
	row->spilling += spills;
}

/* The text without its digits: planners name the bytes of each refusal. */
static char *without_digits(const char *text)
{
	char *out = str_dup(text);
	size_t n = 0;

	for (size_t i = 0; out && text[i]; i++)
		if (!isdigit((unsigned char)text[i]))
			out[n++] = text[i];
	if (out)
		out[n] = '\0';
	return out;
}

static enum asc_status note_reason(struct build_report *r, const struct build_event *event,
				   struct asc_err *e)
{
	const char *text = event->reason ? event->reason : result_status_meaning(event->status);
	char *key = without_digits(text);
	struct build_reason *same = NULL;

	for (size_t i = 0; key && i < r->n_reasons && !same; i++)
		if (r->reasons[i].status == event->status && strcmp(r->reasons[i].key, key) == 0)
			same = &r->reasons[i];
	if (same) {
		same->n++;
		same->first = same->first || event->first;
		free(key);
		return ASC_OK;
	}
	struct build_reason new = {.status = event->status,
				   .key = key,
				   .text = str_dup(text),
				   .example = print_name(event),
				   .n = 1,
				   .first = event->first};

	if (new.key &&new.text &&new.example &&
	    array_room(&r->reasons, r->n_reasons, &r->reasons_room, sizeof *r->reasons)) {
		r->reasons[r->n_reasons++] = new;
		return ASC_OK;
	}
	free(new.key);
	free(new.text);
	free(new.example);
	return asc_err_nomem(e);
}

static enum asc_status note_slow(struct build_report *r, const struct build_event *event,
				 struct asc_err *e)
{
	size_t at = BUILD_SLOWEST;

	while (at > 0 && event->spent_ns > r->slowest[at - 1].spent_ns)
		at--;
	if (at == BUILD_SLOWEST)
		return ASC_OK;
	char *name = print_name(event);

	if (!name)
		return asc_err_nomem(e);
	free(r->slowest[BUILD_SLOWEST - 1].name);
	memmove(&r->slowest[at + 1], &r->slowest[at],
		(BUILD_SLOWEST - 1 - at) * sizeof *r->slowest);
	r->slowest[at] = (struct build_slow){event->spent_ns, name};
	return ASC_OK;
}

enum asc_status build_report_add(struct build_report *r, const struct build_event *event,
				 const struct built_kernel *kernels, struct asc_err *e)
{
	const bool built = build_event_is_built(event);

	if (r->json && print_line(event, kernels, e))
		return e->status;
	r->failed_firsts += event->first && !built;
	if ((!built && note_reason(r, event, e)) || note_slow(r, event, e))
		return e->status;
	if (!event->trial) {
		r->functions++;
		return ASC_OK;
	}
	struct build_row *row = find_row(r, event);
	bool is_new;

	if (!row)
		return asc_err_nomem(e);
	if (note_key(r, event->trial->result.artifact, &is_new, e))
		return e->status;
	count(&row->counts, event, is_new);
	count(&r->now, event, is_new);
	count(&r->all, event, is_new);
	if (built)
		count_code(row, kernels, event->n_kernels);
	build_report_draw(r);
	return ASC_OK;
}

/* ---- the end ---- */

static void write_counts(const struct build_counts *c, struct json_writer *w)
{
	json_write_count(w, "configurations", c->configurations);
	json_write_begin(w, "statuses", '{');
	for (size_t i = 0; i < RESULT_STATUS_COUNT; i++)
		if (c->by_status[i] > 0)
			json_write_count(w, result_status_name((enum result_status)i),
					 c->by_status[i]);
	json_write_end(w, '}');
	json_write_count(w, "compiled", c->compiled);
	json_write_count(w, "cached", c->cached);
	json_write_count(w, "equal", c->equal);
	json_write_int(w, "spent_ns", c->spent_ns);
}

static enum asc_status print_totals(const struct build_report *r, size_t uncovered,
				    bool interrupted, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "totals");
	json_write_string(&w, "device", r->target->device->name);
	json_write_string(&w, "model", r->target->info->model);
	json_write_string(&w, "arch", r->target->info->arch);
	write_counts(&r->all, &w);
	json_write_count(&w, "functions", r->functions);
	json_write_count(&w, "failed_defaults", r->failed_firsts);
	json_write_count(&w, "uncovered", uncovered);
	json_write_int(&w, "wall_ns", clock_now_ns() - r->began_ns);
	json_write_bool(&w, "interrupted", interrupted);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

/* A cell without text where there is nothing. */
static void add_count(struct table *t, uint64_t n)
{
	if (n > 0)
		table_add(t, "%llu", (unsigned long long)n);
	else
		table_add(t, "%s", "");
}

static void add_bytes(struct table *t, int64_t bytes)
{
	char text[UNITS_TEXT_SIZE];

	table_add(t, "%s", bytes > 0 ? units_print_bytes((double)bytes, text) : "");
}

/* Finds whether any row has code of GPUs, or plans of NPUs. */
static void find_kinds(const struct build_report *r, bool *code, bool *plans)
{
	*code = *plans = false;
	for (size_t i = 0; i < r->n_rows; i++) {
		*code = *code || r->rows[i].has_code;
		for (size_t k = 0; k < VERDICT_SPACES; k++)
			*plans = *plans || r->rows[i].planned_bytes[k] > 0;
	}
}

static void add_row(struct table *t, const struct build_report *r, const struct build_row *row,
		    bool code, bool plans)
{
	const struct build_counts *c = &row->counts;
	char text[UNITS_TEXT_SIZE];

	table_add(t, "%s", row->problem);
	table_add(t, "%s", row->implementation);
	table_add(t, "%llu", (unsigned long long)c->configurations);
	for (size_t k = 0; k < RESULT_STATUS_COUNT; k++)
		if (r->all.by_status[k] > 0)
			add_count(t, c->by_status[k]);
	table_add(t, "%llu", (unsigned long long)c->compiled);
	if (code && row->least_registers < row->most_registers)
		table_add(t, "%lld-%lld", (long long)row->least_registers,
			  (long long)row->most_registers);
	else if (code)
		add_count(t, (uint64_t)row->most_registers);
	if (code) {
		add_count(t, row->spilling);
		add_bytes(t, row->shared_bytes);
	}
	for (size_t k = 0; plans && k < VERDICT_SPACES; k++)
		add_bytes(t, row->planned_bytes[k]);
	table_add(t, "%s", units_print_duration((double)c->spent_ns, text));
}

static enum asc_status print_rows(const struct build_report *r, struct asc_err *e)
{
	struct buf header = {0};
	bool code, plans;
	struct table t;

	find_kinds(r, &code, &plans);
	buf_add_str(&header, "problem|implementation|>configurations");
	for (size_t i = 0; i < RESULT_STATUS_COUNT; i++)
		if (r->all.by_status[i] > 0)
			buf_print(&header, "|>%s", result_status_name((enum result_status)i));
	buf_print(&header, "|>compiled%s", code ? "|>registers|>spill|>shared" : "");
	for (size_t k = 0; plans && k < VERDICT_SPACES; k++)
		buf_print(&header, "|>%s", verdict_space_name((enum verdict_space)k));
	buf_add_str(&header, "|>compilers");
	if (buf_check(&header, e))
		return e->status;
	table_init(&t, buf_str(&header));
	for (size_t i = 0; i < r->n_rows; i++)
		add_row(&t, r, &r->rows[i], code, plans);
	const enum asc_status s = table_print(&t, stdout, e);

	table_fini(&t);
	buf_fini(&header);
	return s;
}

/* Orders reasons: with a default first, then the most frequent, then the oldest. */
static int compare_reasons(const void *a, const void *b)
{
	const struct build_reason *x = a, *y = b;

	if (x->first != y->first)
		return x->first ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(x->example, y->example);
}

static void print_reasons(struct build_report *r, struct prose *p)
{
	enum { MOST = 12 }; /* what a person reads; JSON has all */

	if (r->n_reasons > 1)
		qsort(r->reasons, r->n_reasons, sizeof *r->reasons, compare_reasons);
	for (size_t i = 0; i < r->n_reasons && i < MOST; i++) {
		const struct build_reason *one = &r->reasons[i];

		if (one->first)
			prose_put(p, INK_BAD, "! ");
		prose_put(p, one->first ? INK_BAD : INK_WARN, "%llu %s", (unsigned long long)one->n,
			  result_status_name(one->status));
		prose_put(p, INK_PLAIN, ": %s", one->text);
		prose_end(p, 2);
		prose_put(p, INK_DIM, "    %s%s", one->n > 1 ? "such as " : "", one->example);
		prose_end(p, 6);
	}
	if (r->n_reasons > MOST) {
		prose_put(p, INK_PLAIN, "%zu more reasons: --json has them all",
			  r->n_reasons - MOST);
		prose_end(p, 2);
	}
}

static void print_slowest(const struct build_report *r, struct prose *p)
{
	char text[UNITS_TEXT_SIZE];

	if (r->slowest[0].spent_ns == 0)
		return;
	prose_put(p, INK_PLAIN, "slowest builds:");
	prose_end(p, 2);
	for (size_t i = 0; i < BUILD_SLOWEST && r->slowest[i].spent_ns > 0; i++) {
		prose_put(p, INK_PLAIN, "  %s",
			  units_print_duration((double)r->slowest[i].spent_ns, text));
		prose_pad(p, 11, 2);
		prose_put(p, INK_PLAIN, "%s", r->slowest[i].name);
		prose_end(p, 11);
	}
}

static void print_sum(const struct build_report *r, size_t uncovered, struct prose *p)
{
	const struct build_counts *c = &r->all;
	char time[UNITS_TEXT_SIZE];

	prose_put(p, INK_STRONG, "%llu configuration%s for %s in %s",
		  (unsigned long long)c->configurations, c->configurations == 1 ? "" : "s",
		  r->target->info->model,
		  units_print_duration((double)(clock_now_ns() - r->began_ns), time));
	prose_put(p, INK_PLAIN, ": %llu compiled, %llu from the cache",
		  (unsigned long long)c->compiled, (unsigned long long)c->cached);
	if (c->equal > 0)
		prose_put(p, INK_PLAIN, ", %llu equal to another", (unsigned long long)c->equal);
	if (r->functions > 0)
		prose_put(p, INK_PLAIN, "; %llu function%s", (unsigned long long)r->functions,
			  r->functions == 1 ? " of a run" : "s of runs");
	if (uncovered > 0)
		prose_put(p, INK_PLAIN, "; %zu problem%s without a kernel for it", uncovered,
			  uncovered == 1 ? "" : "s");
	prose_end(p, 2);
}

/* Says beside lines of JSON why the exit status is one of a failure. */
static void say_failed(const struct build_report *r)
{
	size_t i = 0;

	while (i < r->n_reasons && !r->reasons[i].first)
		i++;
	if (i < r->n_reasons)
		prose_say(stderr, 2, "asctune: %llu of what has to build %s not: %s: %s",
			  (unsigned long long)r->failed_firsts,
			  r->failed_firsts == 1 ? "does" : "do", r->reasons[i].example,
			  r->reasons[i].text);
}

enum asc_status build_report_end(struct build_report *r, size_t uncovered, bool interrupted,
				 struct asc_err *e)
{
	struct prose p;

	screen_clear(&r->screen);
	if (r->json) {
		say_failed(r);
		return print_totals(r, uncovered, interrupted, e);
	}
	if (r->n_rows > 0 && print_rows(r, e))
		return e->status;
	prose_open(&p, stdout);
	print_reasons(r, &p);
	print_slowest(r, &p);
	print_sum(r, uncovered, &p);
	if (interrupted) {
		prose_put(&p, INK_PLAIN, "stopped; what was built is in the cache");
		prose_end(&p, 0);
	}
	prose_close(&p);
	return ASC_OK;
}
