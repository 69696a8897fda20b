#include "reports/track/track_transitions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

enum { TEXTS = 10, ROWS = 50 };

struct track_transition {
	union { /* all owned; NULL: none */
		struct db_transition first;
		char *texts[TEXTS];
	};
	size_t configurations;
};

_Static_assert(sizeof(struct db_transition) == TEXTS * sizeof(char *), "a transition is its texts");

static bool same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

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

static bool same_place(const struct db_transition *a, const struct db_transition *b)
{
	return same(a->device_kind, b->device_kind) && same(a->device_model, b->device_model) &&
	       same(a->workload, b->workload) && same(a->problem, b->problem) &&
	       same(a->cache_policy, b->cache_policy) && same(a->implementation, b->implementation);
}

static void free_texts(struct track_transition *t)
{
	for (size_t i = 0; i < TEXTS; i++)
		free(t->texts[i]);
}

static enum asc_status begin_transition(struct track_transitions *t,
					const struct db_transition *transition, struct asc_err *e)
{
	const union {
		struct db_transition transition;
		const char *texts[TEXTS];
	} from = {*transition};

	if (!array_room(&t->list, t->n, &t->room, sizeof *t->list))
		return asc_err_nomem(e);
	struct track_transition *to = &t->list[t->n];
	bool complete = true;

	to->configurations = 1;
	for (size_t i = 0; i < TEXTS; i++) {
		to->texts[i] = from.texts[i] ? str_dup(from.texts[i]) : NULL;
		complete &= !from.texts[i] || to->texts[i];
	}
	if (!complete) {
		free_texts(to);
		return asc_err_nomem(e);
	}
	t->n++;
	return ASC_OK;
}

enum asc_status track_transitions_add(struct track_transitions *t,
				      const struct db_transition *transition, struct asc_err *e)
{
	for (size_t k = t->n; k-- > 0 && same_place(&t->list[k].first, transition);) {
		const struct db_transition *a = &t->list[k].first;

		if (a->config_key && transition->config_key && same(a->was, transition->was) &&
		    same(a->is, transition->is) && alike(a->reason, transition->reason)) {
			t->list[k].configurations++;
			return ASC_OK;
		}
	}
	return begin_transition(t, transition, e);
}

static enum asc_status take_transition(void *user, const struct db_transition *transition,
				       struct asc_err *e)
{
	return track_transitions_add(user, transition, e);
}

enum asc_status track_transitions_read(struct track_transitions *t, struct db *d, struct asc_err *e)
{
	return db_each_transition(d, take_transition, t, e);
}

void track_transitions_fini(struct track_transitions *t)
{
	for (size_t k = 0; k < t->n; k++)
		free_texts(&t->list[k]);
	free(t->list);
	*t = (struct track_transitions){0};
}

static bool is_broken(const struct db_transition *t, const struct track_groups *g)
{
	const struct track_kernel k = {.device_kind = t->device_kind,
				       .device_model = t->device_model,
				       .workload = t->workload,
				       .problem = t->problem,
				       .cache = t->cache_policy};

	for (size_t i = 0; i < g->n; i++) {
		const struct track_series *s = g->list[i].series;

		if (s->verdict == TRACK_BROKEN && same(s->implementation, t->implementation) &&
		    track_kernel_has(&k, s))
			return true;
	}
	return false;
}

void track_transitions_drop_broken(struct track_transitions *t, const struct track_groups *g)
{
	size_t kept = 0;

	for (size_t k = 0; k < t->n; k++)
		if (is_broken(&t->list[k].first, g))
			free_texts(&t->list[k]);
		else
			t->list[kept++] = t->list[k];
	t->n = kept;
}

const struct db_transition *track_transitions_get(const struct track_transitions *t, size_t group,
						  size_t *configurations)
{
	*configurations = t->list[group].configurations;
	return &t->list[group].first;
}

/* ---- writing ---- */

static bool passes(const struct db_transition *t)
{
	static const char *const good[] = {"ok", "slow", "undecided", "measured"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (strcmp(t->is, good[i]) == 0)
			return true;
	return false;
}

void track_write_transition_json(const struct db_transition *t, struct buf *out)
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

static void write_line(const struct track_transition *group, struct buf *out)
{
	const struct db_transition *t = &group->first;
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

static void write_row(const struct track_transition *group, struct buf *out)
{
	const struct db_transition *t = &group->first;
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
		track_write_markdown_text(cells[i] ? cells[i] : "", out);
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
