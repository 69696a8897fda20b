#include "tuner/cmd/run/share_states.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/share.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"

struct share {
	char *uid, *db; /* db: the first that has it */
	struct db_share v;
	char *outcome;  /* NULL: killed, or in progress */
	char *texts[4]; /* of `v` */
	size_t group;   /* index of the first share that it belongs together with */
};

struct shares {
	const struct share_question *asked;
	const char *db;
	struct share *list;
	size_t n, room;
	bool lacking; /* a share that was asked for is not whole */
};

static char *copy(struct share *s, size_t i, const char *text)
{
	return s->texts[i] = text ? str_dup(text) : NULL;
}

/* A db_share_fn. A share may be in several databases, in one as it was before its end. */
static enum asc_status add_share(void *user, const struct db_share_state *state, struct asc_err *e)
{
	struct shares *a = user;
	size_t i = 0;

	while (i < a->n && strcmp(a->list[i].uid, state->uid) != 0)
		i++;
	if (i == a->n) {
		if (!array_room(&a->list, a->n, &a->room, sizeof *a->list))
			return asc_err_nomem(e);
		struct share *new = &a->list[a->n++];

		*new = (struct share){
			.uid = str_dup(state->uid), .db = str_dup(a->db), .v = state->share};
		new->v.way = copy(new, 0, state->share.way);
		new->v.dealt = copy(new, 1, state->share.dealt);
		new->v.version = copy(new, 2, state->share.version);
		new->v.history = copy(new, 3, state->share.history);
		if (!new->uid || !new->db || !new->v.way || !new->v.dealt)
			return asc_err_nomem(e);
	}
	if (!a->list[i].outcome && state->outcome) {
		a->list[i].outcome = str_dup(state->outcome);
		if (!a->list[i].outcome)
			return asc_err_nomem(e);
	}
	return ASC_OK;
}

/* Says what two shares do not have in common; "": they belong together. */
static const char *find_difference(const struct db_share *a, const struct db_share *b)
{
	return a->count != b->count                   ? "another number of shares"
	       : strcmp(a->way, b->way) != 0          ? "another way (--by)"
	       : strcmp(a->dealt, b->dealt) != 0      ? "other problems or files"
	       : a->seed != b->seed                   ? "another seed"
	       : !str_is_same(a->version, b->version) ? "another version"
	       : !str_is_same(a->history, b->history) ? "another history (--with)"
						      : "";
}

/* Finds those that belong together and are most: they are what was meant. a->n: none. */
static size_t find_group(struct shares *a, uint64_t count)
{
	size_t best = a->n, most = 0;

	for (size_t i = 0; i < a->n; i++) {
		size_t n = 0;

		a->list[i].group = 0;
		while (a->list[i].group < i &&
		       *find_difference(&a->list[a->list[i].group].v, &a->list[i].v))
			a->list[i].group++;
		if (a->list[i].group < i || (uint64_t)a->list[i].v.count != count)
			continue;
		for (size_t k = i; k < a->n; k++)
			n += !*find_difference(&a->list[i].v, &a->list[k].v);
		if (n > most) {
			best = i;
			most = n;
		}
	}
	return best;
}

static enum asc_status show_share(const struct share_question *q, uint64_t number,
				  const char *state, const struct share *s, const char *more,
				  struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};
	const bool utf8 = columns_utf8_wanted();

	if (q->json) {
		json_write_begin(&w, NULL, '{');
		json_write_int(&w, "share", (int64_t)number);
		json_write_int(&w, "of", s ? s->v.count : (int64_t)q->shares);
		json_write_string(&w, "state", state);
		json_write_string(&w, "reason", *more ? more : NULL);
		json_write_string(&w, "db", s ? s->db : NULL);
		if (s)
			json_write_int(&w, "problems", s->v.problems);
		json_write_end(&w, '}');
	} else {
		buf_print(&line, "share %" PRIu64 "/%" PRId64 "  %s", number,
			  s ? s->v.count : (int64_t)q->shares, state);
		buf_add_str(&line, *more ? ": " : "");
		columns_add(&line, more, SIZE_MAX, utf8);
		if (s) {
			buf_print(&line, "  (%" PRId64 " problem%s, ", s->v.problems,
				  s->v.problems == 1 ? "" : "s");
			columns_add(&line, s->db, SIZE_MAX, utf8);
			buf_add_str(&line, ")");
		}
	}
	return command_print_line(&line, e);
}

/* Shows one share by the commands of it: one that ended is enough. */
static enum asc_status judge_share(struct shares *a, size_t group, uint64_t number,
				   struct asc_err *e)
{
	const struct share *whole = NULL, *torn = NULL;
	char more[80] = "";
	size_t n = 0;

	for (size_t i = group; i < a->n; i++) {
		const struct share *s = &a->list[i];

		if (s->group != group || (uint64_t)s->v.number != number)
			continue;
		if (s->outcome && strcmp(s->outcome, "done") == 0) {
			whole = whole ? whole : s;
			n++;
		} else {
			torn = s;
		}
	}
	/* Shares beyond the number of problems have none, and need not have come. */
	const bool empty = whole ? whole->v.problems == 0
				 : !torn && group < a->n &&
					   strcmp(a->list[group].v.way, "problems") == 0 &&
					   number > (uint64_t)a->list[group].v.all_problems;

	a->lacking |= !whole && !empty;
	if (n > 1)
		(void)snprintf(more, sizeof more, "run %zu times", n);
	else if (!whole && torn)
		(void)snprintf(more, sizeof more, "%.60s",
			       torn->outcome ? torn->outcome : "killed, or goes on");
	return show_share(a->asked, number,
			  empty   ? "empty"
			  : whole ? "whole"
			  : torn  ? "torn"
				  : "missing",
			  whole ? whole : torn, more, e);
}

static enum asc_status show_strangers(const struct shares *a, size_t group, struct asc_err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct share *s = &a->list[i];
		char more[80] = "";

		if (s->group == group)
			continue;
		if (group < a->n)
			(void)snprintf(more, sizeof more, "%s",
				       find_difference(&a->list[group].v, &s->v));
		if (show_share(a->asked, (uint64_t)s->v.number, "of another run", s, more, e))
			return e->status;
	}
	return ASC_OK;
}

/* A database that is not there, or cannot be read, is a share that is missing. */
enum asc_status share_states_show(const struct share_question *q, bool *lacking, struct asc_err *e)
{
	struct shares a = {.asked = q};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < q->n_dbs; i++) {
		struct db *d = NULL;

		a.db = q->dbs[i];
		status = db_open(a.db, DB_READ, &d, e);
		if (status == ASC_OK)
			status = db_each_share(d, add_share, &a, e);
		db_close(d);
		if (status && status != ASC_NOMEM) {
			prose_say(stderr, 2, "asctune: %s", e->text);
			status = ASC_OK;
		}
	}
	const size_t group = find_group(&a, q->shares);

	for (uint64_t k = 1; status == ASC_OK && k <= q->shares; k++)
		status = judge_share(&a, group, k, e);
	if (status == ASC_OK)
		status = show_strangers(&a, group, e);
	*lacking = a.lacking;
	for (size_t i = 0; i < a.n; i++) {
		for (size_t k = 0; k < sizeof a.list[i].texts / sizeof *a.list[i].texts; k++)
			free(a.list[i].texts[k]);
		free(a.list[i].uid);
		free(a.list[i].db);
		free(a.list[i].outcome);
	}
	free(a.list);
	return status;
}
