/* Results of other programs: samples in their formats, as their documentation and sources describe
 * them (CLBlast eeff2514, catlass' mstuner), with numbers that are made up; and what is refused.
 * covers: importer.c import.c clblast.c catlass.c */
#include "reports/exchange/importer.h"

#include <stdio.h>
#include <string.h>

#include "db/db.h"
#include "reports/exchange/import.h"
#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct asc_err e;

/* Imports a text as the file of a name. */
static enum asc_status take(struct db *d, const char *name, const char *text,
			    const struct importer_ops *ops, struct import_summary *out)
{
	const struct import_names names = {.version = "0.1.0"};
	const char *path = rows_path(name);
	struct import *i = NULL;
	enum asc_status status = file_write(path, text, strlen(text), &e);

	if (status == ASC_OK)
		status = import_open(path, ops, &i, &e);
	if (status == ASC_OK)
		status = import_record(i, d, &names, out, &e);
	import_close(i);
	return status;
}

#define CLBLAST(precision, results)                                                                \
	"{\"best_kernel\":\"Xgemm\",\"kernel_family\":\"xgemm_1\",\"precision\":\"" precision      \
	"\",\"arg_m\":\"256\",\"arg_k\":64,\"arg_alpha\":\"2.000000\",\"arg_layout\":\"row\","     \
	"\"clblast_device_name\":\"H200\",\"clblast_device_architecture\":\"SM9.0\","              \
	"\"platform_version\":\"OpenCL 3.0\",\"results\":[" results "]}"
#define TIMED(kernel, time, parameters)                                                            \
	"{\"kernel\":\"" kernel "\",\"time\":" time ",\"parameters\":{" parameters "}}"

static void test_clblast(void)
{
	const char *path = rows_path("clblast.db");
	struct import_summary s;
	struct db *d;

	db_open(path, DB_WRITE, &d, &e);
	tap_int(take(d, "clblast_xgemm_1_16.json",
		     CLBLAST("16", TIMED("Xgemm", "0.012", "\"MWG\":32,\"PRECISION\":16") "," TIMED(
					   "Xgemm", "2", "\"PRECISION\":16,\"MWG\":64")),
		     NULL, &s),
		ASC_OK, "a file of CLBlast");
	tap_ok(s.results == 2 && s.ok == 2 && !s.known, "all of it");
	tap_int(rows_ask(path, "SELECT count(*) FROM workload WHERE name = 'clblast_xgemm_1_16'"
			       " AND operator = 'xgemm_1'"),
		1, "the family is the operator");
	tap_int(rows_ask(path, "SELECT count(*) FROM device WHERE model = 'H200'"
			       " AND arch = 'SM9.0' AND driver = 'OpenCL 3.0'"),
		1, "the device is its own");
	tap_int(rows_ask(path,
			 "SELECT count(*) FROM problem WHERE name = 'm256.k64' AND dims_json ="
			 " '{\"dims\":{\"m\":256,\"k\":64,\"alpha\":2.0},"
			 "\"dtypes\":{\"T\":\"f16\"}}'"),
		1, "arguments that are numbers make the problem");
	tap_int(rows_ask(path, "SELECT count(*) FROM implementation WHERE name = 'imported'"
			       " AND key = 'Xgemm'"),
		1, "the kernel is the implementation's content");
	tap_int(rows_ask(path, "SELECT median_ns FROM trial WHERE config_key = 'MWG=32'"), 12000,
		"milliseconds; the type is no parameter");
	tap_int(rows_ask(path, "SELECT count(*) FROM run WHERE simulated"), 1, "simulated");
	tap_int(best_refresh(d, &e), ASC_OK, "the answers are kept");
	tap_int(rows_ask(path, "SELECT count(*) FROM best"), 0, "and never best");
	tap_int(take(d, "clblast_xgemm_1_3232.json",
		     CLBLAST("3232", TIMED("Xgemm", "1", "\"MWG\":32")), importer_find("clblast"),
		     &s),
		ASC_OK, "complex numbers");
	tap_int(rows_ask(path, "SELECT count(DISTINCT key) FROM problem"), 2,
		"are another problem");
	db_close(d);
}

#define HEADER "case_id,task_duration(us),device_id,operation,description,m,n,k,A,B,C\n"
#define ROW(us, device, description, sizes, a)                                                     \
	"7," us "," device ",Gemm," description "," sizes "," a ",bf16:col,int32:row\n"

static void test_catlass(void)
{
	static const char text[] = HEADER ROW("13.9", "0", "mm_a_1x2x3_4x5x6_swizzle3x0", "8,9,10",
					      "fp16:row") "\r\n" ROW("12.5", "0",
								     "mm_b_1x2x3_4x5x6_swizzle3x1",
								     "8,9,10", "fp16:row")
		ROW("2e3", "0", "mm_a_16x2x3_4x5x6_swizzle3x0", "8,9,10", "fp16:row")
			ROW("1", "0", "mm_a_1x2x3_4x5x6_swizzle3x0", "8,9,10", "fp16:col")
				ROW("1", "1", "mm_a_1x2x3_4x5x6_swizzle3x0", "8,9,10", "odd");
	const char *path = rows_path("catlass.db");
	struct import_summary s;
	struct db *d;

	db_open(path, DB_WRITE, &d, &e);
	tap_int(take(d, "results.csv", text, NULL, &s), ASC_OK, "a file of catlass");
	tap_ok(s.results == 5 && s.ok == 5 && !s.known, "all of it");
	tap_int(rows_ask(path, "SELECT count(*) FROM run WHERE simulated"), 4,
		"a run for each kernel, problem and device");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial t JOIN implementation i"
			       " ON i.id = t.implementation_id WHERE i.key = 'mm_a'"),
		4, "the kernel is the description without its tiles");
	tap_int(rows_ask(path,
			 "SELECT median_ns FROM trial WHERE config_key = 'L0_K=6,L0_M=4,L0_N=5,"
			 "L1_K=3,L1_M=16,L1_N=2,SWIZZLE_DIRECTION=0,SWIZZLE_OFFSET=3'"),
		2000000, "tiles and swizzle are the parameters, times are in microseconds");
	tap_int(rows_ask(path, "SELECT count(DISTINCT dims_json) FROM problem WHERE name ="
			       " 'm8.n9.k10' AND dims_json LIKE"
			       " '%\"dims\":{\"m\":8,\"n\":9,\"k\":10}%'"),
		2, "sizes and types make the problem");
	tap_int(rows_ask(path, "SELECT count(*) FROM problem WHERE dims_json LIKE"
			       " '%{\"A\":\"f16\",\"B\":\"bf16\",\"C\":\"i32\"}%'"),
		2, "types by their names here, layouts as problems of their own");
	tap_int(rows_ask(path, "SELECT count(*) FROM workload WHERE name = 'results'"
			       " AND operator = 'Gemm'"),
		1, "the operation is the operator");
	tap_int(take(d, "again.csv", text, NULL, &s), ASC_OK, "under another name");
	tap_ok(!s.known, "is another workload");
	tap_int(take(d, "results.csv", text, importer_find("catlass"), &s), ASC_OK, "again");
	tap_ok(s.known && s.results == 0, "adds nothing");
	db_close(d);
}

/* Line breaks and commas in quotes are parts of a field. */
static void test_quoted(void)
{
	static const char text[] = "note," HEADER "\"two\nlines, \"\"quoted\"\"\"," ROW(
		"1", "0", "mm_a_1x2x3_4x5x6_swizzle3x0", "8,9,10",
		"fp16:row") "\"\"," ROW("2", "0", "mm_a_2x2x3_4x5x6_swizzle3x0", "8,9,10",
					"fp16:row");
	static const char bad[] =
		"note," HEADER
		"\"a\nb\"," ROW("x", "0", "mm_a_1x2x3_4x5x6_swizzle3x0", "8,9,10", "fp16:row");
	struct import_summary s = {0};
	struct db *d;

	db_open(rows_path("quoted.db"), DB_WRITE, &d, &e);
	tap_int(take(d, "quoted.csv", text, NULL, &s), ASC_OK, "a field of two lines");
	tap_int((long)s.results, 2, "its row and the next");
	tap_int(take(d, "bad.csv",
		     "note," HEADER "\"a\nb\"," ROW("1", "0", "mm_a_1x2x3_4x5x6_swizzle3x0",
						    "8,9,10", "fp16:row") "c,7,x\n",
		     NULL, &s),
		ASC_INPUT, "a bad row behind one of two lines");
	tap_has(e.text, "bad.csv:4: task_duration(us)", "has its line");
	tap_int(take(d, "open.csv", bad, NULL, &s), ASC_INPUT, "a bad row of two lines");
	tap_has(e.text, "open.csv:2: ", "has its first");
	db_close(d);
}

/* More groups than there was room for at first. */
static void test_many_groups(void)
{
	enum { GROUPS = 300 };
	struct import_summary s;
	struct buf text = {0};
	struct db *d;

	buf_add_str(&text, HEADER);
	for (int i = 0; i < GROUPS; i++)
		buf_print(&text, ROW("1", "0", "a_1x1x1_1x1x1_swizzle1x1", "%d,1,1", "fp16:row"),
			  i);
	db_open(rows_path("many.db"), DB_WRITE, &d, &e);
	tap_int(take(d, "many.csv", buf_str(&text), NULL, &s), ASC_OK, "many problems");
	tap_int(s.results, GROUPS, "all of their results");
	tap_int(rows_ask(rows_path("many.db"), "SELECT count(DISTINCT key) FROM problem"), GROUPS,
		"each by its own key");
	buf_fini(&text);
	db_close(d);
}

/* ---- by content, and what is refused ---- */

static const struct {
	const char *name, *text, *expected;
} bad[] = {
	{"clblast", CLBLAST("32", ""), "results: expected at least one result"},
	{"clblast", CLBLAST("32", "7"), "results[0]: expected an object"},
	{"clblast", CLBLAST("32", TIMED("a", "1", "\"A\":1") "," TIMED("b", "1", "\"A\":2")),
	 "results[1].kernel: expected a, as in results[0], found b"},
	{"clblast", CLBLAST("32", TIMED("a", "1", "\"A\":1") "," TIMED("a", "1", "\"B\":2")),
	 "results[1].parameters: missing parameter \"A\", which the first result has"},
	{"clblast",
	 CLBLAST("32", TIMED("a", "1", "\"A\":1") "," TIMED("a", "1", "\"A\":1,\"B\":2")),
	 "results[1].parameters: has parameters that results[0] does not have"},
	{"clblast", CLBLAST("32", TIMED("a", "-1", "\"A\":1")),
	 "results[0].time: expected a time of 0 or more"},
	{"clblast", CLBLAST("32", "{\"kernel\":\"a\",\"parameters\":{}}"),
	 "results[0]: missing key \"time\""},
	{"clblast", CLBLAST("32", "{\"time\":1,\"parameters\":{}}"),
	 "results[0]: missing key \"kernel\""},
	{"clblast", CLBLAST("32", TIMED("a", "1", "\"A=\":1")), "without '=' and ','"},
	{"clblast", "{\"kernel_family\":\"x\",\"results\":[]}", "missing key \"precision\""},
	{"catlass", HEADER, "expected at least one result"},
	{"catlass", "task_duration(us),m,n,k\n", ":1: no column \"description\""},
	{"catlass", HEADER ROW("", "0", "a_1x1x1_1x1x1_swizzle1x1", "1,1,1", ""),
	 ":2: task_duration(us): expected microseconds, found \"\""},
	{"catlass", HEADER ROW("inf", "0", "a_1x1x1_1x1x1_swizzle1x1", "1,1,1", ""),
	 "found \"inf\""},
	{"catlass", HEADER ROW("0", "0", "a_1x1x1_1x1x1_swizzle1x1", "1,1,1", ""), "found \"0\""},
	{"catlass", HEADER "\n" ROW("1", "0", "a_1x1x1_1x1x1_swizzle1x1", "1,-1,1", ""),
	 ":3: n: expected a size, found \"-1\""},
	{"catlass",
	 HEADER ROW("1", "0", "a_1x1x1_1x1x1_swizzle1x1", "1,1,99999999999999999999", ""),
	 ":2: k: expected a size"},
	{"catlass", HEADER ROW("1", "0", "a_1x1x1_1x1_swizzle1x1", "1,1,1", ""),
	 ":2: description: expected a kernel that ends in"},
	{"catlass", HEADER ROW("1", "0", "_1x1x1_1x1x1_swizzle1x1", "1,1,1", ""),
	 ":2: description"},
	{"catlass", HEADER ROW("1", "0", "a_1x1x1_1x1x1_swizzle1x1x1", "1,1,1", ""),
	 ":2: description"},
	{"catlass", HEADER "1\n", ":2: task_duration(us): expected microseconds"},
};

static void test_refused(void)
{
	struct import_summary s;
	char file[32];
	struct db *d;

	db_open(rows_path("refused.db"), DB_WRITE, &d, &e);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(file, sizeof file, "%s-%zu", bad[i].name, i);
		tap_int(take(d, file, bad[i].text, NULL, &s), ASC_INPUT, "%s is refused", file);
		tap_has(e.text, bad[i].expected, "it says why");
		tap_has(e.text, file, "and where");
	}
	tap_int(rows_ask(rows_path("refused.db"), "SELECT count(*) FROM run"), 0,
		"nothing is recorded");
	db_close(d);
}

static void test_formats(void)
{
	struct import_summary s;
	struct db *d;

	db_open(rows_path("formats.db"), DB_WRITE, &d, &e);
	tap_ok(!importer_find("csv"), "there is no importer of that name");
	for (size_t i = 0; importer_list[i]; i++) {
		tap_ok(importer_find(importer_list[i]->name) == importer_list[i], "%s is found",
		       importer_list[i]->name);
		tap_int(take(d, "other", "{\"a\":1}", importer_list[i], &s), ASC_INPUT,
			"and takes no file of another kind");
		tap_has(e.text, "other:", "which is named");
	}
	tap_int(take(d, "other", "{\"a\":1}", NULL, &s), ASC_INPUT, "nor is it taken unasked");
	tap_has(e.text, "missing key \"results\"", "T4 is expected");
	tap_int(take(d, "other", "a,b\n1,2\n", NULL, &s), ASC_INPUT, "an unknown table");
	tap_int(take(d, "other", "", NULL, &s), ASC_INPUT, "an empty file");
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_clblast();
	test_catlass();
	test_quoted();
	test_many_groups();
	test_refused();
	test_formats();
	rows_leave();
	return tap_done();
}
