/* Results of other programs in a database: recorded, refused, and apart from what was measured.
 * covers: import.c */
#include "reports/exchange/import.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "reports/exchange/exporter_list.h"
#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct asc_err e;

static const struct import_names names = {.version = "0.1.0"};

static void put(const char *path, const char *text)
{
	if (file_write(path, text, strlen(text), &e)) {
		fprintf(stderr, "%s\n", e.text);
		exit(1);
	}
}

static enum asc_status take(struct db *d, const char *path, const struct import_names *n,
			    struct import_summary *s)
{
	struct import *i = NULL;
	enum asc_status status = import_open(path, NULL, &i, &e);

	if (status == ASC_OK)
		status = import_record(i, d, n, s, &e);
	import_close(i);
	return status;
}

#define RECORD(a, word, more)                                                                      \
	"{\"configuration\":{\"A\":" a ",\"B\":2},\"times\":{" more "},\"invalidity\":\"" word "\"}"
#define DOCUMENT(records, more) "{\"results\":[" records "]" more "}"

static const char foreign[] =
	DOCUMENT(RECORD("1", "correct", "\"runtimes\":[1,2,3]") "," RECORD("2", "compile", ""), "");

/* ---- a file that says nothing about itself ---- */

static void test_foreign(void)
{
	struct import_summary s;
	struct db *d = NULL;
	const char *file = rows_path("gemm_A100_T4.json"), *path = rows_path("foreign.db");

	put(file, foreign);
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database");
	tap_int(take(d, file, &names, &s), ASC_OK, "a foreign file");
	tap_ok(s.results == 2 && s.ok == 1 && !s.known, "all of it");
	tap_int(take(d, file, &names, &s), ASC_OK, "again");
	tap_ok(s.known && s.results == 0, "adds nothing");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial"), 2, "two trials");
	tap_int(rows_ask(path, "SELECT count(*) FROM run WHERE simulated AND strategy = 'import'"),
		1, "of a simulated run");
	tap_int(rows_ask(path, "SELECT count(*) FROM workload WHERE name = 'gemm_A100'"), 1,
		"called like the file");
	tap_int(rows_ask(path, "SELECT median_ns FROM trial WHERE status = 'ok'"), 2000000,
		"in nanoseconds");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE config_key = 'A=1,B=2'"), 1,
		"by the canonical key");
	tap_int(best_refresh(d, &e), ASC_OK, "the answers are kept");
	tap_int(rows_ask(path, "SELECT count(*) FROM best"), 0, "none is ever best");

	const struct import_names named = {.workload = "gemm", .device = "A100", .version = "1"};

	tap_int(take(d, file, &named, &s), ASC_OK, "under another name");
	tap_ok(!s.known, "another content is another run");
	tap_int(rows_ask(path, "SELECT count(*) FROM device WHERE model = 'A100'"), 1,
		"on the device that was named");
	db_close(d);
}

/* ---- all or nothing ---- */

static void test_refused(void)
{
	struct import_summary s;
	struct db *d = NULL;
	const char *file = rows_path("bad.json"), *path = rows_path("refused.db");

	put(file,
	    DOCUMENT(RECORD("1", "correct", "\"runtimes\":[1]") "," RECORD("2", "correct", ""),
		     ""));
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database");
	tap_int(take(d, file, &names, &s), ASC_INPUT, "a file whose last record is bad");
	tap_has(e.text, "bad.json: results[1]: a correct result without a time", "is refused");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial"), 0, "nothing of it is recorded");

	/* What is refused within the transaction leaves nothing either. */
	put(file, foreign);
	rows_ask(path, "CREATE UNIQUE INDEX one ON trial(run_id)");
	tap_ok(take(d, file, &names, &s) != ASC_OK, "a database that refuses a record");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial"), 0, "has none of the others");
	tap_int(rows_ask(path, "SELECT count(*) FROM run"), 0, "no run is recorded");
	tap_int(rows_ask(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'one'"), 1,
		"has its indexes");
	rows_ask(path, "DROP INDEX one");
	tap_int(take(d, file, &names, &s), ASC_OK, "takes it when it can");
	db_close(d);
}

/* ---- indexes ---- */

/* Number of indexes of trials, in their order, that stand as in a new database. */
static int64_t count_indexes(const char *path)
{
	return rows_ask(path,
			"SELECT count(*) FROM (SELECT name, row_number() OVER (ORDER BY rowid) AS n"
			"  FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'trial')"
			" JOIN (VALUES('trial_default', 1), ('trial_run', 2), ('trial_config', 3),"
			"  ('trial_failed', 4)) w ON w.column1 = name AND w.column2 = n");
}

static void test_indexes(void)
{
	const char *file = rows_path("first_T4.json"), *path = rows_path("indexes.db");
	struct import_summary s;
	struct db *d = NULL;
	int64_t run = 0;

	put(file,
	    DOCUMENT(RECORD("1", "correct", "\"runtimes\":[1,2,3]") "," RECORD("2", "timeout", ""),
		     ""));
	tap_int(db_open(path, DB_WRITE, &d, &e), ASC_OK, "a database");
	tap_int(count_indexes(path), 4, "has its indexes in their order");
	tap_int(take(d, file, &names, &s), ASC_OK, "the first trials");
	tap_int(count_indexes(path), 4, "indexes that are made behind them stand as before");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial INDEXED BY trial_failed"
			       " WHERE status = 'wrong' OR status = 'crashed'"
			       "  OR status = 'timeout' OR status = 'impossible'"),
		1, "and have what they are of");
	put(file, DOCUMENT(RECORD("3", "correct", "\"runtimes\":[1]"), ""));
	tap_int(take(d, file, &names, &s), ASC_OK, "more of them");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial INDEXED BY trial_config"
			       " WHERE implementation_id > 0"),
		3, "all are found");
	tap_int(rows_ask(path, "SELECT count(*) FROM pragma_integrity_check"
			       " WHERE integrity_check <> 'ok'"),
		0, "the file is sound");
	/* Foreign keys and triggers hold again for others. */
	const struct result r = rows_result(90, 100, 110);
	const struct db_trial t = rows_trial("B=64", &r);

	tap_int(db_begin_run(d, &rows_device, &rows_problem, &rows_run, &run, &e), ASC_OK,
		"a run of this machine");
	rows_ask(path, "DELETE FROM stale");
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "its trial");
	tap_int(rows_ask(path, "SELECT count(*) FROM stale"), 1, "marks its subject");
	tap_int(db_add_trial(d, run + 1, &t, &e), ASC_NOTFOUND, "one of no run is refused");
	db_close(d);
}

/* ---- measured results stay as they are ---- */

static const char disguised[] = DOCUMENT(
	RECORD("1", "correct", "\"runtimes\":[0.000001]"),
	",\"X-Asctune\":{\"workload\":\"sdpa\",\"operator\":\"other\",\"problem\":\"tiny\","
	"\"problem_key\":\"p1\",\"flops\":1,\"device_kind\":\"npu\",\"device_model\":\"other\","
	"\"device_fingerprint\":\"f1\",\"cache_policy\":\"hot\",\"implementation\":\"blocked\","
	"\"implementation_index\":2,\"implementation_key\":\"k1\"}");

static enum asc_status look(void *user, const struct best_row *row, struct asc_err *err)
{
	(void)err;
	++*(int *)user;
	tap_ok(row->median_ns == 100 && strcmp(row->config_key, "B=64") == 0,
	       "the measured one is best");
	tap_str(row->operator_name, "attention", "of the operator that it was");
	tap_str(row->device_model, "Model 1", "on the device that it was");
	tap_ok(row->flops == 4096 && row->trials == 1, "with the facts of its run");
	return ASC_OK;
}

static void test_apart(void)
{
	struct import_summary s;
	const char *path = rows_path("apart.db"), *file = rows_path("disguised.json");
	int64_t run;
	int n = 0;
	struct db *d = rows_open(path, &run);
	const struct result r = rows_result(90, 100, 110);
	const struct db_trial t = rows_trial("B=64", &r);

	put(file, disguised);
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a measured trial");
	tap_int(take(d, file, &names, &s), ASC_OK, "a file that says it is of the same");
	tap_int(best_each(d, NULL, look, &n, &e), ASC_OK, "asked for the best");
	tap_int(n, 1, "there is one");
	db_close(d);
}

/* ---- there and back ---- */

static struct buf export(const struct exporter_ops *x, struct db *d, bool simulated)
{
	char folder[5120], command[10300];
	const struct export_request r = {.db = d, .simulated = simulated};
	struct sink to = {.folder = folder};
	struct buf text = {0};

	snprintf(folder, sizeof folder, "%s/%s", rows_folder, simulated ? "simulated" : "measured");
	tap_ok(!x->write(x, &r, &to, &e) && !sink_place(&to, &e), "%s: exported", x->name);
	tap_int((long)to.n, 1, "one file");
	sink_fini(&to);
	snprintf(command, sizeof command, "cat %s/*_T4.json >%s/all.json", folder, rows_folder);
	if (system(command) || file_read(rows_path("all.json"), 0, &text, &e))
		tap_ok(false, "%s", command);
	return text;
}

static void test_round(void)
{
	int64_t run, samples[] = {1234567, 3, 1234568, 9007199254740991};
	struct db *d = rows_open(rows_path("from.db"), &run), *other = NULL;
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial("B=64", &r);
	struct import_summary s;
	char reason[] = "\"quotes\"\n";

	r.samples = samples;
	r.n_samples = 4;
	r.time.median = 1234567.5;
	t.config_json = "{\"B\":1,\"A\":0.1}";
	db_add_trial(d, run, &t, &e);
	r = (struct result){.status = RESULT_CRASHED, .reason = reason, .spent_ns = {7}};
	t.config_json = "{\"B\":65,\"A\":0.1}";
	t.config_key = "A=0.1,B=65";
	t.is_default = true;
	db_add_trial(d, run, &t, &e);
	struct buf sent = export(exporter_find("t4"), d, false);

	tap_int(db_open(rows_path("to.db"), DB_WRITE, &other, &e), ASC_OK, "another database");
	tap_int(take(other, rows_path("all.json"), &names, &s), ASC_OK, "imported: %s", e.text);
	struct buf back = export(exporter_find("t4"), other, true);

	tap_str(buf_str(&back), buf_str(&sent), "the same bytes come back");
	tap_has(buf_str(&sent), "\"value\":1.2345675,\"unit\":\"ms\"", "times are milliseconds");
	buf_fini(&sent);
	buf_fini(&back);
	db_close(other);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_foreign();
	test_refused();
	test_indexes();
	test_apart();
	test_round();
	rows_leave();
	return tap_done();
}
