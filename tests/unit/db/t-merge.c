/* Databases joined: each thing once, whatever the order.
 * covers: merge.c */
#include "db/merge.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "db/history.h"
#include "reports/results/best.h"
#include "reports/track/track_history.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/result/roofline.h"

static struct asc_err e;

struct machine { /* what a file of a machine holds; NULL: as rows.h has it */
	const char *fingerprint, *operator_name, *key;
	double ns;
	int64_t started_ms;
	bool simulated;
};

static struct db *open_file(const char *path, enum db_mode mode)
{
	struct db *d = NULL;

	if (db_open(path, mode, &d, &e))
		tap_ok(false, "%s", e.text);
	return d;
}

static int64_t begin(struct db *d, const struct machine *m)
{
	struct db_device device = rows_device;
	struct db_problem problem = rows_problem;
	struct db_implementation i = rows_implementation;
	struct db_run run = rows_run;
	int64_t id = 0;

	device.fingerprint = m->fingerprint;
	problem.operator_name = m->operator_name;
	i.key = m->key ? m->key : i.key;
	run.implementations = &i;
	run.simulated = run.imported = m->simulated;
	tap_int(db_begin_run(d, &device, &problem, &run, &id, &e), ASC_OK, "a run on %s",
		m->fingerprint);
	return id;
}

static void add_trial(struct db *d, int64_t run, const struct machine *m, const char *config,
		      double ns)
{
	struct metric metric = {.probe = "rusage", .name = "faults", .unit = "", .value = ns / 10};
	struct result r = rows_result(ns - 1, ns, ns + 1);
	struct db_trial t = rows_trial(config, &r);

	t.implementation.key = m->key ? m->key : t.implementation.key;
	r.metrics = &metric;
	r.n_metrics = 1;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "%s", config);
}

static void add_final(struct db *d, int64_t run, const struct machine *m, const char *config)
{
	static const struct sureness clear = {.sure = SURE_CLEAR, .ties = 1};
	int64_t samples[] = {1, 2, 3};
	struct db_final f = {.implementation = rows_implementation,
			     .config_key = config,
			     .standing = STANDING_TIED,
			     .winner = true,
			     .ratio = 1,
			     .time = {.n = 3, .median = m->ns},
			     .samples = samples,
			     .n_samples = 3};

	f.implementation.key = m->key ? m->key : f.implementation.key;
	tap_int(db_add_final(d, run, &f, &e) || db_set_sure(d, run, &clear, false, &e), ASC_OK,
		"finals");
}

/* One run of two trials, finals, peaks; closed. */
static const char *make(const char *name, const struct machine *m)
{
	const char *path = rows_path(name);
	struct peaks peaks = {.rows = {{PEAK_ARITHMETIC, "f32", m->ns, m->ns, 5},
				       {PEAK_MEMORY, "", 2 * m->ns, 2 * m->ns, 5}},
			      .n = 2};
	char sql[96];
	struct db *d = open_file(path, DB_WRITE);
	int64_t run = begin(d, m);

	add_trial(d, run, m, "B=1", m->ns);
	add_trial(d, run, m, "B=2", 2 * m->ns);
	add_final(d, run, m, "B=1");
	db_put_peaks(d, m->fingerprint, &peaks, &e);
	db_end_run(d, run, "done", &e);
	db_close(d);
	snprintf(sql, sizeof sql, "UPDATE run SET started_ms = %lld", (long long)m->started_ms);
	rows_ask(path, sql);
	snprintf(sql, sizeof sql, "UPDATE peak SET measured_ms = %lld", (long long)m->started_ms);
	rows_ask(path, sql);
	return path;
}

static const struct machine first = {"f1", "attention", NULL, 100, 1000, false};
static const struct machine second = {"f2", "attention v2", "k2", 90, 2000, false};

static struct db_merged merge(const char *into, const char *from)
{
	struct db *d = open_file(into, DB_WRITE);
	struct db_merged m = {0};

	if (db_merge(d, from, &m, &e) || best_refresh(d, &e))
		tap_ok(false, "%s", e.text);
	db_close(d);
	return m;
}

static enum asc_status refused(const char *into, const char *from)
{
	struct db *d = open_file(into, DB_WRITE);
	struct db_merged m;
	enum asc_status status = db_merge(d, from, &m, &e);

	db_close(d);
	return status;
}

/* ---- what a file says ---- */

static enum asc_status tell_best(void *user, const struct best_row *b, struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s %s %s %s %s %g/%g %g %s;", b->workload, b->operator_name, b->problem,
		  b->device_fingerprint, b->config_key, b->median_ns, b->default_ns, b->peak_flops,
		  b->ties_json);
	return ASC_OK;
}

static void tell_nights(struct db *d, struct buf *out)
{
	const struct track_choice all = {0};
	struct track_history *h = NULL;

	if (track_history_read(d, &all, 1, &h, &e))
		tap_ok(false, "%s", e.text);
	for (size_t i = 0; h && i < h->n_points; i++)
		buf_print(out, "%s %s %lld %g;", h->points[i].fingerprint, h->points[i].config,
			  (long long)h->points[i].started_ms, h->points[i].ns);
	track_history_free(h);
}

static enum asc_status tell_acknowledgement(void *user, const struct db_acknowledgement *a,
					    struct asc_err *err)
{
	(void)err;
	buf_print(user, "%s %s;", a->series, a->reason);
	return ASC_OK;
}

/* Everything but the numbers of rows; the caller's to free. */
static char *tell(const char *path)
{
	struct db *d = open_file(path, DB_READ);
	struct buf out = {0};

	best_each_ever(d, NULL, tell_best, &out, &e);
	tell_nights(d, &out);
	db_each_acknowledgement(d, tell_acknowledgement, &out, &e);
	db_close(d);
	buf_print(&out, " trials %lld metrics %lld finals %lld",
		  (long long)rows_ask(path, "SELECT count(*) FROM trial"),
		  (long long)rows_ask(path, "SELECT sum(value) FROM metric JOIN trial t ON t.id = "
					    "trial_id WHERE value = t.median_ns / 10"),
		  (long long)rows_ask(path, "SELECT count(*) FROM final"));
	return buf_take(&out);
}

static void check_same(const char *a, const char *b, const char *name)
{
	char *x = tell(a), *y = tell(b);

	tap_str(x, y, "%s", name);
	free(x);
	free(y);
}

static void test_orders(void)
{
	const char *ab = rows_path("ab.db"), *ba = rows_path("ba.db");
	const char *a = make("a.db", &first), *b = make("b.db", &second);

	struct db_merged m = merge(ab, a);
	tap_int(m.runs * 100 + m.trials, 102, "one run and two trials came");
	check_same(ab, a, "into an empty file: a copy");
	merge(ab, b);
	merge(ba, b);
	merge(ba, a);
	check_same(ab, ba, "A and B are B and A");
	char *before = tell(ab);

	m = merge(ab, a);
	tap_int(m.runs + m.trials + m.completed, 0, "again: nothing came");
	tap_int(m.known, 1, "one run was known");
	merge(ab, ba);
	char *after = tell(ab);

	tap_str(after, before, "nothing changed");
	tap_has(after, "sdpa attention v2 tiny f1 B=1 100/0 100",
		"the newest run names the operator");
	tap_has(after, "sdpa attention v2 tiny f2 B=1 90/0 90", "peaks stay with their device");
	free(before);
	free(after);
}

/* Two machines of one kind: the numbers of merged rows say nothing about what is newer. */
static void test_newest(void)
{
	struct machine older = first, newer = first;
	const char *ab = rows_path("on.db"), *ba = rows_path("no.db");

	newer.started_ms = 5000;
	newer.ns = 110;
	newer.operator_name = "attention v3";
	const char *a = make("older.db", &older), *b = make("newer.db", &newer);

	rows_ask(a, "UPDATE trial SET recorded_ms = 1000");
	rows_ask(a, "UPDATE peak SET rate = 120 WHERE unit = 'FLOP/s'");
	rows_ask(b, "UPDATE trial SET recorded_ms = 5000");
	merge(ab, a);
	merge(ab, b);
	merge(ba, b);
	merge(ba, a);
	check_same(ab, ba, "the same in both orders");
	tap_int(rows_ask(ab, "SELECT trial_id FROM best") ==
			rows_ask(ba, "SELECT trial_id FROM best"),
		0, "though rows have other numbers");
	tap_int(rows_ask(ba, "SELECT median_ns FROM best"), 110, "the newest finals decide");
	tap_int(rows_ask(ba, "SELECT rate FROM peak WHERE unit = 'FLOP/s'"), 120,
		"the highest peaks stand");
	tap_int(rows_ask(ba, "SELECT count(*) FROM workload WHERE operator = 'attention v3'"), 1,
		"the older run changes no name");
}

static void test_simulated(void)
{
	struct machine dream = first;
	const char *into = make("measured.db", &first), *other = rows_path("sm.db");

	dream.simulated = true;
	dream.operator_name = "a dream";
	dream.started_ms = 9000;
	dream.ns = 1;
	const char *from = make("dream.db", &dream);

	merge(other, from);
	merge(other, into);
	merge(into, from);
	check_same(into, other, "simulated first or last");
	tap_int(rows_ask(into, "SELECT count(*) FROM run WHERE simulated"), 1,
		"the run stays simulated");
	tap_int(rows_ask(into, "SELECT count(*) FROM workload WHERE operator = 'attention'"), 1,
		"it names nothing that was measured");
	tap_int(rows_ask(into, "SELECT median_ns FROM best"), 100, "is no best");
}

/* ---- runs in progress ---- */

static void test_growing(void)
{
	const char *from = rows_path("growing.db"), *into = rows_path("grown.db");
	struct db *d = open_file(from, DB_WRITE);
	int64_t run = begin(d, &first);

	add_trial(d, run, &first, "B=1", 100);
	rows_ask(from, "UPDATE trial SET status = 'undecided', reason = 'busy'");
	struct db_merged m = merge(into, from);
	tap_int(m.runs * 100 + m.trials, 101, "while it records, what there is comes");
	m = merge(into, from);
	tap_int(m.known, 1, "nothing more so far");
	add_trial(d, run, &first, "B=2", 90);
	add_final(d, run, &first, "B=2");
	tap_int(db_pass_trial(d, run, &rows_implementation, "B=1", &e), ASC_OK, "in its finals");
	db_set_steady(d, run, "{\"unsteady\":true}", &e);
	db_end_run(d, run, "done", &e);
	m = merge(into, from);
	tap_int(m.runs, 0, "no run more");
	tap_int(m.completed * 100 + m.trials, 101, "the run is completed");
	tap_int(rows_ask(into, "SELECT count(*) FROM trial"), 2, "each trial once");
	tap_int(rows_ask(into, "SELECT count(*) FROM run WHERE outcome = 'done' AND ended_ms > 0"
			       " AND steady_json NOT NULL"),
		1, "the end of the run is known");
	tap_int(rows_ask(into, "SELECT count(*) FROM trial WHERE status = 'ok'"), 2,
		"what passed in its finals");
	rows_ask(from, "UPDATE trial SET status = 'undecided' WHERE config_key = 'B=2'");
	merge(into, from);
	tap_int(rows_ask(into, "SELECT count(*) FROM trial WHERE status = 'ok'"), 2, "for good");
	tap_int(merge(from, into).completed, 1, "that alone comes, too");
	db_close(d);
	check_same(into, from, "as if it had come at once");
	m = merge(from, into);
	tap_int(m.known, 1, "merging back brings nothing");
	tap_int(m.completed + m.trials + m.runs, 0, "at all");
	rows_ask(into, "UPDATE run SET outcome = NULL, ended_ms = NULL");
	m = merge(from, into);
	tap_int(m.completed, 0, "an unfinished copy takes nothing away");
	tap_int(rows_ask(from, "SELECT count(*) FROM run WHERE outcome = 'done'"), 1,
		"the end stays");
}

static void test_acknowledgements(void)
{
	const char *a = make("ack_a.db", &first), *into = rows_path("ack.db");
	struct db_acknowledgement ack = {"a 'series' \n</script>", "known; \"why\"", "me", 1, 2, 3};
	struct db *d = open_file(a, DB_WRITE);

	tap_int(db_acknowledge(d, &ack, &e), ASC_OK, "acknowledged");
	db_close(d);
	tap_int(merge(into, a).acknowledgements, 1, "the acknowledgement came along");
	tap_int(merge(into, a).acknowledgements, 0, "once");
	check_same(into, a, "with its words");
	rows_ask(a, "INSERT INTO series VALUES(7, 1, 1, 'blocked', '', 'time_ns')");
	rows_ask(a, "INSERT INTO verdict(id, series_id, run_id, kind, made_ms)"
		    " VALUES(9, 7, 1, 'regression', 5)");
	merge(into, a);
	rows_ask(a, "UPDATE verdict SET kind = 'confirmed', made_ms = 6");
	merge(into, a);
	merge(into, a);
	tap_int(rows_ask(into, "SELECT count(*) FROM verdict JOIN series s ON s.id = series_id"
			       " WHERE kind = 'confirmed'"),
		1, "the newest verdict on a change stands");
}

/* ---- the schema ---- */

/* Tables that are worked out from the others, here as there. */
static bool is_derived(const char *table)
{
	return strcmp(table, "answer") == 0 || strcmp(table, "outcome") == 0 ||
	       strcmp(table, "stale") == 0;
}

/* A table that is not in the list would be lost; a column need not be in any. */
static void test_schema(void)
{
	const char *a = make("schema.db", &first), *into = rows_path("into.db");
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	int n = 0;

	sqlite3_open(a, &db);
	sqlite3_prepare_v2(db, "SELECT name FROM sqlite_schema WHERE type = 'table'", -1, &s, NULL);
	for (; sqlite3_step(s) == SQLITE_ROW; n++)
		tap_ok(merge_has_table((const char *)sqlite3_column_text(s, 0)) !=
			       is_derived((const char *)sqlite3_column_text(s, 0)),
		       "%s is merged, or worked out", (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	sqlite3_close(db);
	tap_ok(n >= 14, "%d tables", n);
	db_close(open_file(into, DB_WRITE));
	for (int i = 0; i < 2; i++) {
		rows_ask(i ? a : into, "ALTER TABLE trial ADD COLUMN \"an odd one\" TEXT");
		rows_ask(i ? a : into, "ALTER TABLE trial ADD COLUMN \"a \"\"quoted\"\" @one\""
				       " INTEGER REFERENCES run");
	}
	rows_ask(a, "UPDATE trial SET \"a \"\"quoted\"\" @one\" = run_id WHERE config_key = 'B=1'");
	rows_ask(a, "UPDATE trial SET \"an odd one\" = 'here' WHERE config_key = 'B=2'");
	merge(into, a);
	tap_int(rows_ask(into, "SELECT count(*) FROM trial WHERE \"an odd one\" = 'here'"), 1,
		"a column that nobody has heard of comes along");
	tap_int(rows_ask(into,
			 "SELECT count(*) FROM trial WHERE \"a \"\"quoted\"\" @one\" = run_id"),
		1,
		"a column whose name has a quotation mark comes along, and refers to what it "
		"referred to");
	rows_ask(a, "ALTER TABLE trial ADD COLUMN another TEXT");
	tap_int(refused(into, a), ASC_INPUT, "a column that the other file alone has is refused");
	tap_has(e.text, "schema.db: table trial has a column another, which ",
		"the message says where");
}

static void test_versions(void)
{
	const char *older = make("older1.db", &first), *into = rows_path("newest.db");
	const char *newer = make("future.db", &first);

	rows_ask(older, "PRAGMA user_version = 1");
	tap_int(refused(into, older), ASC_INPUT, "an older schema is refused: %s", e.text);
	tap_int(rows_ask(older, "PRAGMA user_version"), 1, "left as it is");
	tap_int(rows_ask(into, "SELECT count(*) FROM metric"), 0, "nothing of it came");
	rows_ask(newer, "PRAGMA user_version = 99");
	tap_int(refused(into, newer), ASC_NEWER, "a newer one is refused: %s", e.text);
}

/* ---- what goes wrong ---- */

static void test_refused(void)
{
	const char *into = make("good.db", &first), *text = rows_path("text.db");
	const char *link_path = rows_path("link.db"), *bad = make("bad.db", &second);
	FILE *f = fopen(text, "w");

	for (int i = 0; f && i < 1000; i++)
		fputs("no database ", f);
	if (f)
		fclose(f);
	tap_int(refused(into, text), ASC_INPUT, "no database: %s", e.text);
	tap_int(refused(into, "no/such.db"), ASC_NOTFOUND, "none: %s", e.text);
	tap_int(refused(into, into), ASC_USAGE, "the same file: %s", e.text);
	if (symlink(into, link_path) == 0)
		tap_int(refused(into, link_path), ASC_USAGE, "by another name: %s", e.text);
	rows_ask(bad, "DELETE FROM problem"); /* foreign keys are not checked from outside */
	tap_int(refused(into, bad), ASC_INPUT, "damaged");
	tap_has(e.text, "bad.db: damaged: table run refers to problem 1, which is not there",
		"the message says where");
	tap_int(rows_ask(into, "SELECT count(*) FROM device"), 1, "nothing of it came");
	/* A fifth path takes the place of the first. */
	const char *torn = make("torn.db", &second);
	sqlite3 *db = NULL;

	into = rows_path("good.db");
	rows_ask(torn, "UPDATE trial SET implementation_id = 77");
	tap_int(refused(into, torn), ASC_INPUT, "damaged in its trials");
	tap_has(e.text, "torn.db: damaged: table trial refers to implementation 77, which is not",
		"the message says where");
	tap_int(rows_ask(into, "SELECT count(*) FROM device"), 1, "nothing of it came");
	tap_int(sqlite3_open(torn, &db) ||
			sqlite3_exec(db,
				     "PRAGMA writable_schema = ON; UPDATE sqlite_schema"
				     " SET sql = replace(sql, 'REFERENCES implementation', '')"
				     " WHERE name = 'trial'",
				     NULL, NULL, NULL),
		0, "a file whose schema names no reference");
	sqlite3_close(db);
	tap_int(refused(into, torn), ASC_INPUT, "is refused");
	tap_has(e.text, "torn.db: damaged: table trial refers to implementation 77, which is not",
		"has those of the schema here");
}

/* Status of a merge in a child, whose files have so much room (0: all that they want): there its
 * write fails, or kills it, which is -2. */
static int merge_in_child(const char *into, const char *from, rlim_t room, bool killed)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct rlimit limit = {room, room}, no_core = {0, 0};
		struct db_merged m;
		struct db *d = NULL;

		signal(SIGXFSZ, killed ? SIG_DFL : SIG_IGN);
		setrlimit(RLIMIT_CORE, &no_core);
		if (room)
			setrlimit(RLIMIT_FSIZE, &limit);
		int got = db_open(into, DB_WRITE, &d, &e) ? 100 : (int)db_merge(d, from, &m, &e);

		db_close(d);
		_exit(got);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFSIGNALED(status) ? -2 : WEXITSTATUS(status);
}

/* A configuration that was measured as another one is so in the merged file, whatever numbers rows
 * have there. */
static void test_same(void)
{
	const char *into = make("same.db", &first), *from = make("equal.db", &second);

	rows_ask(from, "UPDATE trial SET samples = NULL, same_implementation_id = "
		       "implementation_id, same_hash = (SELECT config_hash FROM trial WHERE "
		       "config_key = 'B=1') WHERE config_key = 'B=2'");
	(void)merge(into, from);
	tap_int(rows_ask(into, "SELECT count(*) FROM trial t JOIN trial s ON s.run_id = t.run_id "
			       "AND s.implementation_id = t.same_implementation_id AND "
			       "s.config_hash = t.same_hash WHERE s.config_key = 'B=1' AND "
			       "t.implementation_id = s.implementation_id AND t.samples IS NULL"),
		1, "what was measured in its place comes along");
}

/* A file of some 40 kB of trials. */
static const char *make_much(const char *name)
{
	const char *from = make(name, &second);

	rows_ask(from,
		 "INSERT INTO trial SELECT NULL, run_id, implementation_id, x.value, 'C=' || "
		 "x.value, config_json, 0, recorded_ms, status, phase, reason, hex(randomblob("
		 "500)), artifact, cached, build_ns, load_ns, verify_ns, measure_ns, launches, "
		 "n_samples, samples, min_ns, q1_ns, median_ns, q3_ns, max_ns, max_abs, mean_abs, "
		 "max_rel, not_finite, bad, low_ns, high_ns, sample_order, retaken, notes, NULL, "
		 "NULL, NULL, begin_ns, builds, verified_by, NULL, NULL "
		 "FROM trial JOIN json_each('[1,2,3,4,5,6,7,8,9]') x, json_each('[1,2,3,4,5,6,7,8"
		 ",9]') y WHERE config_key = 'B=1'");
	return from;
}

static void test_full(void)
{
	const char *into = make("almost.db", &first), *from = make_much("much.db");
	int64_t rows = rows_ask(from, "SELECT count(*) FROM trial");

	tap_ok(rows > 80, "%lld trials are to come", (long long)rows);
	tap_int(merge_in_child(into, from, 100 << 10, false), ASC_FULL, "a full disk is said");
	tap_int(rows_ask(into, "SELECT count(*) FROM trial"), 2, "nothing came");
	tap_int(rows_ask(into, "SELECT count(*) FROM pragma_integrity_check"
			       " WHERE integrity_check = 'ok'"),
		1, "what was there is whole");
	tap_int(merge(into, from).trials, rows, "with room again all come");
}

/* A task that is killed in its merge, wherever it is: the file has all of the other or nothing, the
 * other is as it was, and the same command again gives what one that nobody kills gives. */
static void test_killed(void)
{
	const char *from = make_much("killer.db"), *into = make("killed.db", &first);
	const int64_t rows = rows_ask(from, "SELECT count(*) FROM trial");
	int killed = 0, strange = 0, unsound = 0, parts = 0, status = -2;

	for (rlim_t room = 1; status == -2 && room < 1 << 20; room += 9973) {
		status = merge_in_child(into, from, room, true);
		killed += status == -2;
		strange += status != -2 && status != ASC_OK;
		unsound += rows_ask(into, "SELECT count(*) FROM pragma_integrity_check"
					  " WHERE integrity_check = 'ok'") != 1;
		const int64_t trials = rows_ask(into, "SELECT count(*) FROM trial");

		parts += trials != 2 && trials != 2 + rows;
	}
	tap_ok(killed > 3, "a merge is killed %d times", killed);
	tap_int(strange, 0, "no other end");
	tap_int(unsound, 0, "the file is sound each time");
	tap_int(parts, 0, "with all of the other or nothing");
	(void)merge(into, from);
	tap_int(rows_ask(into, "SELECT count(*) FROM trial"), 2 + rows, "again, all is there");
	tap_int(rows_ask(into, "SELECT count(*) FROM best"), 2, "with the answers of both");
	tap_int(rows_ask(from, "SELECT count(*) FROM trial"), rows, "the other is as it was");
}

static void test_at_once(void)
{
	const char *into = rows_path("both.db"), *a = make("one.db", &first),
		   *b = make("other.db", &second);
	pid_t children[4];
	int bad = 0;

	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (children[i] == 0)
			_exit(merge_in_child(into, i % 2 ? a : b, 0, false));
	}
	for (int i = 0; i < 4; i++) {
		int status = 1;

		waitpid(children[i], &status, 0);
		bad += status != 0;
	}
	tap_int(bad, 0, "four merges at once, two of the same file");
	tap_int(rows_ask(into, "SELECT count(*) FROM trial"), 4, "each thing once");
}

int main(void)
{
	rows_enter();
	test_orders();
	test_newest();
	test_simulated();
	test_growing();
	test_acknowledgements();
	test_schema();
	test_versions();
	test_refused();
	test_same();
	test_full();
	test_killed();
	test_at_once();
	rows_leave();
	return tap_done();
}
