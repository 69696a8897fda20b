/* What is best in a hundred random histories: the rows are those that are stored beside this test,
 * as the views of schema 17 gave them; kept answers are those that are worked out, whatever has
 * changed since; and what people ask for in SQL is the same.
 *
 * `t-best_histories.t --update` writes the stored rows; read the difference before committing it.
 * covers: snapshot.c best.c load.c answer_rows.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/results/histories.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/result/tie.h"

/* Rows of the first histories are stored in full, of the others a hash. */
enum { HISTORIES = 100, IN_FULL = 12 };

static const char stored[] = PROJECT_ROOT "/tests/unit/results/best_histories.txt";

static struct asc_err e;

/* ---- rows as texts ---- */

static void add_member(struct buf *out, const struct db_field *f, const void *member)
{
	const char *const *text = member;

	switch (f->kind) {
	case DB_FIELD_TEXT:
	case DB_FIELD_JSON: buf_print(out, " %s=%s", f->name, *text ? *text : "NULL"); break;
	case DB_FIELD_INT:
		buf_print(out, " %s=%lld", f->name, (long long)*(const int64_t *)member);
		break;
	case DB_FIELD_REAL:
	case DB_FIELD_AMOUNT: buf_print(out, " %s=%.17g", f->name, *(const double *)member); break;
	}
}

/* A best_fn: appends all members of the row. */
static enum asc_status print_all(void *user, const struct best_row *r, struct asc_err *err)
{
	const char *const rest[] = {r->export_json, r->kinds_json,     r->source_digest,
				    r->run_outcome, r->device_machine, r->run_budget};
	struct buf *out = user;

	(void)err;
	for (const struct db_field *f = best_fields; f->name; f++)
		add_member(out, f, (const char *)r + f->offset);
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		buf_print(out, " %s", rest[i] ? rest[i] : "NULL");
	buf_print(out, " final_run=%lld own=%lld failed=%lld run_trials=%lld\n",
		  (long long)r->final_run_id, (long long)r->own_implementation,
		  (long long)r->failed, (long long)r->run_trials);
	return ASC_OK;
}

/* A best_fn: appends what is decided. */
static enum asc_status print_decided(void *user, const struct best_row *r, struct asc_err *err)
{
	(void)err;
	buf_print(user,
		  "%s/%s %s %s%s%s %s %s trial %lld of %lld, finals %lld: %g ns, %s %.4g %lld,"
		  " default %s %g %.4g, %s %g %.4g, %lld of %lld\n",
		  r->workload, r->problem, r->device_fingerprint,
		  r->cache_policy ? r->cache_policy : "-", r->older ? " older" : "",
		  r->failed ? " failed" : "", r->implementation, r->config_key,
		  (long long)r->trial_id, (long long)r->run_id, (long long)r->final_run_id,
		  r->median_ns, r->sure, r->noise_pct, (long long)r->n_ties,
		  r->default_key ? r->default_key : "-", r->default_ns, r->vs_default,
		  r->baselines.n ? r->baselines.list[0].name : "-", r->baselines.list[0].ns,
		  r->baselines.list[0].ratio, (long long)r->ok_trials, (long long)r->trials);
	return ASC_OK;
}

typedef enum asc_status each(struct db *, const char *, best_fn *, void *, struct asc_err *);

static each *const questions[] = {best_each_ever, best_each_of_implementations, best_each_simulated,
				  best_each, best_each_or_last};

/* Appends what the first `n` questions give, of all workloads or one. */
static void ask(struct db *d, size_t n, const char *workload, best_fn *print, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		if (questions[i](d, workload, print, out, &e))
			buf_print(out, "%s\n", e.text);
		buf_add_str(out, "\n");
	}
}

/* Appends the answers to all questions, with those of each run. */
static struct buf ask_all(struct history *h)
{
	struct buf out = {0};

	ask(h->db, 5, NULL, print_all, &out);
	ask(h->db, 5, "gemm", print_all, &out);
	for (size_t i = 0; i < h->n_runs; i++) {
		if (best_find(h->db, h->runs[i], print_all, &out, &e))
			buf_print(&out, "%s\n", e.text);
		for (size_t k = 0; k < 4; k++) {
			double ns = 0;
			bool found;

			if (best_find_fastest(h->db, h->runs[i],
					      (const char *[]){"a", "b", "c", "library"}[k], &out,
					      &ns, &found, &e))
				buf_print(&out, "%s\n", e.text);
			buf_print(&out, " %g\n", ns);
		}
	}
	return out;
}

static bool is_same_text(struct buf *a, struct buf *b)
{
	const bool same = strcmp(buf_str(a), buf_str(b)) == 0;
	size_t at = 0;

	while (!same && buf_str(a)[at] == buf_str(b)[at])
		at++;
	if (!same)
		tap_note("%.200s | %.200s", buf_str(a) + (at > 100 ? at - 100 : 0),
			 buf_str(b) + (at > 100 ? at - 100 : 0));
	buf_fini(a);
	buf_fini(b);
	return same;
}

/* ---- kept answers ---- */

/* Changes something that was recorded, as a merge or another program would. */
static void change(struct history *h, const char *path)
{
	static const char *const changes[] = {
		"UPDATE trial SET status = 'wrong' WHERE id %% 5 = %d",
		"UPDATE trial SET status = 'ok' WHERE status = 'slow' AND id %% 3 = %d %% 3",
		"UPDATE final SET standing = 'tied' WHERE rowid %% 5 = %d",
		"UPDATE run SET started_ms = started_ms + 9000 WHERE id %% 5 = %d",
		"UPDATE run SET decided = 2, sure = 'tie' WHERE decided AND id %% 5 = %d",
		"DELETE FROM final WHERE rowid %% 5 = %d",
		"UPDATE run SET baseline = 'b', noise_pct = 3 WHERE id %% 5 = %d",
		"UPDATE run SET imported = 1, simulated = 1 WHERE id %% 5 = %d",
		"UPDATE run SET cache_policy = 'cold' WHERE id %% 5 = %d",
		"UPDATE trial SET run_id = run_id %% (SELECT max(id) FROM run) + 1"
		" WHERE id %% 5 = %d",
		"UPDATE OR IGNORE final SET run_id = run_id %% (SELECT max(id) FROM run) + 1"
		" WHERE rowid %% 5 = %d",
		"DELETE FROM run_implementation WHERE run_id %% 5 = %d",
		"UPDATE OR IGNORE run_implementation SET implementation_id = 1"
		" WHERE run_id %% 5 = %d",
		"UPDATE OR IGNORE run_implementation SET run_id = 1 WHERE run_id %% 5 = %d",
		"UPDATE implementation SET name = iif(name = 'b', 'library', 'b')"
		" WHERE id %% 5 = %d",
		"UPDATE OR IGNORE problem SET name = iif(name = 'tiny', 'large', 'tiny')"
		" WHERE id %% 5 = %d",
		"UPDATE OR IGNORE problem SET workload_id = (SELECT max(id) FROM workload)"
		" WHERE id %% 5 = %d"};
	const size_t which = history_draw(h, sizeof changes / sizeof *changes + 3);
	char sql[128];

	if (which >= sizeof changes / sizeof *changes) {
		if (h->n_runs < HISTORY_MAX_RUNS)
			history_add_run(h);
		return;
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(sql, sizeof sql, changes[which], (int)history_draw(h, 5));
#pragma GCC diagnostic pop
	if (rows_ask(path, sql) < 0)
		tap_ok(false, "%s", sql);
}

static const char all_stale[] =
	"INSERT OR IGNORE INTO stale SELECT DISTINCT device_id, problem_id FROM run";

struct faults {
	int kept, changed, sql, runs;
};

struct viewed {
	const char *path;
	int64_t rows, same;
};

/* A best_fn: counts the row, and those of the view best that say the same. */
static enum asc_status find_in_view(void *user, const struct best_row *r, struct asc_err *err)
{
	struct viewed *v = user;
	char sql[512];

	(void)err;
	snprintf(sql, sizeof sql,
		 "SELECT count(*) FROM best WHERE trial_id = %lld AND cache_policy IS %s%s%s AND"
		 " sure = '%s' AND noise_pct = %.17g AND coalesce(final_run_id, 0) = %lld",
		 (long long)r->trial_id, r->cache_policy ? "'" : "",
		 r->cache_policy ? r->cache_policy : "NULL", r->cache_policy ? "'" : "",
		 sure_recorded_name(sure_parse(r->sure)), r->noise_pct, (long long)r->final_run_id);
	v->rows += !r->failed;
	v->same += !r->failed && rows_ask(v->path, sql) == 1;
	return ASC_OK;
}

/* Rows of the view best are those that the question for it visits, of each driver. */
static bool has_best(struct history *h, const char *path)
{
	struct viewed v = {.path = path};

	best_each_ever(h->db, NULL, find_in_view, &v, &e);
	/* The answer is the best of its implementation, too, which may have no trial with this
	 * cache policy: then the view of implementations leaves it out. */
	return v.same == v.rows && rows_ask(path, "SELECT count(*) FROM best") == v.rows &&
	       rows_ask(path, "SELECT count(*) FROM best b WHERE NOT EXISTS (SELECT 1 FROM answer a"
			      " LEFT JOIN implementation_best i ON i.trial_id = a.trial_id"
			      " WHERE a.trial_id = b.trial_id AND a.own = b.implementation_id"
			      "  AND (i.trial_id > 0 OR a.trials = 0))") == 0 &&
	       rows_ask(path, "SELECT count(*) FROM ties WHERE winner") ==
		       rows_ask(path, "SELECT count(*) FROM any_best WHERE final_run_id > 0");
}

/* Answers are the same worked out and kept, and after each change those that all results give. */
static void check_kept(struct history *h, const char *path, struct faults *f)
{
	struct buf worked_out = ask_all(h);

	history_check(best_refresh(h->db, &e));
	f->runs += rows_ask(path, "SELECT count(*) FROM stale") != 0;
	struct buf kept = ask_all(h);

	f->kept += !is_same_text(&worked_out, &kept);
	f->sql += !has_best(h, path);
	for (int i = 0; i < 3; i++) {
		change(h, path);
		struct buf some = ask_all(h);

		if (rows_ask(path, all_stale) < 0)
			tap_ok(false, "%s", all_stale);
		struct buf all = ask_all(h);

		f->changed += !is_same_text(&some, &all);
		history_check(best_refresh(h->db, &e));
	}
}

/* ---- stored rows ---- */

static void add_stored(struct history *h, int seed, struct buf *out)
{
	struct buf rows = {0};

	ask(h->db, 3, NULL, print_decided, &rows);
	buf_print(out, "history %d: %016llx\n", seed,
		  (unsigned long long)hash_bytes(buf_str(&rows), rows.len));
	if (seed <= IN_FULL)
		buf_add_str(out, buf_str(&rows));
	buf_fini(&rows);
}

int main(int argc, char **argv)
{
	const bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
	struct buf now = {0}, expected = {0};
	struct faults f = {0};

	rows_enter();
	for (int seed = 1; seed <= HISTORIES; seed++) {
		struct history h;
		char path[5120];

		snprintf(path, sizeof path, "%s/%d.db", rows_folder, seed);
		history_make(&h, (uint64_t)seed, path);
		add_stored(&h, seed, &now);
		check_kept(&h, path, &f);
		db_close(h.db);
	}
	rows_leave();
	if (update)
		tap_int(file_write(stored, now.data, now.len, &e), ASC_OK, "stored");
	tap_int(file_read(stored, SIZE_MAX, &expected, &e), ASC_OK, "stored rows");
	tap_ok(is_same_text(&expected, &now), "are those of all histories");
	tap_int(f.kept, 0, "kept answers are those that are worked out");
	tap_int(f.runs, 0, "none is stale");
	tap_int(f.changed, 0, "what changes makes stale what it changes");
	tap_int(f.sql, 0, "views have the answers");
	return tap_done();
}
