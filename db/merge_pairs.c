#include "db/merge_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "db/statement.h"

enum asc_status pairs_add(struct pairs *p, const struct pair *pair, struct asc_err *e)
{
	if (p->n == p->room) {
		size_t room = p->room ? 2 * p->room : 64;
		struct pair *more = realloc(p->list, room * sizeof *more);

		if (!more)
			return asc_err_nomem(e);
		p->list = more;
		p->room = room;
	}
	p->list[p->n++] = *pair;
	return ASC_OK;
}

static int compare_there(const void *key, const void *entry)
{
	int64_t a = *(const int64_t *)key, b = ((const struct pair *)entry)->there;

	return (a > b) - (a < b);
}

struct pair *pairs_find(const struct pairs *p, int64_t there)
{
	return p->n ? bsearch(&there, p->list, p->n, sizeof *p->list, compare_there) : NULL;
}

void pairs_fini(struct pairs *p)
{
	free(p->list);
	*p = (struct pairs){0};
}

/* ---- what is here in full ---- */

/* Pairs of a row's number and how many rows refer to it, in order: there, here. */
static enum asc_status count_rows(struct db *d, const char *sql, struct pairs *out,
				  struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	statement_begin(&s, d, sql);
	while (statement_next(&s, &status, e)) {
		struct pair n = {.there = statement_take_int(&s)};

		n.here = statement_take_int(&s);
		status = pairs_add(out, &n, e);
	}
	statement_end(&s);
	return status;
}

static int64_t get_count(const struct pairs *counts, int64_t id)
{
	const struct pair *n = pairs_find(counts, id);

	return n ? n->here : 0;
}

static bool has_known(const struct pairs *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->list[i].fresh)
			return true;
	return false;
}

enum asc_status pairs_mark_whole(struct pairs *owners, struct db *here, struct db *there,
				 const char *sql, struct asc_err *e)
{
	struct pairs ours = {0}, theirs = {0};
	enum asc_status status = ASC_OK;

	if (has_known(owners))
		status = count_rows(here, sql, &ours, e) ? e->status
							 : count_rows(there, sql, &theirs, e);
	for (size_t i = 0; status == ASC_OK && i < owners->n; i++) {
		struct pair *p = &owners->list[i];

		p->whole = !p->fresh && get_count(&ours, p->here) >= get_count(&theirs, p->there);
	}
	pairs_fini(&ours);
	pairs_fini(&theirs);
	return status;
}

/* ---- what is newer ---- */

struct newest { /* run of a row */
	bool known;
	int64_t simulated, started_ms;
	unsigned char uid[64];
	size_t uid_bytes;
};

static enum asc_status find_newest(struct db *d, const char *sql, int64_t id, struct newest *out,
				   struct asc_err *e)
{
	struct statement s;

	*out = (struct newest){0};
	statement_begin(&s, d, sql);
	statement_bind_int(&s, id);
	enum asc_status status = statement_step(&s, &out->known, e);

	if (status == ASC_OK && out->known) {
		out->simulated = statement_take_int(&s);
		out->started_ms = statement_take_int(&s);
		const void *uid = statement_take_blob(&s, &out->uid_bytes);

		if (out->uid_bytes > sizeof out->uid)
			out->uid_bytes = sizeof out->uid;
		if (uid)
			memcpy(out->uid, uid, out->uid_bytes);
	}
	statement_end(&s);
	return status;
}

static bool is_newer(const struct newest *a, const struct newest *b)
{
	if (!a->known || !b->known)
		return a->known && !b->known;
	if (a->simulated != b->simulated)
		return b->simulated;
	if (a->started_ms != b->started_ms)
		return a->started_ms > b->started_ms;
	return memcmp(a->uid, b->uid, sizeof a->uid) > 0;
}

enum asc_status pair_is_newer(const struct pair *p, struct db *here, struct db *there,
			      const char *sql, bool *out, struct asc_err *e)
{
	struct newest ours, theirs;

	if (find_newest(there, sql, p->there, &theirs, e) ||
	    find_newest(here, sql, p->here, &ours, e))
		return e->status;
	*out = is_newer(&theirs, &ours);
	return ASC_OK;
}
