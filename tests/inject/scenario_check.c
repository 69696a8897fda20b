#include "tests/inject/scenario_check.h"

#include <fts.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/process/proc.h"

const char *scene_path(const char *scene, const char *folder, const char *name)
{
	static char texts[8][4400];
	static size_t next;
	char *text = texts[next++ % (sizeof texts / sizeof *texts)];

	snprintf(text, sizeof texts[0], "%s/%s%s%s", scene, folder, *name ? "/" : "", name);
	return text;
}

/* ---- the database ---- */

/* The first column of the first row; NULL: there is none. */
static bool ask(sqlite3 *db, const char *sql, char *out, size_t size)
{
	sqlite3_stmt *stmt = NULL;
	const bool ok = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
			sqlite3_step(stmt) == SQLITE_ROW;

	if (ok)
		snprintf(out, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	return ok;
}

static bool open_db(const char *path, sqlite3 **db)
{
	return sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
}

long scene_count(const char *path)
{
	sqlite3 *db = NULL;
	char answer[200] = "", count[40] = "";
	long n = -1;

	if (!file_exists(path))
		return -1;
	if (!open_db(path, &db) || !ask(db, "PRAGMA integrity_check", answer, sizeof answer) ||
	    strcmp(answer, "ok") != 0) {
		tap_note("%s: %s %s", path, answer, sqlite3_errmsg(db));
		n = -2;
	} else if (ask(db, "SELECT count(*) FROM trial", count, sizeof count)) {
		n = atol(count);
	}
	sqlite3_close(db);
	return n;
}

static long count_text(const char *text, const char *part)
{
	long n = 0;

	for (const char *p = text; (p = strstr(p, part)) != NULL; p += strlen(part))
		n++;
	return n;
}

/* The kernels of the scenarios are right: what the machine lacks is no verdict about them. A build
 * that failed without an artifact's key is asked again by --resume. */
static bool check_verdicts(const char *path)
{
	sqlite3 *db = NULL;
	char verdict[600] = "";
	const bool wrong = file_exists(path) && open_db(path, &db) &&
			   ask(db,
			       "SELECT status || ' in ' || phase || ': ' || coalesce(reason, '')"
			       " FROM trial WHERE status NOT IN ('ok', 'slow')"
			       " AND NOT (status = 'build_failed' AND artifact IS NULL)",
			       verdict, sizeof verdict);

	sqlite3_close(db);
	if (wrong)
		tap_note("recorded: %s", verdict);
	return !wrong;
}

/* A trial is recorded, then printed. */
static bool check_rows(const struct scene *s, const struct injected *r)
{
	const struct expectation *x = &s->expected;
	const char *name = s->scenario->db;

	if (!name)
		return true;
	const long n = scene_count(scene_path(s->folder, "point", name));
	const long printed = count_text(buf_str(&r->output), "{\"type\":\"trial\"");

	if (n == -2)
		return false;
	if (s->scenario->run) {
		const bool ok = (n < 0 ? 0 : n) >= printed && n <= printed + 1;
		if (!ok)
			tap_note("%ld trials are printed, %ld recorded", printed, n);
		return check_verdicts(scene_path(s->folder, "point", name)) && ok;
	}
	const bool ok = n == x->after || (r->status != x->status &&
					  (n == x->first || n == x->second ||
					   (n <= 0 ? 0 : n) == (x->before <= 0 ? 0 : x->before)));
	if (!ok)
		tap_note("%ld trials are recorded: expected %ld or %ld", n, x->before, x->after);
	return ok;
}

/* ---- files ---- */

static bool same_file(const char *a, const char *b)
{
	struct asc_err e;
	struct buf left = {0}, right = {0};
	const bool same = !file_read(a, 0, &left, &e) && !file_read(b, 0, &right, &e) &&
			  left.len == right.len &&
			  memcmp(buf_str(&left), buf_str(&right), left.len) == 0;

	buf_fini(&left);
	buf_fini(&right);
	return same;
}

/* Files that SQLite keeps beside a database, which the next one to open it takes up. */
static bool is_log(const char *name)
{
	static const char *const ends[] = {".db-wal", ".db-shm", ".db-journal"};
	const size_t n = strlen(name);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (n > strlen(ends[i]) && strcmp(name + n - strlen(ends[i]), ends[i]) == 0)
			return true;
	return false;
}

/* A page says less where a picture or the workload's file cannot be read. */
static bool may_say_less(const struct scene *s, const struct injection *what)
{
	return s->scenario->plots || what->call == INJECT_READ;
}

/* A page whose pictures could not be drawn is whole, and says so. */
static bool is_page(const char *path)
{
	static const char begin[] = "<!doctype html>", end[] = "</html>\n";
	struct asc_err e;
	struct buf text = {0};
	const bool whole = !file_read(path, 0, &text, &e) && text.len > sizeof begin + sizeof end &&
			   strncasecmp(text.data, begin, sizeof begin - 1) == 0 &&
			   strcmp(text.data + text.len - (sizeof end - 1), end) == 0;

	buf_fini(&text);
	return whole;
}

/* The folder of a build that could not be removed: the next to open the cache removes it. The stage
 * of an export of which something could not be: the next export does. */
static bool is_orphan(const char *name, const struct injection *what)
{
	static const char build[] = "cache/artifacts/tmp-", stage[] = "out/.asctune-export";

	return (what->ever && strncmp(name, build, sizeof build - 1) == 0) ||
	       (what->call == INJECT_UNLINK && strncmp(name, stage, sizeof stage - 1) == 0);
}

/* `name` is relative to the folder of the point. */
static bool check_file(const struct scene *s, const struct injection *what, const char *name,
		       bool done)
{
	const char *have = scene_path(s->folder, "point", name);
	const char *new = scene_path(s->folder, "expected", name);
	const char *old = scene_path(s->folder, "template", name);
	bool ok = file_exists(new) || file_exists(old) || is_log(name) ||
		  (s->scenario->db && strcmp(name, s->scenario->db) == 0);

	if (is_orphan(name, what))
		return true;

	if (!ok)
		tap_note("%s is left", name);
	if (!ok || strncmp(name, "out/", 4) != 0)
		return ok;
	ok = same_file(have, new) || (!done && same_file(have, old)) ||
	     (may_say_less(s, what) && is_page(have));
	if (!ok)
		tap_note("%s is neither what it should be nor what it was", name);
	return ok;
}

static bool check_files(const struct scene *s, const struct injection *what,
			const struct injected *r)
{
	char root[4400];
	bool ok = true;

	snprintf(root, sizeof root, "%s", scene_path(s->folder, "point", ""));
	FTS *walk = fts_open((char *[]){root, NULL}, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

	for (FTSENT *f; walk && (f = fts_read(walk)) != NULL;)
		if (f->fts_level > 0 && f->fts_info != FTS_DP)
			ok &= check_file(s, what, f->fts_path + strlen(root) + 1,
					 r->status == s->expected.status);
	fts_close(walk);
	return ok;
}

/* ---- words ---- */

/* In strerror()'s words, or in asctune's own. */
static bool names_error(const char *text, int error)
{
	const char *own = error == ENOMEM ? "out of memory" : "no space left";

	return strstr(text, strerror(error)) ||
	       ((error == ENOMEM || error == ENOSPC) && strstr(text, own));
}

/* A line that is said when nothing fails, too. */
static bool is_expected(const struct scene *s, const char *line)
{
	char text[400];

	snprintf(text, sizeof text, "%.*s\n", (int)strcspn(line, "\n"), line);
	return strstr(buf_str(&s->expected.messages), text) != NULL;
}

/* Every line is asctune's, and what ended the command is named. A page's line has its
 * size, so it may differ. */
static bool check_messages(const struct scene *s, const struct injection *what,
			   const struct injected *r)
{
	const char *text = buf_str(&r->messages), *output = buf_str(&r->output);
	const bool fewer = r->status != s->expected.status;
	bool ok = !fewer || *text || strcmp(s->scenario->name, "runs") == 0;

	for (const char *line = text; *line && !what->trace; line += strcspn(line, "\n") + 1)
		ok &= strncmp(line, "asctune", 7) == 0 || is_expected(s, line) ||
		      (may_say_less(s, what) && strncmp(line, "out/", 4) == 0);
	if (strstr(text, "internal error") || strstr(text, "Success"))
		ok = false;
	/* A program whose file cannot be looked at is not found. */
	if (fewer && what->call == INJECT_STAT)
		return ok;
	/* SQLite opens a file in another way then, and does not say why. */
	if (what->call == INJECT_OPEN && strstr(text, ".db: cannot be "))
		return true;
	if (fewer && what->process == INJECT_COORDINATOR)
		ok &= names_error(text, what->error) || names_error(output, what->error);
	if (!ok)
		tap_note("stderr: %s", *text ? text : "(empty)");
	return ok;
}

bool scenario_check(const struct scene *s, const struct injection *what, const struct injected *r)
{
	char words[80];
	bool ok = true;

	if (r->hung || WIFSIGNALED(r->status)) {
		tap_note("%s",
			 r->hung ? "it hangs" : proc_print_status(r->status, words, sizeof words));
		ok = false;
	}
	if (r->left > 0)
		ok = false;
	if (r->status == s->expected.status && !s->scenario->run &&
	    strcmp(buf_str(&r->output), buf_str(&s->expected.output)) != 0) {
		tap_note("it succeeds with another output: %s", buf_str(&r->output));
		ok = false;
	}
	ok &= check_messages(s, what, r);
	ok &= check_rows(s, r);
	ok &= check_files(s, what, r);
	return ok;
}
