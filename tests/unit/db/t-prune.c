/* Old losers lose their samples and logs, those that were tried again their rows, and no answer
 * changes: also where the process is killed, or the disk is full, in the middle.
 * covers: prune.c query.c query_record.c */
#include "db/prune.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/connection.h"
#include "db/merge.h"
#include "db/run_view.h"
#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

enum { RUNS = 5, TRIALS = 40 };

static struct asc_err e;

/* A trial with a log; even ones of 20 and above are longer than a page. */
static void add(struct db *d, int64_t run, int i, enum result_status status)
{
	struct result r = rows_result(1000 + i - 1, 1000 + i, 1000 + i + 1);
	char key[32], log[1500] = "";
	struct db_trial t = rows_trial(key, &r);

	snprintf(key, sizeof key, "B=%d", i);
	memset(log, 'x', i % 2 == 0 && i >= 20 ? sizeof log - 1 : 10);
	r.status = status;
	r.reason = status == RESULT_OK ? NULL : (char[]){"it is so"};
	r.log = log;
	t.is_default = i == 5;
	if (i == 7) { /* measured in its place: 6 */
		t.same_implementation = rows_implementation;
		t.same_key = "B=6";
	}
	tap_ok(db_add_trial(d, run, &t, &e) == ASC_OK, "trial %d", i);
}

/* Five runs of one problem, a day apart, the first a hundred days ago. B=1 is the fastest, and the
 * winner of the finals beside B=2; 3 is wrong, 4 is not built, 5 is the default. */
static void make(const char *path)
{
	struct db *d = NULL;
	int64_t run;

	for (int i = 0; i < RUNS; i++) {
		d = rows_open(path, &run);
		for (int k = 1; k <= TRIALS; k++)
			add(d, run, k,
			    k == 3   ? RESULT_WRONG
			    : k == 4 ? RESULT_BUILD_FAILED
				     : RESULT_OK);
		for (int k = 1; k <= 2; k++) {
			struct db_final f = {.implementation = rows_implementation,
					     .config_key = k == 1 ? "B=1" : "B=2",
					     .winner = k == 1,
					     .standing = k == 1 ? STANDING_TIED : STANDING_SLOWER,
					     .ratio = k,
					     .interval = {true, k, k},
					     .time = {.n = 3, .median = 1000 + k}};

			tap_ok(db_add_final(d, run, &f, &e) == ASC_OK, "finalist %d", k);
		}
		tap_ok(db_end_run(d, run, "done", &e) == ASC_OK, "run %d", i + 1);
		db_close(d);
	}
	rows_ask(path, "UPDATE run SET started_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000"
		       " - (101 - id) * 86400000");
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "opened");
	tap_int(best_keep(d, ASC_OK, &e), ASC_OK, "answers are kept");
	db_close(d);
}

/* A digest of all that answers and histories are made of, worked out again where `anew`. */
static int64_t digest(const char *path, bool anew)
{
	struct db *d = NULL;

	if (anew) {
		rows_ask(path, "INSERT OR IGNORE INTO stale SELECT device_id, problem_id FROM run");
		if (db_open(path, DB_WRITE, &d, &e) || best_keep(d, ASC_OK, &e))
			tap_ok(false, "%s", e.text);
		db_close(d);
	}
	return rows_ask(path,
			"SELECT (SELECT sum(trial_id * 7 + trials * 11 + ok_trials * 13)"
			" FROM answer) * 1000003 + (SELECT sum(trial_id * ns * 17 + passed * 19"
			" + failed * 23 + run_id) FROM outcome)");
}

static void prune(const char *path, const struct db_prune_rule *rule, bool dry,
		  struct db_pruned *out)
{
	struct db *d = NULL;

	if (db_open(path, dry ? DB_READ : DB_WRITE, &d, &e) || db_prune(d, rule, dry, out, &e))
		tap_ok(false, "%s", e.text);
	db_close(d);
}

static const struct db_prune_rule all_old = {.before_ms = INT64_MAX};

static void test_losers(void)
{
	const char *path = rows_path("losers.db");
	struct db_pruned p, q;
	struct stat before, after;

	make(path);
	const int64_t known = digest(path, false);

	stat(path, &before);
	prune(path, &all_old, true, &p);
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE log IS NULL"), 0,
		"a dry run drops nothing");
	prune(path, &all_old, false, &q);
	stat(path, &after);
	/* Of 40: two finalists, one wrong, the default and the one that was measured for another.
	 */
	tap_int(q.trials, 3 * (TRIALS - 5), "losers of the three old runs");
	tap_int(q.removed, 3 * (TRIALS - 5), "which later runs tried again");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE run_id <= 3"), 3 * 5,
		"their rows are gone");
	tap_int(rows_ask(path, "SELECT sum(trials) FROM run_tried WHERE status <> 'wrong'"),
		3 * (TRIALS - 1), "how many there were is known");
	tap_int(q.runs, 3, "three runs");
	tap_int(q.kept, 2, "the two newest are those that track compares");
	tap_int(p.removed, q.removed, "as many as the dry run has said");
	tap_int(p.trials - q.trials + p.sample_bytes - q.sample_bytes + p.log_bytes - q.log_bytes,
		0, "as many as the dry run has said, and as many bytes");
	tap_ok(after.st_size < before.st_size, "the file is smaller: %lld, %lld bytes",
	       (long long)before.st_size, (long long)after.st_size);
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE run_id <= 3 AND log IS NOT NULL"
			       " AND config_key IN ('B=1', 'B=2', 'B=3', 'B=5', 'B=6')"),
		15, "finalists, failures, defaults and what stands for others have their logs");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE run_id > 3 AND log IS NULL"), 0,
		"the newest runs have lost nothing");
	tap_int(rows_ask(path, "SELECT count(*) FROM stale"), 0, "no answer is stale");
	tap_ok(digest(path, false) == known, "answers and histories are the same");
	tap_ok(digest(path, true) == known, "also when they are worked out again");
	tap_int(rows_ask(path, "SELECT count(*) FROM pragma_integrity_check"
			       " WHERE integrity_check = 'ok'"),
		1, "the file is sound");
	prune(path, &all_old, false, &q);
	tap_int(q.removed, 3, "what stood for one that was removed follows");
	prune(path, &all_old, false, &q);
	tap_int(q.trials, 0, "nothing is left to drop");
	tap_ok(digest(path, true) == known, "answers and histories are the same");
}

/* A loser keeps its row while it is the newest word on its configuration. */
static void test_rows(void)
{
	static const struct {
		const char *change, *what;
	} cases[] = {
		{"DELETE FROM trial WHERE run_id > 1 AND config_key = 'B=9'", "no later run"},
		{"UPDATE trial SET status = 'slow' WHERE run_id > 1 AND config_key = 'B=9'",
		 "it ended otherwise"},
		{"UPDATE run SET policy_json = '{\"more\":1}' WHERE id IN (2, 3)",
		 "another policy"},
		{"UPDATE run SET cache_policy = 'cold' WHERE id IN (2, 3)", "another cache policy"},
		{"UPDATE run SET outcome = 'interrupted' WHERE id = 1", "the run did not end"},
		{"UPDATE trial SET config_hash = (SELECT config_hash FROM trial"
		 " WHERE config_key = 'B=10') WHERE run_id = 1 AND config_key = 'B=11'",
		 "the run tried one twice"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *path = rows_path("kept_rows.db"), *what = cases[i].what;
		struct db_pruned p;

		(void)unlink(path);
		make(path);
		rows_ask(path, "DELETE FROM trial WHERE run_id > 3 AND config_key = 'B=9'");
		rows_ask(path, cases[i].change);
		const int64_t known = digest(path, true);

		prune(path, &all_old, false, &p);
		tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE run_id = 1"
				       " AND config_key = 'B=9'"),
			1, "%s: a loser has its row", what);
		tap_ok(digest(path, true) == known, "%s: answers are the same", what);
	}
}

/* Files of which one was pruned make one in which nothing comes back, and nothing counts twice. */
static void test_merged(void)
{
	const char *whole = rows_path("whole.db"), *pruned = rows_path("pruned.db"),
		   *joined = rows_path("joined.db");
	static const char trials[] = "SELECT count(*) FROM trial",
			  tried[] = "SELECT coalesce(sum(trials), 0) FROM run_tried",
			  counts[] =
				  "SELECT (SELECT sum(trials * 11 + ok_trials) FROM answer)"
				  " * 1000003 + sum(passed * 19 + failed * 23 + ns) FROM outcome";
	struct db_pruned p;
	struct db_merged m;
	struct db *d = NULL;

	make(whole);
	const int64_t known = rows_ask(whole, counts);

	tap_int(db_open(pruned, DB_WRITE, &d, &e) || db_merge(d, whole, &m, &e) ||
			best_keep(d, ASC_OK, &e),
		0, "a copy");
	db_close(d);
	prune(pruned, &all_old, false, &p);
	const int64_t left = rows_ask(pruned, trials);

	tap_int(db_open(pruned, DB_WRITE, &d, &e) || db_merge(d, whole, &m, &e), 0,
		"the whole one into the pruned one");
	db_close(d);
	tap_int(m.trials, 0, "nothing comes back");
	tap_int(db_open(joined, DB_WRITE, &d, &e) || db_merge(d, pruned, &m, &e) ||
			best_keep(d, ASC_OK, &e),
		0, "the pruned one into a new one");
	db_close(d);
	tap_int(rows_ask(joined, trials), left, "as many rows");
	tap_int(rows_ask(joined, tried), 3 * TRIALS, "and it is known how many there were");
	tap_int(rows_ask(joined, counts), known, "answers and histories count the same");
	tap_int(db_open(whole, DB_WRITE, &d, &e) || db_merge(d, pruned, &m, &e), 0,
		"the pruned one into the whole one");
	db_close(d);
	tap_int(rows_ask(whole, trials), RUNS * TRIALS, "which has all rows, each once");
	(void)digest(whole, true);
	tap_int(rows_ask(whole, counts), known, "and the same answers");
}

static void test_rules(void)
{
	const char *path = rows_path("rules.db");
	struct db_pruned p;
	struct db *d = NULL;

	make(path);
	prune(path, &(struct db_prune_rule){.before_ms = INT64_MAX, .newest = 4}, true, &p);
	tap_int(p.runs, 1, "but for the four newest");
	tap_int(p.kept, 0, "none of the others is needed");
	prune(path,
	      &(struct db_prune_rule){
		      .before_ms = rows_ask(path, "SELECT started_ms FROM run WHERE id = 3")},
	      true, &p);
	tap_int(p.runs, 2, "those before a moment");
	rows_ask(path, "INSERT INTO series VALUES(1, 1, 1, 'blocked', '', 'ns')");
	rows_ask(path, "INSERT INTO verdict VALUES(1, 1, 2, 'slower', 1.1, 0, NULL, NULL, NULL)");
	prune(path, &all_old, true, &p);
	tap_int(p.runs, 2, "a night of a verdict is kept");
	tap_int(p.kept, 3, "as are the newest two");
	rows_ask(path, "UPDATE run SET imported = 1, simulated = 1 WHERE id = 1");
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "opened");
	tap_int(best_keep(d, ASC_OK, &e), ASC_OK, "answers are kept");
	db_close(d);
	prune(path, &all_old, true, &p);
	tap_int(p.runs, 1, "what was imported has no losers");
	rows_ask(path, "INSERT INTO stale VALUES(1, 1)");
	prune(path, &all_old, true, &p);
	tap_int(p.runs, 0, "nothing is dropped of a problem whose answer is stale");
	tap_int(p.busy, 1, "which is counted");
}

static int count_steps(unsigned type, void *steps, void *stmt, void *ns)
{
	(void)type, (void)ns;
	*(int64_t *)steps += sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
	return 0;
}

/* Steps of SQLite's machine in a dry run over `runs` runs of one problem. The first configurations
 * are undecided in each but the oldest quarter, where they passed; of each seven runs the last
 * began first. */
static int64_t steps_of(int runs, int64_t *removed)
{
	const char *path = rows_path("steps.db");
	struct db_pruned p;
	struct db *d = NULL;
	int64_t steps = 0;
	char sql[512];

	(void)unlink(path);
	make(path);
	(void)snprintf(sql, sizeof sql,
		       "INSERT INTO run(device_id, problem_id, strategy, policy_json, cache_policy,"
		       " seed, simulated, started_ms, outcome)"
		       " WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d - 6)"
		       " SELECT device_id, problem_id, strategy, policy_json, cache_policy, seed,"
		       " simulated, started_ms - i / 7 * 86400000 + i, 'done' FROM run, n"
		       " WHERE id = 1",
		       runs);
	rows_ask(path, sql);
	for (int i = 0; i < 2; i++) {
		static const char *const tables[][2] = {{"trial", "id = NULL, "}, {"final", ""}};
		const char *table = tables[i][0];

		(void)snprintf(sql, sizeof sql,
			       "CREATE TABLE copy AS SELECT t.*, r.id AS new FROM %s t, run r"
			       " WHERE t.run_id = 1 AND r.id > %d",
			       table, RUNS);
		rows_ask(path, sql);
		(void)snprintf(sql, sizeof sql, "UPDATE copy SET %srun_id = new", tables[i][1]);
		rows_ask(path, sql);
		rows_ask(path, "ALTER TABLE copy DROP COLUMN new");
		(void)snprintf(sql, sizeof sql, "INSERT INTO %s SELECT * FROM copy", table);
		tap_int(rows_ask(path, sql), 0, "%d runs have a %s", runs, table);
		rows_ask(path, "DROP TABLE copy");
	}
	(void)snprintf(sql, sizeof sql,
		       "UPDATE trial SET status = 'undecided' WHERE run_id > %d"
		       " AND config_key IN ('B=8', 'B=9', 'B=10')",
		       runs / 4);
	rows_ask(path, sql);
	if (db_open(path, DB_WRITE, &d, &e) || best_keep(d, ASC_OK, &e))
		tap_ok(false, "%s", e.text);
	sqlite3_trace_v2(d->sql, SQLITE_TRACE_PROFILE, count_steps, &steps);
	tap_int(db_prune(d, &all_old, true, &p, &e), ASC_OK, "%d runs", runs);
	db_close(d);
	*removed = p.removed;
	return steps;
}

/* The nights of one problem take as many steps each, however many there are. */
static void test_steps(void)
{
	int64_t few, many;
	const int64_t before = steps_of(70, &few), after = steps_of(280, &many);

	tap_ok(few > 0 && many > 3 * few, "removed: %lld, %lld", (long long)few, (long long)many);
	tap_ok(before > 1000 && after < before * 5, "four times the runs: %lld steps, %lld",
	       (long long)before, (long long)after);
}

static enum asc_status see(void *user, const struct db_record *r, struct asc_err *why)
{
	(void)why;
	if (r->run_id == 1 && strcmp(r->config_key, "B=9") == 0)
		*(int64_t *)user = r->samples ? -1 : r->n_samples;
	return ASC_OK;
}

/* A run that goes on finds what was tried, with its time. */
static void test_resumed(void)
{
	const char *path = rows_path("resumed.db");
	struct db_pruned p;
	struct result r;
	struct db *d = NULL;
	bool found = false;
	int64_t n = 0;

	make(path);
	rows_ask(path, "DELETE FROM trial WHERE run_id > 1 AND config_key = 'B=9'");
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "opened");
	tap_int(best_keep(d, ASC_OK, &e), ASC_OK, "answers are kept");
	db_close(d);
	prune(path, &all_old, false, &p);
	tap_int(db_open(path, DB_READ, &d, &e), ASC_OK, "opened");
	const struct db_wanted wanted = {.run_id = RUNS,
					 .implementation = rows_implementation.name,
					 .implementation_key = rows_implementation.key,
					 .config_key = "B=9"};

	tap_int(db_find_trial(d, &wanted, &r, &found, &e), ASC_OK, "asked");
	tap_ok(found && r.status == RESULT_OK && r.time.n == 3 && r.time.median == 1009,
	       "the result is known");
	tap_ok(r.n_samples == 1 && r.samples[0] == 1009 && !r.notes,
	       "its median stands for its samples");
	result_fini(&r);
	tap_int(db_each_record(d, &(struct db_records){0}, see, &n, &e), ASC_OK, "listed");
	tap_int(n, 3, "with the number of its samples, and none of them");
	db_close(d);
}

/* Prunes in a child whose files end at `bytes`: there it is killed, or its write fails. */
static void test_stopped(bool killed)
{
	const char *path = rows_path(killed ? "killed.db" : "full.db"),
		   *how = killed ? "killed" : "full";
	int stopped = 0, strange = 0, unsound = 0, changed = 0;
	bool whole = false;

	make(path);
	const int64_t known = digest(path, false);

	for (rlim_t bytes = 0; !whole && bytes < 1 << 20; bytes += 9973) {
		const struct rlimit limit = {bytes, bytes}, no_core = {0, 0};
		int status = -1;
		const pid_t child = fork();

		if (child == 0) {
			struct db_pruned p;
			struct db *d = NULL;

			signal(SIGXFSZ, killed ? SIG_DFL : SIG_IGN);
			if (setrlimit(RLIMIT_CORE, &no_core) || setrlimit(RLIMIT_FSIZE, &limit))
				_exit(100);
			_exit(db_open(path, DB_WRITE, &d, &e)
				      ? (int)e.status
				      : (int)db_prune(d, &all_old, false, &p, &e));
		}
		waitpid(child, &status, 0);
		whole = WIFEXITED(status) && WEXITSTATUS(status) == ASC_OK;
		stopped += !whole;
		strange +=
			!whole && (killed ? !WIFSIGNALED(status)
					  : !WIFEXITED(status) || WEXITSTATUS(status) != ASC_FULL);
		unsound += rows_ask(path, "SELECT count(*) FROM pragma_integrity_check"
					  " WHERE integrity_check = 'ok'") != 1;
		changed += digest(path, false) != known;
	}
	tap_ok(stopped > 3 && whole, "%s: stopped %d times, then at its end", how, stopped);
	tap_int(strange, 0, "%s: no other end", how);
	tap_int(unsound, 0, "%s: the file is sound each time", how);
	tap_int(changed, 0, "%s: with the same answers", how);
	/* Rows that stood for rows that are gone may have followed. */
	tap_ok(rows_ask(path, "SELECT count(*) FROM trial") <= RUNS * TRIALS - 3 * (TRIALS - 5),
	       "%s: in the end all is dropped", how);
}

/* A run that goes on while the file is pruned, and cut, under it. */
static void test_beside(void)
{
	const char *path = rows_path("beside.db");
	int status = -1, ends[2];
	struct db_pruned p;
	char ready;

	make(path);
	const pid_t child = pipe(ends) ? -1 : fork();

	if (child == 0) {
		struct db *d = NULL;

		if (db_open(path, DB_WRITE, &d, &e))
			_exit(1);
		for (int i = 0; i < 400; i++) {
			struct result r = rows_result(7999, 8000, 8001);
			char key[32];
			struct db_trial t = rows_trial(key, &r);

			snprintf(key, sizeof key, "NEW=%d", i);
			if (db_add_trial(d, RUNS, &t, &e) ||
			    (i == 0 && write(ends[1], "r", 1) != 1)) {
				fprintf(stderr, "# %s\n", e.text);
				_exit(1);
			}
		}
		db_close(d);
		_exit(0);
	}
	tap_int(read(ends[0], &ready, 1), 1, "another process records");
	for (int i = 0; i < 5; i++) {
		/* Kept answers make the problem's runs old again for a moment. */
		rows_ask(path, "DELETE FROM stale");
		prune(path, &all_old, false, &p);
	}
	waitpid(child, &status, 0);
	close(ends[0]);
	close(ends[1]);
	tap_int(status, 0, "it records to its end");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE config_key LIKE 'NEW=%'"
			       " AND samples IS NOT NULL"),
		400, "everything is there, with its samples");
	tap_int(rows_ask(path, "SELECT count(*) FROM pragma_integrity_check"
			       " WHERE integrity_check = 'ok'"),
		1, "the file is sound");
}

/* While another reads, what the prune has written stays in the log: it is no part of the size. */
static void test_log(void)
{
	const char *path = rows_path("log.db");
	struct db_pruned p;
	sqlite3 *reader = NULL;

	make(path);
	tap_int(sqlite3_open(path, &reader) ||
			sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM trial", NULL, NULL, NULL),
		0, "another reads");
	prune(path, &all_old, false, &p);
	tap_ok(p.bytes_after < p.bytes_before, "the file gets smaller: %lld, %lld bytes",
	       (long long)p.bytes_before, (long long)p.bytes_after);
	sqlite3_close(reader);
	prune(path, &all_old, true, &p);
	struct stat now;

	tap_int(stat(path, &now), 0, "the file");
	tap_int(p.bytes_after, now.st_size, "has as many bytes when nobody reads");
}

int main(void)
{
	rows_enter();
	test_losers();
	test_rows();
	test_merged();
	test_rules();
	test_steps();
	test_resumed();
	test_stopped(true);
	test_stopped(false);
	test_beside();
	test_log();
	rows_leave();
	return tap_done();
}
