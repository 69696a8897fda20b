/* Exporters: names, files and what they write.
 * covers: exporter_list.c best_json.c csv_export.c */
#include "reports/exchange/exporter_list.h"

#include <string.h>
#include <sys/stat.h>

#include "reports/tables/dispatch.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"

static struct asc_err e;

static void test_list(void)
{
	for (const struct exporter_ops *const *x = exporter_list; *x; x++) {
		tap_ok((*x)->write && *(*x)->summary, "%s is complete", (*x)->name);
		tap_ok(exporter_find((*x)->name) == *x, "found by its name");
	}
	tap_ok(exporter_find("json") == &best_json_exporter, "json is one of them");
	tap_ok(!exporter_find("JSON") && !exporter_find(""), "no other name is");
}

static void add(struct db *d, const char *implementation, const char *config, double median)
{
	const struct db_implementation taking_part = {
		.name = implementation, .index = 2, .key = "k1"};
	struct db_run run_row = rows_run;
	int64_t run = 0;
	struct result r = rows_result(median - 0.25, median, median + 1);
	struct db_trial t = rows_trial("B=64", &r);

	run_row.implementations = &taking_part;
	tap_int(db_begin_run(d, &rows_device, &rows_problem, &run_row, &run, &e), ASC_OK, "a run");
	t.implementation = taking_part;
	t.config_json = config;
	t.rewrites_json = median < 200 ? "[{\"rewrite\":\"axis-limit\"}]" : NULL;
	r.errors = (struct error_norms){.known = true};
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a trial of %g ns", median);
}

static const char *text_of(const struct json_node *object, const char *key)
{
	const struct json_node *n = object ? json_find(object, key) : NULL;
	const char *text = NULL;

	return n && json_get_string(n, &text, &e) == ASC_OK ? text : "(none)";
}

static double number_of(const struct json_node *object, const char *key)
{
	const struct json_node *n = object ? json_find(object, key) : NULL;
	struct value v;

	return n && json_get_value(n, &v, &e) == ASC_OK ? value_as_real(v) : -1;
}

static void check_row(const struct json_node *row)
{
	const struct json_node *config = row ? json_find(row, "config") : NULL;
	const struct json_node *rewrites = row ? json_find(row, "rewrites") : NULL;
	const struct json_node *default_ns = row ? json_find(row, "default_ns") : NULL;

	tap_str(text_of(row, "workload"), "sdpa", "workload");
	tap_str(text_of(row, "problem"), "tiny", "problem");
	tap_str(text_of(row, "implementation"), "na\"ive\n", "a name of quotes");
	tap_str(text_of(row, "device_model"), "Model 1", "device");
	tap_str(text_of(row, "clock"), "monotonic", "clock");
	tap_ok(number_of(config, "B") == 64, "the configuration is an object of values");
	tap_str(text_of(rewrites ? json_first(rewrites) : NULL, "rewrite"), "axis-limit",
		"with the rewrites that made it");
	tap_ok(number_of(row, "median_ns") == 100.5 && number_of(row, "q1_ns") == 100.25,
	       "times are exact");
	tap_ok(number_of(row, "trials") == 2, "evidence");
	tap_ok(number_of(row, "max_abs_error") == 0, "no error is a number");
	tap_ok(default_ns && json_type(default_ns) == JSON_NULL,
	       "a default that was not measured is null");
}

static void check_file(const char *path)
{
	struct json_doc *doc = NULL;

	tap_int(json_open_file(path, &doc, &e), ASC_OK, "the file is JSON");
	if (!doc)
		return;
	const struct json_node *rows = json_find(json_root(doc), "configurations");

	tap_str(text_of(json_root(doc), "format"), "asctune-best", "it says what it is");
	tap_int(rows ? json_count(rows) : 0, 1, "one configuration for one problem");
	check_row(rows ? json_first(rows) : NULL);
	json_close(doc);
}

static int count_lines(const char *path)
{
	struct buf text = {0};
	int lines = 0;

	if (file_read(path, 0, &text, &e) == ASC_OK)
		for (size_t i = 0; i < text.len; i++)
			lines += text.data[i] == '\n';
	buf_fini(&text);
	return lines;
}

static enum asc_status export(const struct exporter_ops *x, struct db *d, const char *folder,
			      bool simulated, int *files) {
	struct dispatch table = {0};
	const struct export_request r = {.db = d, .table = &table, .simulated = simulated};
	struct sink to = {.folder = folder};
	enum asc_status status = dispatch_read(&table, d,
					       simulated ? DISPATCH_SIMULATED : DISPATCH_BEST, &e);

	if (status == ASC_OK) status = x->write(x, &r, &to, &e);

	if (status == ASC_OK) status = sink_place(&to, &e);
	*files = (int)to.n;
	sink_fini(&to);
	dispatch_fini(&table);
	return status;
}

static void test_json(void)
{
	char folder[5120], file[5200];
	int64_t run;
	int files = 0;
	struct db *d = rows_open(rows_path("export.db"), &run);

	snprintf(folder, sizeof folder, "%s/a/b", rows_folder);
	snprintf(file, sizeof file, "%s/best.json", folder);
	tap_int(export(&best_json_exporter, d, folder, false, &files), ASC_NOTFOUND,
		"nothing measured, nothing to export");
	tap_ok(access(folder, F_OK) != 0 && files == 0, "no folder made for it");
	add(d, "naive", "{\"B\":8}", 200);
	add(d, "na\"ive\n", "{\"B\":64,\"PACK\":true}", 100.5);
	tap_int(export(&best_json_exporter, d, folder, false, &files), ASC_OK, "exported");
	tap_int(files, 1, "one file");
	check_file(file);
	tap_int(count_lines(file), 2, "a line for each configuration, and the first");
	db_close(d);
}

static char said[512]; /* the last message */

static void keep_said(void *user, enum log_level level, const char *text)
{
	(void)user;
	(void)level;
	(void)snprintf(said, sizeof said, "%s", text);
}

static struct buf export_text(const char *exporter, struct db *d, const char *file)
{
	char folder[5120], path[5200];
	struct buf text = {0};
	int files;

	snprintf(folder, sizeof folder, "%s/%s", rows_folder, exporter);
	snprintf(path, sizeof path, "%s/%s", folder, file);
	tap_int(export(exporter_find(exporter), d, folder, false, &files), ASC_OK, "%s", exporter);
	tap_int(file_read(path, 0, &text, &e), ASC_OK, "%s is there", file);
	return text;
}

static void test_failures(void)
{
	char folder[5120];
	int64_t run;
	int files = 1;
	struct db *d = rows_open(rows_path("bad.db"), &run);

	snprintf(folder, sizeof folder, "%s/bad.db/x", rows_folder);
	add(d, "naive", "{\"B\":8}", 200);
	tap_ok(export(&best_json_exporter, d, folder, false, &files) != ASC_OK && files == 0,
	       "a folder that cannot be made is an error: %s", e.text);
	add(d, "naive", "{\"B\":", 100);
	log_set_sink(keep_said, NULL);
	struct buf text = export_text("json", d, "best.json");
	log_set_sink(NULL, NULL);
	tap_has(said, "trial 2: left out: config:1:6", "a configuration that is no JSON is named");
	tap_has(buf_str(&text), "\"config\":null", "and null in its place");
	buf_fini(&text);
	db_close(d);
}

/* ---- csv ---- */

static void test_csv(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("csv.db"), &run);
	struct result r = rows_result(1, 2, 3);
	struct db_trial t = rows_trial("B=1", &r);
	char formula[] = "=HYPERLINK(\"http://x\")";

	t.implementation.name = "a,\"b\"\r\nc";
	db_add_trial(d, run, &t, &e);
	r.status = RESULT_CRASHED;
	r.n_samples = 0;
	r.reason = formula;
	t.implementation.name = "@sum";
	db_add_trial(d, run, &t, &e);
	struct buf text = export_text("csv", d, "trials.csv");

	tap_has(buf_str(&text), "workload,operator,problem,problem_values,", "names of columns");
	tap_has(buf_str(&text), ",recorded_at\r\nsdpa,attention,tiny,",
		"lines end as the RFC says");
	tap_has(buf_str(&text), ",hot,\"a,\"\"b\"\"\r\nc\",2,k1,", "a hostile name is one cell");
	tap_has(buf_str(&text), "\"{\"\"B\"\":1}\",B=1,0,ok,measure,,2.0,", "a trial's figures");
	tap_has(buf_str(&text), ",'@sum,", "what a spreadsheet would run is text");
	tap_has(buf_str(&text), ",crashed,measure,\"'=HYPERLINK(\"\"http://x\"\")\",,,,,,,,0,",
		"what is not known is empty");
	buf_fini(&text);
	db_close(d);
}

/* ---- which results, and where to ---- */

static void test_simulated(void)
{
	const char *const exporters[] = {"csv", "t4"};
	struct db_run simulated = rows_run;
	int64_t run = 0;
	int files;
	struct result r = rows_result(1, 2, 3);
	const struct db_trial t = rows_trial("B=1", &r);
	struct db *d = rows_open(rows_path("simulated.db"), &run);

	simulated.simulated = true;
	db_begin_run(d, &rows_device, &rows_problem, &simulated, &run, &e);
	db_add_trial(d, run, &t, &e);
	for (size_t i = 0; i < 2; i++) {
		const struct exporter_ops *x = exporter_find(exporters[i]);

		tap_int(export(x, d, rows_folder, false, &files), ASC_NOTFOUND,
			"%s: simulated results are not measured ones", x->name);
		tap_int(export(x, d, rows_folder, true, &files), ASC_OK,
			"simulated results may be asked for");
		tap_int(files, 1, "by name");
	}
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_list();
	test_json();
	test_failures();
	test_csv();
	test_simulated();
	rows_leave();
	return tap_done();
}
