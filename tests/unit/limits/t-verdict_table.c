/* Verdict tables: what is written is read back, in one order; files that are torn or contradict
 * themselves are refused with file and line; no memory and a full disk lose nothing.
 * covers: verdict_table.c */
#include "tuner/workload/limits/verdict_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct asc_err e;
static char *folder, *path;

static const struct verdict_heading heading = {"my kernels/add.py", "add",
					       "00112233445566778899aabbccddeeff"};
static const char planner[] = "triton-ascend 3.2.0, bishengir-compile 1.2.0 (87 2026)";
static const char *const columns[] = {"target", "T", "arguments", "BLOCK", "WHOLE"};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* The text of a table with these rows, by hand. */
#define HEADING                                                                                    \
	"# asctune verdicts 1\n"                                                                   \
	"# kernel: my kernels/add.py add\n"                                                        \
	"# source: 00112233445566778899aabbccddeeff\n"                                             \
	"# planner: Ascend910B3: triton-ascend 3.2.0, bishengir-compile 1.2.0 (87 2026)\n"
#define COLUMNS "target,T,arguments,BLOCK,WHOLE,verdict,space,ub,l1,l0c,retries\n"
#define FITS    "Ascend910B3,f16,*f16 i32,64,true,fits,,4096,,,0\n"
#define REFUSED "Ascend910B3,f16,*f16 i32,128,true,refused,ub,,,,\n"
#define F64     "Ascend910B3,f64,*f64 i32,64,true,unsupported,,,,,\n"

static const char *const keys[][N_COLUMNS] = {
	{"Ascend910B3", "f64", "*f64 i32", "64", "true"},
	{"Ascend910B3", "f16", "*f16 i32", "128", "true"},
	{"Ascend910B3", "f16", "*f16 i32", "64", "true"},
};
static const struct verdict_row rows[] = {
	{ROW_UNSUPPORTED, "", -1, -1, -1, -1},
	{ROW_REFUSED, "ub", -1, -1, -1, -1},
	{ROW_FITS, "", 4096, -1, -1, 0},
};

static struct verdict_table *make(void)
{
	struct verdict_table *t = NULL;

	if (verdict_table_new(&heading, columns, N_COLUMNS, &t, &e))
		return NULL;
	if (verdict_table_add_target(t, &(struct verdict_target){"Ascend910B3", planner}, &e)) {
		verdict_table_free(t);
		return NULL;
	}
	for (size_t i = 0; i < 3; i++)
		if (verdict_table_add(t, keys[i], &rows[i], &e)) {
			verdict_table_free(t);
			return NULL;
		}
	return t;
}

static void test_written(void)
{
	struct buf text = {0};
	struct verdict_table *t = make();

	tap_ok(t && verdict_table_write(t, path, &e) == ASC_OK, "written");
	verdict_table_free(t);
	tap_ok(file_read(path, 0, &text, &e) == ASC_OK, "read");
	tap_str(buf_str(&text), HEADING "# rows: 3\n" COLUMNS FITS REFUSED F64,
		"the file: rows by their keys, numbers by their size");
	buf_fini(&text);
}

static void test_read(void)
{
	struct verdict_table *t = NULL;
	const char *const *key;
	size_t n = 0;

	if (!tap_int(verdict_table_open(path, &t, &e), ASC_OK, "opened"))
		return;
	const struct verdict_heading *h = verdict_table_heading(t);

	tap_str(h->source, heading.source, "a source with a blank");
	tap_str(h->entry, heading.entry, "entry");
	tap_str(h->digest, heading.digest, "digest");
	tap_str(verdict_table_planner(t, "Ascend910B3"), planner, "planner");
	tap_ok(!verdict_table_planner(t, "Ascend910B4"), "none of another target");
	tap_str(verdict_table_target(t, 0), "Ascend910B3", "target");
	tap_ok(!verdict_table_target(t, 1), "the only one");
	const char *const *names = verdict_table_columns(t, &n);

	tap_ok(n == N_COLUMNS && strcmp(names[3], "BLOCK") == 0, "columns of the key");
	tap_int(verdict_table_rows(t), 3, "rows");
	const struct verdict_row *row = verdict_table_get(t, 1, &key);

	tap_str(key[3], "128", "its key");
	tap_ok(row->verdict == ROW_REFUSED && strcmp(row->space, "ub") == 0 &&
		       row->ub_bytes == -1 && row->retries == -1,
	       "refused in ub, no bytes told");
	row = verdict_table_get(t, 0, &key);
	tap_ok(row->verdict == ROW_FITS && row->ub_bytes == 4096 && row->l1_bytes == -1 &&
		       row->retries == 0,
	       "fits with its bytes");
	verdict_table_free(t);
}

/* A variant that was asked twice, once with a size of 1: the answer that it fits stays. */
static void test_answers(void)
{
	struct verdict_table *t = make();
	const char *const *key;

	if (!tap_ok(t != NULL, "a table"))
		return;
	tap_int(verdict_table_add(t, keys[2], &rows[1], &e), ASC_OK, "refused after it fitted");
	tap_int(verdict_table_get(t, 2, &key)->verdict, ROW_FITS, "it still fits");
	tap_int(verdict_table_add(t, keys[1], &rows[2], &e), ASC_OK, "fits after it was refused");
	tap_int(verdict_table_get(t, 1, &key)->verdict, ROW_FITS, "it fits now");
	tap_int(verdict_table_rows(t), 3, "no row is added");
	verdict_table_free(t);
}

static void test_columns(void)
{
	static const char *const twice[] = {"target", "arguments", "BLOCK", "BLOCK"};
	static const char *const answer[] = {"target", "arguments", "ub"};
	static const char *const none[] = {"target", "BLOCK"};
	struct verdict_table *t = NULL;

	tap_int(verdict_table_new(&heading, twice, 4, &t, &e), ASC_INPUT, "a name twice");
	tap_str(e.text, "two columns are called \"BLOCK\"", "said so");
	tap_int(verdict_table_new(&heading, answer, 3, &t, &e), ASC_INPUT, "a parameter ub");
	tap_str(e.text, "two columns are called \"ub\"", "said so");
	tap_int(verdict_table_new(&heading, none, 2, &t, &e), ASC_INPUT, "no types");
	tap_int(verdict_table_new(&heading, none + 1, 1, &t, &e), ASC_INPUT, "no target");
}

static const struct bad {
	const char *what, *text, *said;
} bad[] = {
	{"an empty file", "", "is torn: it does not end with a line's end"},
	{"cut within a line", HEADING "# rows: 2\n" COLUMNS FITS "Ascend910B3,f16",
	 "is torn: it does not end with a line's end"},
	{"cut at a line", HEADING "# rows: 2\n" COLUMNS FITS,
	 "is torn: it has 1 rows, and its heading says 2"},
	{"cut before the columns", HEADING "# rows: 2\n", "is torn: it has no columns"},
	{"another file", "soc,verdict\n910B3,fits\n", "is no table of verdicts: its first line"},
	{"a later version", "# asctune verdicts 2\n", ":1: is version 2 of the format, expected 1"},
	{"no source", "# asctune verdicts 1\n# kernel: a.py add\n# rows: 0\n" COLUMNS,
	 "the heading lacks \"# source: \""},
	{"no kernel", "# asctune verdicts 1\n# source: 00\n# rows: 0\n" COLUMNS,
	 "the heading lacks \"# kernel: \""},
	{"two kernels", HEADING "# kernel: b.py b\n# rows: 0\n" COLUMNS,
	 ":5: is a second line of the kernel"},
	{"two planners", HEADING "# planner: Ascend910B3: x\n# rows: 0\n" COLUMNS,
	 ":5: is a second planner of Ascend910B3"},
	{"a planner of nothing", HEADING "# planner: x\n# rows: 0\n" COLUMNS,
	 ":5: \"x\" is no target with its planner"},
	{"a target without a planner",
	 HEADING "# rows: 1\n" COLUMNS "Ascend910B4,f16,*f16 i32,64,true,fits,,4096,,,0\n",
	 ":7: has the target Ascend910B4, whose planner the heading does not name"},
	{"no number of rows", HEADING COLUMNS, "the heading lacks \"# rows: \""},
	{"a number of rows that is none", HEADING "# rows: many\n" COLUMNS,
	 ":5: \"many\" is no number of rows"},
	{"a kernel without an entry",
	 "# asctune verdicts 1\n# kernel: add.py\n# source: 0\n# rows: 0\n" COLUMNS,
	 "\"# kernel: add.py\" names no file and function"},
	{"an answer without a column",
	 HEADING "# rows: 0\ntarget,arguments,verdict,space,ub,l1,retries\n",
	 ":6: the last columns are not verdict, space, ub, l1, l0c, retries"},
	{"a column twice",
	 HEADING "# rows: 0\ntarget,arguments,B,B,verdict,space,ub,l1,l0c,retries\n",
	 ":6: two columns are called \"B\""},
	{"a row that is too short", HEADING "# rows: 1\n" COLUMNS "Ascend910B3,f16,fits,,,,,\n",
	 ":7: has 8 cells of 11: the table is torn"},
	{"no value", HEADING "# rows: 1\n" COLUMNS "Ascend910B3,f16,,,true,fits,,,,,\n",
	 ":7: BLOCK has no value"},
	{"a verdict that is none",
	 HEADING "# rows: 1\n" COLUMNS "Ascend910B3,f16,,64,true,maybe,,,,,\n",
	 ":7: \"maybe\" is no verdict, expected fits, refused or unsupported"},
	{"a space that is none",
	 HEADING "# rows: 1\n" COLUMNS "Ascend910B3,f16,,64,true,refused,l9,,,,\n",
	 ":7: \"l9\" is no memory space"},
	{"a space of what fits",
	 HEADING "# rows: 1\n" COLUMNS "Ascend910B3,f16,,64,true,fits,ub,,,,\n",
	 ":7: fits has a memory space, \"ub\", which is for refused"},
	{"bytes that are none",
	 HEADING "# rows: 1\n" COLUMNS "Ascend910B3,f16,,64,true,fits,,-1,,,\n",
	 ":7: ub is \"-1\", expected a number from 0 or none"},
	{"two answers",
	 HEADING "# rows: 3\n" COLUMNS FITS REFUSED
		 "Ascend910B3,f16,*f16 i32,64,true,refused,ub,,,,\n",
	 ":9: is the second answer to the variant of row 1"},
};

static void test_bad(void)
{
	struct verdict_table *t = NULL;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		tap_ok(file_write(path, bad[i].text, strlen(bad[i].text), &e) == ASC_OK, "%s",
		       bad[i].what);
		const enum asc_status s = verdict_table_open(path, &t, &e);

		tap_ok(s == ASC_INPUT || s == ASC_NEWER, "%s is refused", bad[i].what);
		tap_has(e.text, bad[i].said, "%s", bad[i].what);
		tap_has(e.text, path, "the line names the file");
	}
}

/* Rows that are the same twice, lines of people, line ends of other systems. */
static void test_lenient(void)
{
	static const char text[] =
		"# asctune verdicts 1\r\n# kernel: a.py add\r\n# mine: do not touch\r\n"
		"# source: 00\r\n# planner: Ascend910B3: 1\r\n# rows: 2\r\n"
		"target,arguments,verdict,space,ub,l1,l0c,retries\r\n"
		"Ascend910B3,,fits,,,,,\r\nAscend910B3,,fits,,,,,\r\n";
	struct verdict_table *t = NULL;

	tap_ok(file_write(path, text, strlen(text), &e) == ASC_OK, "a file");
	if (!tap_int(verdict_table_open(path, &t, &e), ASC_OK, "read"))
		tap_note("%s", e.text);
	else
		tap_int(verdict_table_rows(t), 1, "equal rows are one");
	verdict_table_free(t);
}

static enum asc_status write_and_read(struct asc_err *out)
{
	struct verdict_table *t = make(), *again = NULL;
	struct buf text = {0};
	enum asc_status s = t ? verdict_table_write(t, path, out) : e.status;

	if (!t)
		*out = e;
	if (s == ASC_OK)
		s = verdict_table_open(path, &again, out);
	if (s == ASC_OK)
		s = verdict_table_write(again, path, out);
	if (s == ASC_OK)
		s = file_read(path, 0, &text, out);
	if (s == ASC_OK)
		nomem_give(buf_str(&text));
	buf_fini(&text);
	verdict_table_free(t);
	verdict_table_free(again);
	return s;
}

/* A full disk leaves the table that is there as it was. */
static void test_full(void)
{
	struct verdict_table *t = make();

	tap_ok(t && verdict_table_write(t, "/dev/full", &e) == ASC_FULL, "a full disk is one");
	tap_has(e.text, "/dev/full", "said with the file's name");
	verdict_table_free(t);
}

int main(void)
{
	if (!tap_ok(dir_make_scratch("verdicts", &folder, &e) == ASC_OK &&
			    (path = path_join(folder, "t.csv")),
		    "a folder"))
		return tap_done();
	test_written();
	test_read();
	test_answers();
	test_columns();
	test_bad();
	test_lenient();
	test_full();
	nomem_exhaust("a table", write_and_read);
	dir_remove(folder);
	free(path);
	free(folder);
	return tap_done();
}
