#include "reports/results/outdated.h"

#include <stdlib.h>
#include <string.h>

#include "db/load.h"
#include "reports/results/stands.h"
#include "tuner/base/array.h"
#include "tuner/base/hash.h"

/* Most configurations never failed, and of nearly all that did the newest trial says so. So
 * failures are read, and of the configurations that have one the trials that may outweigh it; the
 * rows of a visit are then looked up among what is left. A visit of one run asks for its own
 * configurations only. Which contents are current is a question of all runs, and asked for where
 * rows of several runs are visited. */

void outdated_fini(struct outdated *t)
{
	arena_fini(&t->arena);
	free(t->list);
	intern_fini(&t->known);
	free(t->lost);
	free(t->contents);
	*t = (struct outdated){0};
}

/* ---- withdrawn configurations ---- */

static uint64_t hash_of(const struct withdrawn *w)
{
	return hash_bytes(w->config_key, strlen(w->config_key)) ^ (uint64_t)w->problem_id << 40 ^
	       (uint64_t)w->implementation_id << 20 ^ (uint64_t)w->device_id;
}

static bool is_same(const struct withdrawn *x, const struct withdrawn *y)
{
	return x->problem_id == y->problem_id && x->implementation_id == y->implementation_id &&
	       x->device_id == y->device_id && strcmp(x->config_key, y->config_key) == 0;
}

struct asked {
	const struct outdated *of;
	const struct withdrawn *row;
};

static bool is_asked(const void *user, uint32_t id)
{
	const struct asked *a = user;

	return is_same(a->of->list[id], a->row);
}

const struct withdrawn *outdated_find(const struct outdated *t, int64_t device_id,
				      int64_t problem_id, int64_t implementation_id,
				      const char *config_key)
{
	const struct withdrawn row = {device_id, problem_id, implementation_id,
				      config_key ? config_key : "", 0};
	const struct asked a = {t, &row};
	const uint32_t found =
		t->n ? intern_find(&t->known, hash_of(&row), is_asked, &a) : INTERN_NONE;

	return found == INTERN_NONE ? NULL : t->list[found];
}

bool outdated_has(const struct outdated *t, int64_t implementation_id, const char *config_key)
{
	/* All withdrawn configurations of a run have its device and problem. */
	return t->n > 0 && outdated_find(t, t->list[0]->device_id, t->list[0]->problem_id,
					 implementation_id, config_key);
}

/* Adds a configuration, whose text is in the arena. */
static enum asc_status add_withdrawn(struct outdated *t, const struct withdrawn *of,
				     int64_t trial_id, struct asc_err *e)
{
	struct withdrawn *w = arena_alloc(&t->arena, sizeof *w);

	if (!w || !array_room(&t->list, t->n, &t->room, sizeof(struct withdrawn *)) ||
	    !intern_add(&t->known, hash_of(of), (uint32_t)t->n))
		return asc_err_nomem(e);
	*w = *of;
	w->trial_id = trial_id;
	t->list[t->n++] = w;
	return ASC_OK;
}

struct suspect { /* a trial of a configuration that failed once */
	int64_t run_id, id, recorded_ms;
	enum result_status status;
	bool simulated;
};

struct suspects { /* all trials of one configuration */
	struct withdrawn of;
	struct suspect *list;
	size_t n, room;
};

/* True where the configuration failed in the run after it had passed for the last time anywhere. */
static bool fails_in(const struct suspects *s, const struct stands *found, int64_t run_id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].run_id == run_id && stands_fails(s->list[i].status) &&
		    stands_is_later(s->list[i].recorded_ms, s->list[i].id,
				    found->passed.recorded_ms, found->passed.id))
			return true;
	return false;
}

/* Judges a configuration by all its trials, and adds it where it was withdrawn. */
static enum asc_status judge(struct outdated *t, const struct suspects *s, struct asc_err *e)
{
	struct stands found = {0};

	for (size_t i = 0; i < s->n; i++)
		stands_add(&found, s->list[i].status, s->list[i].recorded_ms, s->list[i].id);
	/* A configuration that never passed, too: it may be a finalist all the same, recorded by an
	 * early version or with an undecided trial. */
	if (!stands_is_withdrawn(&found))
		return ASC_OK;
	if (add_withdrawn(t, &s->of, found.failed.id, e))
		return e->status;
	for (size_t i = 0; i < s->n; i++) {
		const struct suspect *x = &s->list[i];

		if (x->status != RESULT_OK || x->simulated)
			continue;
		if (!array_room(&t->lost, t->n_lost, &t->lost_room, sizeof *t->lost))
			return asc_err_nomem(e);
		t->lost[t->n_lost++] = (struct lost){x->run_id, 1, fails_in(s, &found, x->run_id)};
	}
	return ASC_OK;
}

static int compare_lost(const void *x, const void *y)
{
	const struct lost *a = x, *b = y;

	return (a->run_id > b->run_id) - (a->run_id < b->run_id);
}

/* Takes a row into the suspects of its configuration. One of another configuration begins these
 * anew, after those before it were judged. */
static enum asc_status take_suspect(struct outdated *t, struct suspects *s, struct statement *rows,
				    struct asc_err *e)
{
	struct withdrawn of = {.device_id = statement_take_int(rows)};

	of.problem_id = statement_take_int(rows);
	of.implementation_id = statement_take_int(rows);
	const char *key = statement_take_text(rows);

	of.config_key = key ? key : "";
	if (s->n > 0 && !is_same(&s->of, &of)) {
		if (judge(t, s, e))
			return e->status;
		s->n = 0;
	}
	if (s->n == 0) {
		s->of = of;
		s->of.config_key = arena_copy(&t->arena, of.config_key);
		if (!s->of.config_key)
			return asc_err_nomem(e);
	}
	if (!array_room(&s->list, s->n, &s->room, sizeof *s->list))
		return asc_err_nomem(e);
	struct suspect *x = &s->list[s->n++];

	*x = (struct suspect){.run_id = statement_take_int(rows), .status = RESULT_STATUS_COUNT};
	x->simulated = statement_take_int(rows);
	x->id = statement_take_int(rows);
	(void)result_status_parse(statement_take_text(rows), &x->status);
	x->recorded_ms = statement_take_int(rows);
	return ASC_OK;
}

enum asc_status outdated_read(struct outdated *t, struct db *d, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct suspects suspects = {.n = 0};
	struct statement s;

	*t = (struct outdated){0};
	load_suspects(&s, d);
	while (statement_next(&s, &status, e))
		status = take_suspect(t, &suspects, &s, e);
	if (status == ASC_OK && suspects.n > 0)
		status = judge(t, &suspects, e);
	free(suspects.list);
	if (t->n_lost > 1)
		qsort(t->lost, t->n_lost, sizeof *t->lost, compare_lost);
	if (status != ASC_OK)
		outdated_fini(t);
	return status;
}

/* Takes a failure of a configuration of the run, and adds the configuration if it did not
 * pass later. One that was added for another failure is not asked for again. */
static enum asc_status take_failure(struct outdated *t, struct db *d, struct statement *rows,
				    struct asc_err *e)
{
	struct withdrawn of = {.device_id = statement_take_int(rows)};
	struct stands found = {0};
	enum result_status failure = RESULT_STATUS_COUNT;
	struct statement pass;
	bool passed = false;

	of.problem_id = statement_take_int(rows);
	of.implementation_id = statement_take_int(rows);
	const char *key = statement_take_text(rows);

	of.config_key = key ? key : "";
	struct load_later_than than = {.device_id = of.device_id,
				       .problem_id = of.problem_id,
				       .implementation_id = of.implementation_id,
				       .config_hash = statement_take_int(rows),
				       .config_key = of.config_key,
				       .id = statement_take_int(rows)};

	(void)result_status_parse(statement_take_text(rows), &failure);
	than.recorded_ms = statement_take_int(rows);
	if (outdated_find(t, of.device_id, of.problem_id, of.implementation_id, of.config_key))
		return ASC_OK;
	stands_add(&found, failure, than.recorded_ms, than.id);
	load_later_pass(&pass, d, &than);
	enum asc_status status = statement_step(&pass, &passed, e);
	if (status == ASC_OK && passed) {
		const int64_t id = statement_take_int(&pass);

		stands_add(&found, RESULT_OK, statement_take_int(&pass), id);
	}
	statement_end(&pass);
	if (status != ASC_OK || !stands_is_withdrawn(&found))
		return status;
	of.config_key = arena_copy(&t->arena, of.config_key);
	return of.config_key ? add_withdrawn(t, &of, than.id, e) : asc_err_nomem(e);
}

enum asc_status outdated_read_of(struct outdated *t, struct db *d, int64_t run_id,
				 struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	*t = (struct outdated){0};
	load_suspects_of(&s, d, run_id);
	while (statement_next(&s, &status, e))
		status = take_failure(t, d, &s, e);
	if (status != ASC_OK)
		outdated_fini(t);
	return status;
}

/* ---- current contents ---- */

static int compare_contents(const void *x, const void *y)
{
	const struct content *a = x, *b = y;

	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	if (a->problem_id != b->problem_id)
		return a->problem_id < b->problem_id ? -1 : 1;
	return (a->implementation_id > b->implementation_id) -
	       (a->implementation_id < b->implementation_id);
}

bool outdated_is_current(const struct outdated *t, const struct content *c)
{
	return t->n_contents > 0 && bsearch(c, t->contents, t->n_contents, sizeof *t->contents,
					    compare_contents) != NULL;
}

enum asc_status outdated_read_contents(struct outdated *t, struct db *d, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	int64_t before = 0; /* names are numbered from 1 */
	struct statement s;

	load_contents(&s, d);
	while (statement_next(&s, &status, e)) {
		const int64_t name = statement_take_int(&s);

		if (name == before) /* an older run */
			continue;
		before = name;
		if (!array_room(&t->contents, t->n_contents, &t->contents_room,
				sizeof *t->contents)) {
			status = asc_err_nomem(e);
			continue;
		}
		struct content *c = &t->contents[t->n_contents++];

		c->device_id = statement_take_int(&s);
		c->problem_id = statement_take_int(&s);
		c->implementation_id = statement_take_int(&s);
	}
	if (t->n_contents > 1)
		qsort(t->contents, t->n_contents, sizeof *t->contents, compare_contents);
	return status;
}
