/* Runs and trials, recorded and read back.
 * covers: db.c record.c record_trial.c query.c query_record.c query_span.c statement.c */
#include "db/db.h"
#include "reports/results/best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "db/run_span.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/stats/rng.h"

static struct asc_err e;

/* ---- one trial, every member ---- */

static void fill_result(struct result *r)
{
	static const int64_t samples[] = {12000, 11000, 13000, 11500};

	result_init(r);
	r->status = RESULT_WRONG;
	r->phase = PHASE_VERIFY;
	r->reason = strdup("12 of 4096 elements of 'out'; \"quoted\"\nsecond line");
	r->log = strdup("kernel.c:3: warning");
	strcpy(r->artifact, "0123456789abcdef0123456789abcdef");
	strcpy(r->digest, "15056 0123456789abcdef");
	r->cached = true;
	for (int i = 0; i < PHASE_COUNT; i++)
		r->spent_ns[i] = INT64_C(1) << (i * 12 + 20);
	r->samples = malloc(sizeof samples);
	memcpy(r->samples, samples, sizeof samples);
	r->n_samples = 4;
	r->launches_per_sample = 7;
	r->time = (struct stats_summary){4, 11000, 11375, 11750, 12250, 13000, {0}};
	r->errors = (struct error_norms){true, 1e-7, INFINITY, NAN, 3, 12};
	result_add_metric(r, "perf_event", "cycles", 1e12, "1", &e);
	result_add_metric(r, "perf_event", "ipc", NAN, "1/cycle", &e);
}

static void check_times(const struct result *have, const struct result *want)
{
	tap_ok(memcmp(have->spent_ns, want->spent_ns, sizeof want->spent_ns) == 0, "time spent");
	tap_int(have->n_samples, want->n_samples, "number of samples");
	tap_ok(memcmp(have->samples, want->samples, want->n_samples * sizeof *want->samples) == 0,
	       "samples");
	tap_int(have->launches_per_sample, want->launches_per_sample, "launches per sample");
	tap_int(have->time.n, want->time.n, "order statistics of as many");
	tap_ok(have->time.min == want->time.min && have->time.q1 == want->time.q1 &&
		       have->time.median == want->time.median && have->time.q3 == want->time.q3 &&
		       have->time.max == want->time.max,
	       "order statistics");
}

static void check_metrics(const struct result *r)
{
	tap_int(r->n_metrics, 2, "two metrics");
	if (r->n_metrics != 2)
		return;
	tap_str(r->metrics[0].probe, "perf_event", "probe");
	tap_str(r->metrics[0].name, "cycles", "name of a metric");
	tap_str(r->metrics[1].unit, "1/cycle", "unit");
	tap_ok(r->metrics[0].value == 1e12, "value");
	tap_ok(isnan(r->metrics[1].value), "a value that is no number");
}

static void check_result(const struct result *have, const struct result *want)
{
	tap_int(have->status, want->status, "status");
	tap_int(have->phase, want->phase, "phase");
	tap_str(have->reason, want->reason, "reason");
	tap_str(have->log, want->log, "log");
	tap_str(have->artifact, want->artifact, "artifact");
	tap_str(have->digest, want->digest, "digest of the artifact");
	tap_int(have->cached, want->cached, "cached");
	check_times(have, want);
	tap_ok(have->errors.known && have->errors.max_abs == 1e-7, "largest error");
	tap_ok(isinf(have->errors.mean_abs) && isnan(have->errors.max_rel), "errors without bound");
	tap_int(have->errors.not_finite, 3, "elements that are not finite");
	tap_int(have->errors.bad, 12, "elements out of tolerance");
	check_metrics(have);
}

static void test_round_trip(void)
{
	struct result want, have;
	int64_t run;
	bool found;
	struct db *d = rows_open(rows_path("round.db"), &run);

	fill_result(&want);
	struct db_trial t = rows_trial("B=1", &want);

	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a trial is recorded");
	tap_int(db_find_trial(d, &(struct db_wanted){run, "blocked", "k1", "B=1"}, &have, &found,
			      &e),
		ASC_OK, "asked");
	tap_ok(found, "found");
	check_result(&have, &want);
	result_fini(&have);
	result_fini(&want);
	db_close(d);
}

static void test_bare_result(void)
{
	struct result r, have;
	int64_t run;
	bool found;
	struct db *d = rows_open(rows_path("bare.db"), &run);

	result_init(&r);
	r.status = RESULT_BUILD_FAILED;
	r.log = malloc(3000);
	memset(r.log, 'x', 3000);
	memcpy(r.log + DB_MAX_LOG - 1, "\xc3\xa4", 2);
	r.log[2999] = '\0';
	struct db_trial t = rows_trial("B=1", &r);

	db_add_trial(d, run, &t, &e);
	tap_int(db_find_trial(d, &(struct db_wanted){run, "blocked", "k1", "B=1"}, &have, &found,
			      &e),
		ASC_OK, "a result without anything is read back");
	tap_int(have.status, RESULT_BUILD_FAILED, "with its status");
	tap_ok(!have.reason && !have.n_samples && !have.n_metrics && !have.errors.known &&
		       !*have.artifact && have.time.median == 0,
	       "nothing else");
	tap_int(strlen(have.log), DB_MAX_LOG - 1, "a long log is cut between characters");
	result_fini(&have);
	result_fini(&r);
	db_close(d);
}

/* A kernel prints what it likes. */
static void test_foreign_texts(void)
{
	struct result r, have;
	int64_t run;
	bool found;
	struct db *d = rows_open(rows_path("foreign.db"), &run);

	result_init(&r);
	r.status = RESULT_CRASHED;
	r.reason = strdup("signal\xff \xc3\xa4\xc3");
	r.log = strdup("\x1b[1mred\n\xe2\x82");
	struct db_trial t = rows_trial("B=1", &r);

	db_add_trial(d, run, &t, &e);
	tap_int(db_find_trial(d, &(struct db_wanted){run, "blocked", "k1", "B=1"}, &have, &found,
			      &e),
		ASC_OK, "a result with bytes that are no text");
	tap_str(have.reason, "signal\xef\xbf\xbd \xc3\xa4\xef\xbf\xbd", "its reason is text");
	tap_str(have.log, "\xef\xbf\xbd[1mred\n\xef\xbf\xbd\xef\xbf\xbd", "and so is its log");
	result_fini(&have);
	result_fini(&r);
	db_close(d);
}

/* ---- which trial is found ---- */

static bool is_found(struct db *d, int64_t run, const char *implementation, const char *key,
		     const char *config, double *median)
{
	struct result r;
	bool found = false;

	tap_int(db_find_trial(d, &(struct db_wanted){run, implementation, key, config}, &r, &found,
			      &e),
		ASC_OK, "asked for %s", config);
	*median = r.time.median;
	result_fini(&r);
	return found;
}

static int64_t begin(struct db *d, const struct db_device *device, const struct db_problem *problem,
		     const struct db_run *run)
{
	int64_t id = 0;

	tap_int(db_begin_run(d, device, problem, run, &id, &e), ASC_OK, "another run");
	return id;
}

static void add(struct db *d, int64_t run, const char *key, double median, bool is_default)
{
	struct result r = rows_result(median - 10, median, median + 10);
	struct db_trial t = rows_trial(key, &r);

	t.is_default = is_default;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "%s of %g ns", key, median);
}

/* A row of an earlier version says no more than its key, which covers what is added. */
static void test_completed(void)
{
	const char *path = rows_path("completed.db");
	int64_t id;
	struct db *d = rows_open(path, &id);
	const struct db_implementation whole = {.name = rows_implementation.name,
						.index = rows_implementation.index,
						.key = rows_implementation.key,
						.toolchain = "cc 12",
						.options = "[\"-O3\"]",
						.sources = "{\"k.c\":\"0a\"}",
						.source_digest = "d1"};
	struct db_run run = rows_run;
	struct db_problem problem = rows_problem;

	run.implementations = &whole;
	problem.workload_file = "/w/sdpa.json";
	tap_int(rows_ask(path, "SELECT count(*) FROM implementation WHERE sources IS NULL"), 1,
		"what is not told is not recorded");
	(void)begin(d, &rows_device, &problem, &run);
	tap_int(rows_ask(path, "SELECT count(*) FROM implementation WHERE toolchain = 'cc 12'"
			       " AND options = '[\"-O3\"]' AND sources = '{\"k.c\":\"0a\"}'"
			       " AND source_digest = 'd1'"),
		1, "the row of that key has toolchain, options and sources now");
	(void)begin(d, &rows_device, &rows_problem, &rows_run);
	tap_int(rows_ask(path, "SELECT count(*) FROM implementation WHERE sources IS NULL"), 0,
		"and keeps them");
	tap_int(rows_ask(path, "SELECT count(*) FROM run WHERE workload_file = '/w/sdpa.json'"), 1,
		"a run has the workload's file");
	db_close(d);
}

/* Texts of a best that are not among its fields. */
struct facts {
	char exports[64], kinds[64], digest[64];
};

static enum asc_status see_facts(void *user, const struct best_row *row, struct asc_err *err)
{
	struct facts *f = user;

	(void)err;
	snprintf(f->exports, sizeof f->exports, "%s", row->export_json ? row->export_json : "NULL");
	snprintf(f->kinds, sizeof f->kinds, "%s", row->kinds_json ? row->kinds_json : "NULL");
	snprintf(f->digest, sizeof f->digest, "%s",
		 row->source_digest ? row->source_digest : "NULL");
	return ASC_OK;
}

static void check_facts(struct db *d, const char *exports, const char *kinds, const char *digest)
{
	struct facts f = {{0}, {0}, {0}};

	tap_int(best_each(d, NULL, see_facts, &f, &e), ASC_OK, "the best is asked for");
	tap_str(f.exports, exports, "what libraries call its workload");
	tap_str(f.kinds, kinds, "kinds of its dimensions");
	tap_str(f.digest, digest, "its source");
}

/* Two runs that go on at the same time, and a later one: what passes in the finals of one. */
static void test_pass(void)
{
	const char *path = rows_path("pass.db");
	int64_t first, second, third;
	struct db *d = rows_open(path, &first);

	db_close(d);
	d = rows_open(path, &second);
	rows_add_trial(d, first, "{}", RESULT_UNDECIDED, 100);
	rows_add_trial(d, second, "{}", RESULT_SLOW, 200);
	tap_int(db_pass_trial(d, first, &rows_implementation, "{}", &e), ASC_OK, "a trial passes");
	tap_int(rows_ask(path, "SELECT group_concat(status) = 'ok,slow' FROM trial"), 1,
		"the other run's is not changed");
	db_close(d);
	d = rows_open(path, &third);
	tap_int(db_pass_trial(d, third, &rows_implementation, "{}", &e), ASC_OK,
		"a run that has resumed it has it pass");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE status = 'ok'"), 2, "it is ok");
	db_close(d);
}

/* Facts that rows share are of the newest measured run. */
static void test_export_facts(void)
{
	int64_t id;
	struct db *d = rows_open(rows_path("facts.db"), &id);
	struct db_problem problem = rows_problem;
	struct db_run run = rows_run, imported = rows_run;
	struct db_implementation i = rows_implementation;

	add(d, id, "B=1", 200, false);
	check_facts(d, "NULL", "NULL", "NULL");
	problem.export_json = "{\"lib\":{}}";
	problem.kinds_json = "{\"S\":\"size\"}";
	i.source_digest = "d1";
	run.implementations = &i;
	(void)begin(d, &rows_device, &problem, &run);
	check_facts(d, "{\"lib\":{}}", "{\"S\":\"size\"}", "d1");
	imported.simulated = imported.imported = true;
	(void)begin(d, &rows_device, &rows_problem, &imported);
	check_facts(d, "{\"lib\":{}}", "{\"S\":\"size\"}", "d1");
	problem.export_json = "{}";
	(void)begin(d, &rows_device, &problem, &run);
	check_facts(d, "{}", "{\"S\":\"size\"}", "d1");
	db_close(d);
}

struct seen { /* of a record */
	bool simulated, of_finals;
	int64_t n_samples;
	double median_ns;
	char status[16], provenance[2000];
};

static enum asc_status see_record(void *user, const struct db_record *row, struct asc_err *err)
{
	struct seen *s = user;

	(void)err;
	*s = (struct seen){row->simulated, row->of_finals, row->n_samples, row->median_ns, "", ""};
	snprintf(s->status, sizeof s->status, "%s", row->status);
	snprintf(s->provenance, sizeof s->provenance, "%s", row->provenance_json);
	return ASC_OK;
}

static void test_record(void)
{
	int64_t id;
	struct db *d = rows_open(rows_path("record.db"), &id);
	struct result r = rows_result(100, 200, 300);
	struct db_trial t = rows_trial("B=1", &r);
	struct db_final f = {.implementation = rows_implementation,
			     .config_key = "B=1",
			     .winner = true,
			     .ratio = 1,
			     .samples = r.samples,
			     .n_samples = 2,
			     .time = {.n = 2, .min = 1, .q1 = 1, .median = 150, .q3 = 1, .max = 1}};
	struct seen seen;

	strcpy(r.digest, "15056 0a");
	tap_int(db_add_trial(d, id, &t, &e), ASC_OK, "a trial");
	tap_int(db_find_record(d, 1, see_record, &seen, &e), ASC_OK, "is found by its number");
	tap_ok(!seen.of_finals && !seen.simulated && seen.median_ns == 200 && seen.n_samples == 3,
	       "with its own times");
	tap_str(seen.status, "ok", "with its status");
	tap_has(seen.provenance, "\"digest\":\"15056 0a\"", "with the digest of its artifact");
	tap_has(seen.provenance, "\"implementation_key\":\"k1\"", "with the key of its source");
	tap_has(seen.provenance, "\"policy\":{\"warmup\":1}", "with the policy of its run");
	tap_has(seen.provenance, "\"sources\":null", "what was not recorded is null");
	tap_int(db_add_final(d, id, &f, &e), ASC_OK, "a finalist");
	tap_int(db_find_record(d, 1, see_record, &seen, &e), ASC_OK, "is the same trial");
	tap_ok(seen.of_finals && seen.median_ns == 150 && seen.n_samples == 2,
	       "with the times of the finals");
	rows_ask(rows_path("record.db"), "UPDATE implementation SET sources = '{'");
	tap_int(db_find_record(d, 1, see_record, &seen, &e), ASC_OK, "damaged sources");
	tap_has(seen.provenance, "\"sources\":null", "are none");
	tap_int(db_find_record(d, 2, see_record, &seen, &e), ASC_NOTFOUND, "another number");
	tap_has(e.text, "record.db: no trial 2", "is none");
	db_close(d);
}

/* What was measured as another configuration has that one's samples, which stand once. */
static void test_same(void)
{
	const char *path = rows_path("same.db");
	int64_t id;
	struct db *d = rows_open(path, &id);
	struct result r = rows_result(100, 200, 300), read;
	struct db_trial one = rows_trial("B=1", &r), two = rows_trial("B=2", &r);
	const struct db_wanted wanted = {id, "blocked", "k1", "B=2"};
	bool found;

	two.same_implementation = one.implementation;
	two.same_key = "B=1";
	tap_int(db_add_trial(d, id, &one, &e), ASC_OK, "a trial");
	tap_int(db_add_trial(d, id, &two, &e), ASC_OK, "one of equal code");
	tap_int(db_find_trial(d, &wanted, &read, &found, &e), ASC_OK, "it is read");
	tap_ok(found && read.n_samples == 3 && read.samples[2] == 300 && read.time.median == 200,
	       "with the times of the other");
	tap_str(read.same.as, "blocked B=1", "whose they are");
	result_fini(&read);
	db_close(d);
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE samples IS NOT NULL"), 1,
		"one of them has samples");
	tap_int(rows_ask(path, "SELECT same_hash IS NULL FROM trial WHERE config_key = 'B=1'"), 1,
		"the one that was measured");
	tap_int(rows_ask(path, "SELECT median_ns FROM trial WHERE config_key = 'B=2'"), 200,
		"figures stand with both");
}

static void test_find(void)
{
	struct db_device device = rows_device;
	struct db_problem problem = rows_problem;
	struct db_run run = rows_run;
	int64_t first;
	double ns;
	struct db *d = rows_open(rows_path("find.db"), &first);

	add(d, first, "B=1", 200, false);
	problem.workload_hash = "h2";
	int64_t second = begin(d, &rows_device, &problem, &rows_run);

	add(d, second, "B=1", 300, false);
	run.simulated = run.imported = true;
	add(d, begin(d, &rows_device, &rows_problem, &run), "B=1", 100, false);
	tap_ok(is_found(d, first, "blocked", "k1", "B=1", &ns) && ns == 300,
	       "the newest is found, across runs, unless it is simulated");
	tap_ok(!is_found(d, first, "blocked", "k1", "B=2", &ns), "not another configuration's");
	tap_ok(!is_found(d, first, "blocked", "k2", "B=1", &ns), "not another key's");
	tap_ok(!is_found(d, first, "naive", "k1", "B=1", &ns), "not another implementation's");
	problem.problem_key = "p2";
	tap_ok(!is_found(d, begin(d, &rows_device, &problem, &rows_run), "blocked", "k1", "B=1",
			 &ns),
	       "not another problem's");
	device.fingerprint = "f2";
	tap_ok(!is_found(d, begin(d, &device, &rows_problem, &rows_run), "blocked", "k1", "B=1",
			 &ns),
	       "not another device's");
	run = rows_run;
	run.cache_policy = "cold";
	tap_ok(!is_found(d, begin(d, &rows_device, &rows_problem, &run), "blocked", "k1", "B=1",
			 &ns),
	       "not one with warm caches for a run with cold ones");
	db_close(d);
}

/* Through a new driver, which is another device, it is the same machine. */
static void test_machine(void)
{
	struct db_device device = rows_device;
	const char *path = rows_path("machine.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	device.machine = "GPU-f0e1";
	(void)begin(d, &device, &rows_problem, &rows_run);
	device.fingerprint = "f2";
	device.driver = "590";
	(void)begin(d, &device, &rows_problem, &rows_run);
	db_close(d);
	tap_int(rows_ask(path, "SELECT count(*) FROM device WHERE machine = 'GPU-f0e1'"), 2,
		"both have it");
	rows_ask(path, "DELETE FROM device WHERE driver = '590'");
	d = rows_open(path, &run);
	db_close(d);
	tap_int(rows_ask(path, "SELECT count(*) FROM device WHERE machine IS NULL"), 1,
		"one that does not tell has none");
}

static void test_hostile_names(void)
{
	static char name[4097];
	struct db_problem problem = rows_problem;
	double ns;
	int64_t run;
	struct db *d = rows_open(rows_path("hostile '\"%41?#\n.db"), &run);

	for (size_t i = 0; i < sizeof name - 1; i++)
		name[i] = "'\";--\n\t\xff%?\\x"[i % 12];
	problem.workload = problem.problem = problem.operator_name = name;
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial(name, &r);
	struct db_run row = rows_run;

	t.implementation.name = t.implementation.key = name;
	row.implementations = &t.implementation;
	row.n_implementations = 1;
	run = begin(d, &rows_device, &problem, &row);
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "names of 4 kB of quotes are recorded");
	tap_ok(is_found(d, run, name, name, name, &ns) && ns == 2, "the trial is found");
	tap_int(db_end_run(d, run, name, &e), ASC_OK, "an outcome is recorded");
	db_close(d);
	tap_ok(access(rows_path("hostile '\"%41?#\n.db"), F_OK) == 0,
	       "a file's name is not parsed");
}

static void test_end_run(void)
{
	int64_t run;
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial("B=1", &r);
	struct db *d = rows_open(rows_path("end.db"), &run);

	tap_int(db_end_run(d, run, "done", &e), ASC_OK, "a run ends");
	tap_int(db_end_run(d, 99, "done", &e), ASC_NOTFOUND, "a run that is not there does not");
	tap_has(e.text, "no run 99", "the message names it");
	tap_int(db_add_trial(d, 99, &t, &e), ASC_NOTFOUND, "no trial is taken for it");
	db_close(d);
	tap_int(rows_ask(rows_path("end.db"), "SELECT count(*) FROM run WHERE outcome = 'done'"
					      " AND ended_ms >= started_ms AND seed = -1"),
		1, "its end and its seed are there");
	tap_int(rows_ask(rows_path("end.db"), "SELECT count(*) FROM trial, implementation"), 0,
		"a refused trial leaves nothing behind");
}

/* ---- size ---- */

static void test_size(void)
{
	const char *path = rows_path("size.db");
	int64_t samples[32], run;
	struct rng rng;
	struct stat info = {0};
	struct result r = rows_result(1, 2, 3);
	struct db *d = rows_open(path, &run);

	rng_init(&rng, 7);
	r.samples = samples;
	r.n_samples = 32;
	result_add_metric(&r, "perf_event", "cycles", 1e12, "1", &e);
	for (int i = 0; i < 200; i++) {
		char key[200], json[200];
		struct db_trial t = rows_trial(key, &r);

		for (int j = 0; j < 32; j++)
			samples[j] = 10000000 + (int64_t)rng_below(&rng, 1000000);
		snprintf(key, sizeof key, "BLOCK_M=%d,BLOCK_N=128,PACK=true,THREADS=16,UNROLL=4",
			 i);
		snprintf(json, sizeof json, "{\"BLOCK_M\":%d,\"BLOCK_N\":128,\"UNROLL\":4}", i);
		t.config_json = json;
		memset(r.artifact, "0123456789abcdef"[i % 16], 32);
		if (db_add_trial(d, run, &t, &e))
			tap_ok(false, "%s", e.text);
	}
	free(r.metrics);
	db_close(d);
	tap_int(stat(path, &info), 0, "200 trials of 32 samples");
	tap_ok(info.st_size <= 1 << 20, "take %lld bytes, at most 1 MB", (long long)info.st_size);
	tap_ok(access(rows_path("size.db-wal"), F_OK) != 0, "leave no log");
}

static enum asc_status check_span(void *user, const struct db_spanned_trial *t, struct asc_err *err)
{
	(void)err;
	tap_int(t->begin_ns, 700, "a trial begins as long after its run");
	if (tap_int(t->n_builds, 1, "a command")) {
		tap_int(t->builds[0], 200, "which begins later than the run, too");
		tap_int(t->builds[1], 500, "and ends");
	}
	++*(int *)user;
	return ASC_OK;
}

/* Times of a trial are recorded from the time at which its run began. */
static void test_spans(void)
{
	struct result r = rows_result(9, 10, 11);
	struct db_trial t = rows_trial("B=1", &r);
	int64_t run;
	struct db *d = rows_open(rows_path("spans.db"), &run);
	int n = 0;

	t.origin_ns = 1000000;
	r.begin_ns = t.origin_ns + 700;
	r.builds.n = 1;
	r.builds.list[0].begin_ns = t.origin_ns + 200;
	r.builds.list[0].end_ns = t.origin_ns + 500;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a trial with times");
	tap_int(db_each_spanned_trial(d, run, check_span, &n, &e), ASC_OK, "is read");
	tap_int(n, 1, "once");
	db_close(d);
}

/* ---- what a trial costs ---- */

/* SQLite makes no table of its own for a row that comes. */
static void test_plain_row(void)
{
	const char *path = rows_path("plain.db");
	struct db *d = NULL;
	sqlite3 *sql = NULL;
	sqlite3_stmt *s = NULL;
	int steps = 0, tables = 0;

	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database");
	db_close(d);
	tap_ok(!sqlite3_open(path, &sql) &&
		       !sqlite3_prepare_v2(
			       sql,
			       "EXPLAIN INSERT INTO trial SELECT * FROM trial WHERE id = 1 LIMIT 1",
			       -1, &s, NULL),
	       "a trial");
	for (; sqlite3_step(s) == SQLITE_ROW; steps++) {
		const char *opcode = (const char *)sqlite3_column_text(s, 1);
		const int of_index = strcmp(opcode, "OpenEphemeral") == 0 &&
				     sqlite3_column_type(s, 5) == SQLITE_TEXT;

		tables += of_index;
	}
	sqlite3_finalize(s);
	sqlite3_close(sql);
	tap_ok(steps > 50, "takes some steps");
	tap_int(tables, 0, "none of which makes a table with a key");
}

int main(void)
{
	rows_enter();
	test_plain_row();
	test_round_trip();
	test_bare_result();
	test_foreign_texts();
	test_completed();
	test_pass();
	test_export_facts();
	test_record();
	test_same();
	test_find();
	test_machine();
	test_hostile_names();
	test_end_run();
	test_size();
	test_spans();
	rows_leave();
	return tap_done();
}
