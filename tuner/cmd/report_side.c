#include "tuner/cmd/report_side.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db/db.h"
#include "db/overview.h"
#include "db/run_view.h"
#include "tuner/base/buf.h"

static const int64_t day_ms = 86400000;

/* ---- databases ---- */

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static enum asc_status open_own(struct report_sides *s, struct asc_err *e)
{
	return s->own ? ASC_OK : db_open(s->path, DB_READ, &s->own, e);
}

/* Opens a database of choice, which may be the own one or that of the other side. */
static enum asc_status open_file(struct report_sides *s, struct track_side *side, const char *path,
				 struct asc_err *e)
{
	const struct track_side *base = &s->list[TRACK_BASE];

	side->path = path;
	if (is_same_file(path, s->path)) {
		const enum asc_status status = open_own(s, e);

		side->db = s->own;
		return status;
	}
	if (side != base && base->db && is_same_file(path, base->path)) {
		side->db = base->db;
		return ASC_OK;
	}
	return db_open(path, DB_READ, &side->db, e);
}

/* ---- words ---- */

static bool is_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

static bool is_date(const char *word)
{
	static const char like[] = "0000-00-00";

	for (size_t i = 0; i < sizeof like; i++)
		if (like[i] == '0' ? !(word[i] >= '0' && word[i] <= '9') : word[i] != like[i])
			return false;
	return true;
}

static enum asc_status find_run(void *user, const struct db_run_record *r, struct asc_err *e)
{
	(void)r;
	(void)e;
	*(bool *)user = true;
	return ASC_OK;
}

static enum asc_status choose_run(struct report_sides *s, struct track_side *side, const char *word,
				  struct asc_err *e)
{
	const int64_t run = strtoll(word, NULL, 10);
	bool found = false;

	if (run > 0 &&
	    db_each_run(s->own, &(struct db_run_choice){.run_id = run}, find_run, &found, e))
		return e->status;
	if (!found)
		return asc_err_set(e, ASC_NOTFOUND, "%s: no run %s", s->path, word);
	side->choice.run_id = run;
	return ASC_OK;
}

static enum asc_status choose_date(struct track_side *side, const char *word, struct asc_err *e)
{
	struct tm t = {0};
	char again[16];

	strptime(word, "%Y-%m-%d", &t);
	const time_t start = timegm(&t);

	if (!gmtime_r(&start, &t) || !strftime(again, sizeof again, "%Y-%m-%d", &t) ||
	    strcmp(again, word) != 0)
		return asc_err_set(e, ASC_INPUT, "%s: no such date", word);
	side->choice.from_ms = (int64_t)start * 1000;
	side->choice.until_ms = side->choice.from_ms + day_ms;
	return ASC_OK;
}

static enum asc_status find_device(void *user, const struct db_environment *v, struct asc_err *e)
{
	struct track_side *side = user;

	(void)e;
	if (v->device_model && strcmp(v->device_model, side->word) == 0)
		side->choice.device = side->word;
	return ASC_OK;
}

static enum asc_status choose_device(struct report_sides *s, struct track_side *side,
				     const char *word, struct asc_err *e)
{
	if (db_each_environment(s->own, find_device, side, e))
		return e->status;
	if (!side->choice.device)
		return asc_err_set(e, ASC_NOTFOUND,
				   "%s: neither a database, a run's number, a date (YYYY-MM-DD) "
				   "nor a device of %s",
				   word, s->path);
	return ASC_OK;
}

/* Chooses among the runs of the own database. */
static enum asc_status choose(struct report_sides *s, struct track_side *side, const char *word,
			      struct asc_err *e)
{
	if (open_own(s, e))
		return e->status;
	side->db = s->own;
	side->path = s->path;
	if (!word)
		return ASC_OK;
	if (is_number(word))
		return choose_run(s, side, word, e);
	return is_date(word) ? choose_date(side, word, e) : choose_device(s, side, word, e);
}

static enum asc_status open_side(struct report_sides *s, enum track_side_index k, const char *word,
				 struct asc_err *e)
{
	struct track_side *side = &s->list[k];
	const bool own = !word || is_number(word) || is_date(word) || access(word, F_OK) != 0;

	side->word = word;
	const enum asc_status status = own ? choose(s, side, word, e) : open_file(s, side, word, e);

	if (status != ASC_OK)
		return status;
	s->names[k] =
		side->choice.run_id ? str_print("run %s", word) : str_dup(word ? word : s->path);
	side->name = s->names[k];
	return side->name ? ASC_OK : asc_err_nomem(e);
}

enum asc_status report_sides_open(struct report_sides *s, const char *path,
				  const char *const words[TRACK_SIDES], struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	*s = (struct report_sides){.path = path};
	for (int k = TRACK_BASE; k < TRACK_SIDES && status == ASC_OK; k++)
		status = open_side(s, k, words[k], e);
	return status;
}

void report_sides_close(struct report_sides *s)
{
	struct db *base = s->list[TRACK_BASE].db, *against = s->list[TRACK_AGAINST].db;

	if (against != s->own && against != base)
		db_close(against);
	if (base != s->own)
		db_close(base);
	db_close(s->own);
	for (int k = TRACK_BASE; k < TRACK_SIDES; k++)
		free(s->names[k]);
}
