#include "reports/track/track_transitions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "db/statement.h"
#include "reports/track/ci_text.h"
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"
#include "tuner/base/json/json.h"
#include "tuner/result/result.h"

enum { ROWS = 50 };

struct track_transition_group {
	struct track_transition first;
	size_t configurations;
};

/* ---- finding ---- */

struct row { /* newest trial of a configuration in a run */
	const char *implementation, *config_key, *status, *reason;
	bool passed;
};

struct side {             /* one run, read to be compared */
	struct row *rows; /* by implementation and configuration */
	size_t n, room;
	const char **names; /* implementations that took part, in order */
	size_t n_names, names_room;
	size_t row, name;         /* the next ones */
	size_t row_end, name_end; /* behind those of the implementation that is compared */
};

struct comparing {
	struct db *db;
	struct arena *texts;
	struct side before, now;
	struct track_transition place; /* device to cache policy */
	track_transition_fn *visit;
	void *user;
	/* Transitions that were visited, a text for each: two machines of one model with the same
	 * transition are two places, and say it once. */
	struct arena kept; /* texts of places, and these */
	struct intern said;
	const char **said_list;
	size_t said_room;
};

struct saying {
	const struct comparing *c;
	const char *text;
};

static bool is_said(const void *user, uint32_t id)
{
	const struct saying *x = user;

	return strcmp(x->c->said_list[id], x->text) == 0;
}

/* Visits a transition, unless the same one was visited. */
static enum asc_status say(struct comparing *c, const struct track_transition *t, struct asc_err *e)
{
	const char *const texts[] = {t->device_kind,  t->device_model,   t->workload,   t->problem,
				     t->cache_policy, t->implementation, t->config_key, t->was,
				     t->is,           t->reason};
	struct buf text = {0};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		buf_print(&text, "%c%s\n", texts[i] ? '=' : '-', texts[i] ? texts[i] : "");
	enum asc_status status = buf_check(&text, e);
	const uint64_t hash = status == ASC_OK ? hash_bytes(text.data, text.len) : 0;

	if (status == ASC_OK &&
	    intern_find(&c->said, hash, is_said, &(struct saying){c, text.data}) == INTERN_NONE) {
		const size_t n = c->said.count;
		const char *own = arena_copy(&c->kept, text.data);

		if (!own || !array_room(&c->said_list, n, &c->said_room, sizeof *c->said_list) ||
		    !intern_add(&c->said, hash, (uint32_t)n)) {
			status = asc_err_nomem(e);
		} else {
			c->said_list[n] = own;
			status = c->visit(c->user, t, e);
		}
	}
	buf_fini(&text);
	return status;
}

/* NULL, which only a damaged database has here, reads as "". */
static const char *take_name(struct statement *s)
{
	const char *text = statement_take_text(s);

	return text ? text : "";
}

static enum asc_status take_row(struct side *s, struct statement *from, struct arena *texts,
				struct asc_err *e)
{
	const char *name = take_name(from), *key = take_name(from);
	const char *status = take_name(from), *reason = statement_take_text(from);
	const struct row *last = s->n ? &s->rows[s->n - 1] : NULL;
	const bool same = last && strcmp(last->implementation, name) == 0;
	enum result_status r;

	/* The newest trial of a configuration comes first, and counts alone. */
	if (same && strcmp(last->config_key, key) == 0)
		return ASC_OK;
	if (!array_room(&s->rows, s->n, &s->room, sizeof *s->rows))
		return asc_err_nomem(e);
	struct row *own = &s->rows[s->n];

	*own = (struct row){.implementation =
				    same ? own[-1].implementation : arena_copy(texts, name),
			    .config_key = arena_copy(texts, key),
			    .status = arena_copy(texts, status),
			    .reason = reason ? arena_copy(texts, reason) : NULL,
			    .passed = result_status_parse(status, &r) && result_status_timed(r)};
	s->n++;
	return own->implementation && own->config_key && own->status && !reason == !own->reason
		       ? ASC_OK
		       : asc_err_nomem(e);
}

static enum asc_status read_side(const struct comparing *c, struct side *s, int64_t run_id,
				 struct asc_err *e)
{
	struct statement from;
	enum asc_status status = ASC_OK;

	s->n = s->n_names = s->row = s->name = 0;
	history_load_run_trials(&from, c->db, run_id);
	while (statement_next(&from, &status, e))
		status = take_row(s, &from, c->texts, e);
	if (status != ASC_OK)
		return status;
	history_load_participants(&from, c->db, run_id);
	while (statement_next(&from, &status, e)) {
		const char *name = arena_copy(c->texts, take_name(&from));

		if (!name || !array_room(&s->names, s->n_names, &s->names_room, sizeof *s->names))
			status = asc_err_nomem(e);
		else
			s->names[s->n_names++] = name;
	}
	return status;
}

/* The lesser of `name`, NULL at first, and the next implementation of a side. */
static const char *find_next(const struct side *s, const char *name)
{
	const char *row = s->row < s->n ? s->rows[s->row].implementation : NULL;
	const char *took = s->name < s->n_names ? s->names[s->name] : NULL;

	if (row && (!name || strcmp(row, name) < 0))
		name = row;
	return took && (!name || strcmp(took, name) < 0) ? took : name;
}

static void find_ends(struct side *s, const char *name)
{
	s->row_end = s->row;
	while (s->row_end < s->n && strcmp(s->rows[s->row_end].implementation, name) == 0)
		s->row_end++;
	s->name_end =
		s->name + (s->name < s->n_names && strcmp(s->names[s->name], name) == 0 ? 1 : 0);
}

/* State of the implementation as a whole; NULL: it was resumed, and says nothing. */
static const char *find_state(const struct side *s)
{
	if (s->name_end == s->name)
		return "not run";
	for (size_t i = s->row; i < s->row_end; i++)
		if (s->rows[i].passed)
			return "measured";
	return s->row_end > s->row ? "failed" : NULL;
}

static bool is_measured(const char *state)
{
	return strcmp(state, "measured") == 0;
}

static enum asc_status compare_implementation(struct comparing *c, const char *name,
					      struct asc_err *e)
{
	struct side *a = &c->before, *b = &c->now;

	find_ends(a, name);
	find_ends(b, name);
	const char *was = find_state(a), *is = find_state(b);
	struct track_transition t = c->place;
	enum asc_status status = ASC_OK;

	t.implementation = name;
	if (was && is && is_measured(was) != is_measured(is)) {
		t.was = was;
		t.is = is;
		status = say(c, &t, e);
	}
	/* Both have their configurations in the same order. */
	while (a->row < a->row_end && b->row < b->row_end && status == ASC_OK) {
		const struct row *o = &a->rows[a->row], *n = &b->rows[b->row];
		const int order = strcmp(o->config_key, n->config_key);

		a->row += order <= 0;
		b->row += order >= 0;
		if (order || o->passed == n->passed)
			continue;
		t.config_key = n->config_key;
		t.was = o->status;
		t.is = n->status;
		t.reason = n->reason;
		status = say(c, &t, e);
	}
	a->row = a->row_end;
	b->row = b->row_end;
	a->name = a->name_end;
	b->name = b->name_end;
	return status;
}

/* Walks through both runs side by side, in the order of implementations and configurations. */
static enum asc_status compare_runs(struct comparing *c, int64_t before, int64_t now,
				    struct asc_err *e)
{
	struct arena texts = {0};

	c->texts = &texts;
	enum asc_status status = read_side(c, &c->before, before, e);

	if (status == ASC_OK)
		status = read_side(c, &c->now, now, e);
	while (status == ASC_OK) {
		const char *name = find_next(&c->now, find_next(&c->before, NULL));

		if (!name)
			break;
		status = compare_implementation(c, name, e);
	}
	c->texts = NULL;
	arena_fini(&texts);
	return status;
}

struct newest { /* the two newest searches of a place */
	struct track_transition place;
	int64_t now_id, now_ms, before_id, before_ms; /* 0: none */
};

/* Takes a search, as history_load_runs() has it, and keeps the newest two of its place. */
static enum asc_status take_search(struct statement *s, struct newest **list, size_t *n,
				   size_t *room, struct arena *texts, struct asc_err *e)
{
	const size_t place = (size_t)statement_take_int(s);
	const int64_t id = statement_take_int(s), ms = statement_take_int(s);

	if (place == 0)
		return ASC_OK;
	while (*n < place) { /* places are numbered from 1; one without a search stays empty */
		if (!array_room(list, *n, room, sizeof **list))
			return asc_err_nomem(e);
		(*list)[(*n)++] = (struct newest){0};
	}
	struct newest *own = &(*list)[place - 1];

	if (!own->now_id) {
		const char *machine;
		struct track_transition *at = &own->place;
		const char **const members[] = {&at->device_kind, &at->device_model,
						&machine,         &at->workload,
						&at->problem,     &at->cache_policy};

		for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
			const char *text = statement_take_text(s);

			*members[i] = text ? arena_copy(texts, text) : NULL;
			if (text && !*members[i])
				return asc_err_nomem(e);
		}
	}
	if (!own->now_id || ms > own->now_ms || (ms == own->now_ms && id > own->now_id)) {
		own->before_id = own->now_id;
		own->before_ms = own->now_ms;
		own->now_id = id;
		own->now_ms = ms;
	} else if (!own->before_id || ms > own->before_ms ||
		   (ms == own->before_ms && id > own->before_id)) {
		own->before_id = id;
		own->before_ms = ms;
	}
	return ASC_OK;
}

enum asc_status track_transitions_each(struct db *d, track_transition_fn *visit, void *user,
				       struct asc_err *e)
{
	struct comparing c = {.db = d, .visit = visit, .user = user};
	struct newest *list = NULL;
	size_t n = 0, room = 0;
	struct statement s;
	enum asc_status status = ASC_OK;

	history_load_runs(&s, d);
	while (statement_next(&s, &status, e))
		status = take_search(&s, &list, &n, &room, &c.kept, e);
	for (size_t i = 0; i < n && status == ASC_OK; i++) {
		c.place = list[i].place;
		if (list[i].before_id)
			status = compare_runs(&c, list[i].before_id, list[i].now_id, e);
	}
	free(list);
	free(c.before.rows);
	free(c.before.names);
	free(c.now.rows);
	free(c.now.names);
	free(c.said_list);
	intern_fini(&c.said);
	arena_fini(&c.kept);
	return status;
}

/* ---- groups ---- */

static const char *skip_number(const char *text)
{
	return text + strspn(text, "0123456789.,+-");
}

/* True when two reasons are equal but for the numbers in them. */
static bool alike(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	for (a = skip_number(a), b = skip_number(b); *a && *a == *b;
	     a = skip_number(a + 1), b = skip_number(b + 1))
		;
	return *a == *b;
}

static bool same_place(const struct track_transition *a, const struct track_transition *b)
{
	return track_identity_compare(
		       (const char *const[]){a->device_kind, a->device_model, a->workload,
					     a->problem, a->cache_policy, a->implementation},
		       (const char *const[]){b->device_kind, b->device_model, b->workload,
					     b->problem, b->cache_policy, b->implementation},
		       6) == 0;
}

enum asc_status track_transitions_add(struct track_transitions *t,
				      const struct track_transition *transition, struct asc_err *e)
{
	for (size_t k = t->n; k-- > 0 && same_place(&t->list[k].first, transition);) {
		const struct track_transition *a = &t->list[k].first;

		if (a->config_key && transition->config_key &&
		    strcmp(a->was, transition->was) == 0 && strcmp(a->is, transition->is) == 0 &&
		    alike(a->reason, transition->reason)) {
			t->list[k].configurations++;
			return ASC_OK;
		}
	}
	if (!array_room(&t->list, t->n, &t->room, sizeof *t->list))
		return asc_err_nomem(e);
	struct track_transition own = *transition;
	const char **const texts[] = {&own.device_kind, &own.device_model, &own.workload,
				      &own.problem,     &own.cache_policy, &own.implementation,
				      &own.config_key,  &own.was,          &own.is,
				      &own.reason};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (!*texts[i])
			continue;
		*texts[i] = arena_copy(&t->texts, *texts[i]);
		if (!*texts[i])
			return asc_err_nomem(e);
	}
	t->list[t->n++] = (struct track_transition_group){own, 1};
	return ASC_OK;
}

static enum asc_status take_transition(void *user, const struct track_transition *transition,
				       struct asc_err *e)
{
	return track_transitions_add(user, transition, e);
}

enum asc_status track_transitions_read(struct track_transitions *t, struct db *d, struct asc_err *e)
{
	return track_transitions_each(d, take_transition, t, e);
}

void track_transitions_fini(struct track_transitions *t)
{
	free(t->list);
	arena_fini(&t->texts);
	*t = (struct track_transitions){0};
}

static bool is_broken(const struct track_transition *t, const struct track_groups *g)
{
	const struct track_kernel k = {.device_kind = t->device_kind,
				       .device_model = t->device_model,
				       .workload = t->workload,
				       .problem = t->problem,
				       .cache = t->cache_policy};

	for (size_t i = 0; i < g->n; i++) {
		const struct track_series *s = g->list[i].series;

		if (s->verdict == TRACK_BROKEN &&
		    strcmp(s->implementation, t->implementation) == 0 && track_kernel_has(&k, s))
			return true;
	}
	return false;
}

void track_transitions_drop_broken(struct track_transitions *t, const struct track_groups *g)
{
	size_t kept = 0;

	for (size_t k = 0; k < t->n; k++)
		if (!is_broken(&t->list[k].first, g))
			t->list[kept++] = t->list[k];
	t->n = kept;
}

const struct track_transition *track_transitions_get(const struct track_transitions *t,
						     size_t group, size_t *configurations)
{
	*configurations = t->list[group].configurations;
	return &t->list[group].first;
}

/* ---- writing ---- */

static bool passes(const struct track_transition *t)
{
	static const char *const good[] = {"ok", "slow", "undecided", "measured"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (strcmp(t->is, good[i]) == 0)
			return true;
	return false;
}

void track_write_transition_json(const struct track_transition *t, struct buf *out)
{
	const struct {
		const char *key, *value;
	} fields[] = {{"turned", passes(t) ? "passes" : "fails"},
		      {"device_kind", t->device_kind},
		      {"device_model", t->device_model},
		      {"workload", t->workload},
		      {"problem", t->problem},
		      {"cache", t->cache_policy},
		      {"implementation", t->implementation},
		      {"config_key", t->config_key},
		      {"was", t->was},
		      {"is", t->is},
		      {"reason", t->reason}};
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		json_write_string(&w, fields[i].key, fields[i].value);
	json_write_end(&w, '}');
}

static void write_line(const struct track_transition_group *group, struct buf *out)
{
	const struct track_transition *t = &group->first;
	const bool pass = passes(t), why = t->reason && !pass;
	const char *key = t->config_key, *model = t->device_model;

	buf_print(out, "%-*s", TRACK_HANG, pass ? "passes" : "fails");
	track_write_texts(out, (const char *const[]){t->workload, "/", t->problem, " ",
						     t->implementation, NULL});
	if (group->configurations > 1)
		buf_print(out, ", %zu configurations, the first", group->configurations);
	track_write_texts(out, (const char *const[]){key ? " " : "", key ? key : "", " on ",
						     t->device_kind, ": ", model ? model : "", ": ",
						     t->is, ", was ", t->was, why ? ": " : "",
						     why ? t->reason : "", NULL});
	buf_add_char(out, '\n');
}

void track_transitions_write(const struct track_transitions *t, struct buf *out)
{
	for (size_t k = 0; k < t->n; k++)
		write_line(&t->list[k], out);
}

static void write_row(const struct track_transition_group *group, struct buf *out)
{
	const struct track_transition *t = &group->first;
	const char *const cells[] = {passes(t) ? "passes" : "fails",
				     t->workload,
				     t->problem,
				     t->implementation,
				     t->config_key,
				     t->device_kind,
				     t->device_model,
				     t->is,
				     t->was,
				     t->reason};
	static const char *const before[] = {"| ",  " | ", "/",   " | ", " | ",
					     " | ", ": ",  " | ", " | ", " | "};

	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		buf_add_str(out, before[i]);
		if (cells[i] && cells[i] == t->config_key && group->configurations > 1)
			buf_print(out, "%zu, the first ", group->configurations);
		ci_write_markdown(cells[i] ? cells[i] : "", CI_CELL, out);
	}
	buf_add_str(out, " |\n");
}

void track_transitions_write_markdown(const struct track_transitions *t, struct buf *out)
{
	if (t->n > 0)
		buf_add_str(out, "\n| now | problem | implementation | configuration | device | is "
				 "| was | why |\n|---|---|---|---|---|---|---|---|\n");
	for (size_t k = 0; k < t->n && k < ROWS; k++)
		write_row(&t->list[k], out);
	if (t->n > ROWS)
		buf_print(out, "\nand %zu more\n", t->n - ROWS);
}
