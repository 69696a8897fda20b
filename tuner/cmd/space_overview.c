#include "tuner/cmd/space_overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/device/device.h"
#include "tuner/tune/input_seeds.h"
#include "tuner/worker/reference.h"
#include "tuner/worker/worker_sets.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_limits.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/space/space.h"

/* ---- the device's limits ---- */

static enum asc_status print_limits(const struct binding *b, const struct implementation *i,
				    struct buf *out, struct asc_err *e)
{
	struct limit_effect *effects = NULL;
	size_t n = 0;

	if (binding_limit_effects(b, i, &effects, &n, e))
		return e->status;
	for (size_t k = 0; k < n; k++)
		buf_print(out, "%s: %s %llu configuration%s\n", effects[k].reason,
			  effects[k].warns ? "multibuffer does not fit, so the compiler drops it, "
					     "and code motion with it, in"
					   : "leaves out",
			  (unsigned long long)effects[k].configurations,
			  effects[k].configurations == 1 ? "" : "s");
	limit_effects_free(effects, n);
	return buf_check(out, e);
}

static enum asc_status write_limits(const struct binding *b, const struct implementation *i,
				    struct json_writer *w, struct asc_err *e)
{
	static const char *const names[] = {"pruned", "warned"};
	struct limit_effect *effects = NULL;
	size_t n = 0;

	if (binding_limit_effects(b, i, &effects, &n, e))
		return e->status;
	for (int warns = 0; warns < 2; warns++) {
		json_write_begin(w, names[warns], '[');
		for (size_t k = 0; k < n; k++)
			if (effects[k].warns == warns) {
				json_write_begin(w, NULL, '{');
				json_write_string(w, "reason", effects[k].reason);
				json_write_count(w, "configurations", effects[k].configurations);
				json_write_end(w, '}');
			}
		json_write_end(w, ']');
	}
	limit_effects_free(effects, n);
	return ASC_OK;
}

/* ---- rewrites ---- */

static enum asc_status print_rewrites(const struct binding *b, const struct implementation *i,
				      const struct space *s, struct buf *out, struct asc_err *e)
{
	for (size_t k = 0; rewrite_list[k]; k++) {
		uint64_t n = 0;

		if (binding_count_added(b, i, s, rewrite_list[k], &n, e))
			return e->status;
		if (n == 0)
			continue;
		buf_print(out, "rewrite %s: ", rewrite_list[k]->name);
		if (n == BINDING_UNCOUNTED)
			buf_add_str(out, "what it adds is too much to count: without it the space "
					 "is too large\n");
		else
			buf_print(out, "adds %llu configuration%s\n", (unsigned long long)n,
				  n == 1 ? "" : "s");
	}
	return buf_check(out, e);
}

static enum asc_status write_rewrites(const struct binding *b, const struct implementation *i,
				      const struct space *s, struct json_writer *w,
				      struct asc_err *e)
{
	json_write_begin(w, "added", '[');
	for (size_t k = 0; rewrite_list[k]; k++) {
		uint64_t n = 0;

		if (binding_count_added(b, i, s, rewrite_list[k], &n, e))
			return e->status;
		if (!n)
			continue;
		json_write_begin(w, NULL, '{');
		json_write_string(w, "rewrite", rewrite_list[k]->name);
		if (n == BINDING_UNCOUNTED)
			json_write_string(w, "configurations", NULL);
		else
			json_write_count(w, "configurations", n);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
	return ASC_OK;
}

/* ---- notes below the table: one about several problems is printed once ---- */

enum { MAX_NAMED = 3 };

/* Finds the same note on the same implementation; NULL: it is new. */
static struct space_note *find(const struct space_notes *n, const char *implementation,
			       const char *line, size_t len)
{
	for (size_t i = 0; i < n->n; i++) {
		struct space_note *note = &n->items[i];

		if (strcmp(note->implementation, implementation) == 0 &&
		    strlen(note->text) == len && memcmp(note->text, line, len) == 0)
			return note;
	}
	return NULL;
}

static enum asc_status notes_add(struct space_notes *n, const char *problem,
				 const char *implementation, const char *lines, struct asc_err *e)
{
	while (*lines) {
		const size_t len = strcspn(lines, "\n");
		struct space_note *note = find(n, implementation, lines, len);

		/* A ladder's problems differ in sizes: a line for each would bury the table. */
		if (note && note->n_others++ < MAX_NAMED)
			buf_print(&note->others, "%s%s", note->others.len ? ", " : "", problem);
		if (!note) {
			if (!array_room(&n->items, n->n, &n->capacity, sizeof *n->items))
				return asc_err_nomem(e);
			note = &n->items[n->n++];
			*note = (struct space_note){.problem = str_dup(problem),
						    .implementation = str_dup(implementation),
						    .text = strndup(lines, len)};
			if (!note->problem || !note->implementation || !note->text)
				return asc_err_nomem(e);
		}
		lines += len + (lines[len] == '\n');
	}
	return ASC_OK;
}

/* ---- the overview ---- */

void space_overview_init(struct space_overview *o)
{
	*o = (struct space_overview){0};
	table_init(&o->table, "PROBLEM|IMPLEMENTATION|>PARAMETERS|>CARTESIAN|>VALID");
}

void space_overview_fini(struct space_overview *o)
{
	for (size_t i = 0; i < o->notes.n; i++) {
		free(o->notes.items[i].problem);
		free(o->notes.items[i].implementation);
		free(o->notes.items[i].text);
		buf_fini(&o->notes.items[i].others);
	}
	free(o->notes.items);
	o->notes = (struct space_notes){0};
	buf_fini(&o->refusals);
	table_fini(&o->table);
}

/* NULL of a T1 file. */
static const char *problem_of(const struct space_subject *s)
{
	return s->binding ? s->binding->problem->name : NULL;
}

static const char *implementation_of(const struct space_subject *s)
{
	return s->binding ? s->implementation->name : NULL;
}

enum asc_status space_overview_warn(const struct space_subject *s, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = space_count(s->space) ? space_print_unevaluable(s->space, &text, e)
						       : space_print_empty(s->space, &text, e);

	if (text.len && s->binding)
		log_print(LOG_WARN, "problem %s: implementation %s: %s", problem_of(s),
			  implementation_of(s), buf_str(&text));
	else if (text.len)
		log_print(LOG_WARN, "%s: %s", s->file, buf_str(&text));
	buf_fini(&text);
	return status;
}

/* ---- what the file's own conditions leave out ---- */

/* True for a condition of the file: its origin is a place there, `constraints[2]`; a limit's origin
 * names the device. */
static bool is_of_file(const char *origin, double removed)
{
	return removed > 0 && origin[0] != '\0' && origin[strlen(origin) - 1] == ']';
}

static enum asc_status print_removal(void *user, const char *origin, const char *text,
				     double removed, struct asc_err *e)
{
	struct buf *out = user;

	if (is_of_file(origin, removed))
		buf_print(out, "%s: %s: leaves out %.0f configuration%s\n", origin,
			  text ? text : "several operands", removed, removed == 1 ? "" : "s");
	return buf_check(out, e);
}

static enum asc_status write_removal(void *user, const char *origin, const char *text,
				     double removed, struct asc_err *e)
{
	struct json_writer *w = user;

	if (is_of_file(origin, removed)) {
		json_write_begin(w, NULL, '{');
		json_write_string(w, "origin", origin);
		json_write_string(w, "condition", text);
		json_write_count(w, "configurations", (uint64_t)removed);
		json_write_end(w, '}');
	}
	return buf_check(w->out, e);
}

/* ---- one space ---- */

/* Writes what the problem takes while it is tuned: of the device's memory, and of disk for the
 * references of all sets of inputs that a run of it makes. */
static void write_bytes(const struct binding *b, struct json_writer *w)
{
	const struct input_seeds secret = {.has_secret = true};
	uint64_t seeds[WORKLOAD_MAX_SETS];
	const size_t sets = input_seeds_find(&secret, b, seeds);

	json_write_int(w, "device_bytes", worker_sets_bytes(b, device_find(b->device), sets));
	json_write_int(w, "references_bytes", (int64_t)(sets * reference_file_bytes(b)));
}

static enum asc_status print_json(const struct space_subject *s, struct asc_err *e)
{
	const double cartesian = space_cartesian(s->space);
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "problem", problem_of(s));
	json_write_string(&w, "implementation", implementation_of(s));
	json_write_int(&w, "parameters", (int64_t)space_params(s->space));
	if (cartesian <= 0x1p53) /* whole numbers are exact in a double up to there */
		json_write_int(&w, "cartesian", (int64_t)cartesian);
	else
		json_write_real(&w, "cartesian", cartesian);
	json_write_count(&w, "valid", space_count(s->space));
	json_write_begin(&w, "constrained", '[');
	enum asc_status status = space_each_removal(s->space, write_removal, &w, e);

	json_write_end(&w, ']');
	/* A T1 file is of no device. */
	if (s->binding)
		write_bytes(s->binding, &w);
	if (status == ASC_OK && s->binding)
		status = write_limits(s->binding, s->implementation, &w, e);
	if (status == ASC_OK && s->binding)
		status = write_rewrites(s->binding, s->implementation, s->space, &w, e);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		return command_print_line(&line, e);
	buf_fini(&line);
	return status;
}

static enum asc_status add_notes(struct space_overview *o, const struct space_subject *s,
				 struct asc_err *e)
{
	struct buf lines = {0};
	enum asc_status status = space_each_removal(s->space, print_removal, &lines, e);

	if (status == ASC_OK)
		status = print_limits(s->binding, s->implementation, &lines, e);
	if (status == ASC_OK)
		status = print_rewrites(s->binding, s->implementation, s->space, &lines, e);
	if (status == ASC_OK)
		status = notes_add(&o->notes, problem_of(s), implementation_of(s), buf_str(&lines),
				   e);
	buf_fini(&lines);
	return status;
}

enum asc_status space_overview_add(struct space_overview *o, const struct space_subject *s,
				   bool json, struct asc_err *e)
{
	if (space_overview_warn(s, e))
		return e->status;
	if (json)
		return print_json(s, e);
	table_add(&o->table, "%s", s->binding ? problem_of(s) : "-");
	table_add(&o->table, "%s", s->binding ? implementation_of(s) : "-");
	table_add(&o->table, "%zu", space_params(s->space));
	table_add(&o->table, "%.0f", space_cartesian(s->space));
	table_add(&o->table, "%llu", (unsigned long long)space_count(s->space));
	return s->binding ? add_notes(o, s, e) : ASC_OK;
}

enum asc_status space_overview_refuse(struct space_overview *o, const struct binding *b,
				      const struct implementation *i, bool json, struct asc_err *e)
{
	char reason[512] = "", line[sizeof reason + 16];
	bool refused = false;

	if (binding_refused(b, i, &refused, reason, sizeof reason, e))
		return e->status;
	if (!refused)
		return ASC_OK;
	snprintf(line, sizeof line, "refused: %s\n", reason);
	if (!json)
		return notes_add(&o->notes, b->problem->name, i->name, line, e);
	struct json_writer w = {&o->refusals, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "problem", b->problem->name);
	json_write_string(&w, "implementation", i->name);
	json_write_string(&w, "refused", reason);
	json_write_end(&w, '}');
	buf_add_char(&o->refusals, '\n');
	return buf_check(&o->refusals, e);
}

enum asc_status space_overview_leave_out(struct space_overview *o, const char *problem,
					 const struct implementation *i, bool json,
					 struct asc_err *e)
{
	struct json_writer w = {&o->refusals, false};
	struct buf line = {0};

	if (!json) {
		buf_print(&line, "unsupported: %s\n", i->unsupported);
		enum asc_status status = buf_check(&line, e);

		if (status == ASC_OK)
			status = notes_add(&o->notes, problem, i->name, buf_str(&line), e);
		buf_fini(&line);
		return status;
	}
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "problem", problem);
	json_write_string(&w, "implementation", i->name);
	json_write_int(&w, "index", i->index);
	json_write_string(&w, "unsupported", i->unsupported);
	json_write_end(&w, '}');
	buf_add_char(&o->refusals, '\n');
	return buf_check(&o->refusals, e);
}

enum asc_status space_overview_print(struct space_overview *o, bool json, struct asc_err *e)
{
	struct buf notes = {0};
	enum asc_status status = json ? ASC_OK : table_print(&o->table, stdout, e);

	for (size_t i = 0; i < o->notes.n && status == ASC_OK; i++) {
		const struct space_note *n = &o->notes.items[i];

		buf_print(&notes, "%s/%s", n->problem, n->implementation);
		if (n->n_others)
			buf_print(&notes, " (and %s", buf_str(&n->others));
		if (n->n_others > MAX_NAMED)
			buf_print(&notes, ", %zu more", n->n_others - MAX_NAMED);
		buf_print(&notes, "%s: %s\n", n->n_others ? ")" : "", n->text);
		notes.failed |= n->others.failed;
	}
	if (status == ASC_OK)
		status = buf_check(&notes, e);
	if (status == ASC_OK)
		prose_print(stdout, 2, buf_str(&notes));
	if (status == ASC_OK)
		fputs(buf_str(&o->refusals), stdout);
	buf_fini(&notes);
	return status;
}
