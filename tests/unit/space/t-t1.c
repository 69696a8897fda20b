/* Spaces in T1 files: published ones, and what is refused.
 * covers: t1.c t1_write.c */
#include "tuner/workload/space/t1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/process/proc.h"
#include "tuner/workload/space/space.h"

#define SPACES TEST_DATA "/data/spaces"

static const int64_t limit_ns = INT64_C(60000000000);

/* ---- published spaces: count and sha256 of the list, see tests/data/spaces/README.md ---- */

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends each line's text, ended by NUL, as `space --list` prints it. */
static void list_lines(const struct space *s, struct buf *text)
{
	struct space_cursor *cursor = NULL;
	struct asc_err e;
	size_t changed;

	if (space_cursor_new(s, &cursor, &e))
		tap_note("%s", e.text);
	for (const uint16_t *picks; cursor && (picks = space_cursor_next(cursor, &changed));) {
		for (size_t p = 0; p < space_params(s); p++) {
			char number[32];
			value_print(space_param(s, p)->values[picks[p]], number, sizeof number);
			buf_add_str(text, p > 0 ? "," : "");
			buf_add_str(text, number);
		}
		buf_add_char(text, '\0');
	}
	space_cursor_free(cursor);
}

static bool write_sorted(const struct space *s, const char *path)
{
	const size_t n = (size_t)space_count(s);
	struct buf text = {0}, sorted = {0};
	char **lines = calloc(n + 1, sizeof *lines);
	struct asc_err e;

	list_lines(s, &text);
	char *at = text.data;
	const bool listed = lines && at && !text.failed;
	for (size_t i = 0; listed && i < n; i++, at += strlen(at) + 1)
		lines[i] = at;
	if (listed)
		qsort(lines, n, sizeof *lines, compare_lines);
	for (size_t i = 0; listed && i < n; i++) {
		buf_add_str(&sorted, lines[i]);
		buf_add_char(&sorted, '\n');
	}
	const bool ok =
		listed && !buf_check(&sorted, &e) && !file_write(path, sorted.data, sorted.len, &e);
	free(lines);
	buf_fini(&text);
	buf_fini(&sorted);
	return ok;
}

static void check_sum(const struct space *s, const char *folder, const char *want)
{
	char *path = path_join(folder, "list");
	const char *const argv[] = {"sha256sum", path, NULL};
	struct buf out = {0};
	struct asc_err e = {0};
	int status = -1;

	if (tap_ok(path && write_sorted(s, path), "the list is written") &&
	    tap_ok(proc_run(argv, NULL, limit_ns, 4096, &out, &status, &e) == ASC_OK,
		   "sha256sum runs"))
		tap_has(buf_str(&out), want, "the valid set is the published one");
	if (path)
		unlink(path);
	free(path);
	buf_fini(&out);
}

static struct space *open_space(const char *name)
{
	char path[512];
	struct json_doc *doc = NULL;
	struct space *s = NULL;
	struct asc_err e;

	snprintf(path, sizeof path, SPACES "/%s.json", name);
	enum asc_status st = json_open_file(path, &doc, &e);
	if (!st && !t1_recognise(doc))
		st = asc_err_set(&e, ASC_INPUT, "not recognised");
	if (!st)
		st = t1_space(doc, &s, &e);
	tap_ok(st == ASC_OK, "%s: %s", name, st ? e.text : "read");
	json_close(doc);
	return s;
}

static void test_published(void)
{
	char name[64], count[32], sum[65], folder[512];
	const char *tmp = getenv("TMPDIR");
	FILE *f = fopen(SPACES "/expected.csv", "r");

	snprintf(folder, sizeof folder, "%s/t-t1.XXXXXX", tmp ? tmp : "/tmp");
	if (!tap_ok(f && mkdtemp(folder), "expected.csv and a folder"))
		return;
	tap_ok(fscanf(f, "%*[^\n]\n") == 0, "head of the file");
	while (fscanf(f, "%63[^,],%31[^,],%64s\n", name, count, sum) == 3) {
		const unsigned long long valid = strtoull(count, NULL, 10);
		struct space *s = open_space(name);
		if (s && tap_int(space_count(s), valid, "%s: valid configurations", name))
			check_sum(s, folder, sum);
		space_free(s);
	}
	fclose(f);
	tap_ok(rmdir(folder) == 0, "nothing is left");
}

/* ---- reading ---- */

static enum asc_status read_text(const char *text, struct space **out, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status st = json_open_text("x.json", text, strlen(text), &doc, e);

	*out = NULL;
	if (!st)
		st = t1_space(doc, out, e);
	json_close(doc);
	return st;
}

static void test_forms(void)
{
	struct space *s;
	struct asc_err e;
	const enum asc_status st = read_text(
		"{\"ConfigurationSpace\":{\"TuningParameters\":["
		"{\"Name\":\"a\",\"Type\":\"int\",\"Values\":\" [ 4,-2 , 1,] \",\"Default\":-2},"
		"{\"Name\":\"b\",\"Type\":\"float\",\"Values\":\"[0.5, 2, 1e-3]\"},"
		"{\"Name\":\"c\",\"Type\":\"bool\",\"Values\":\"[True, False]\","
		"\"Default\":false},"
		"{\"Name\":\"d\",\"Type\":\"uint\",\"Values\":[0, 7]}]},"
		"\"KernelSpecification\":{\"Whatever\":1},\"Other\":[]}",
		&s, &e);

	if (!tap_ok(st == ASC_OK, "every form of values: %s", st ? e.text : "ok"))
		return;
	tap_int(space_count(s), 3 * 3 * 2 * 2, "without conditions all are valid");
	tap_ok(value_equal(space_param(s, 0)->values[1], value_int(-2)) &&
		       space_param(s, 0)->n == 3,
	       "the text of a list");
	tap_ok(space_param(s, 1)->values[2].kind == VALUE_REAL &&
		       space_param(s, 1)->values[2].r == 1e-3,
	       "reals");
	tap_int(space_param(s, 2)->values[0].kind, VALUE_BOOL, "truth values");
	tap_ok(value_equal(space_param(s, 3)->values[1], value_int(7)), "a JSON array");
	tap_int(space_param(s, 0)->default_value.i, -2, "the default");
	tap_ok(value_equal(space_param(s, 1)->default_value, value_real(0.5)),
	       "without one the first value");
	space_free(s);
}

static void test_recognise(void)
{
	struct json_doc *doc = NULL;
	struct asc_err e;

	tap_ok(json_open_text("x", "{\"asctune\":1}", 13, &doc, &e) == ASC_OK && !t1_recognise(doc),
	       "a workload is something else");
	json_close(doc);
	doc = NULL;
	tap_ok(json_open_text("x", "[1]", 3, &doc, &e) == ASC_OK && !t1_recognise(doc),
	       "an array is refused");
	json_close(doc);
}

#define PARAMETER(rest) "{\"ConfigurationSpace\":{\"TuningParameters\":[{" rest "}]}}"
#define INT_A(values)   PARAMETER("\"Name\":\"a\",\"Type\":\"int\",\"Values\":" values)
#define CONDITION(rest)                                                                            \
	"{\"ConfigurationSpace\":{\"TuningParameters\":[{\"Name\":\"a\",\"Type\":\"int\","         \
	"\"Values\":\"[1]\"}],\"Conditions\":[" rest "]}}"

static void test_errors(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"{}", "x.json: expected a member \"ConfigurationSpace\""},
		{"{\"ConfigurationSpace\":{}}", "TuningParameters"},
		{"{\"ConfigurationSpace\":{\"TuningParameters\":7}}",
		 "ConfigurationSpace.TuningParameters: expected an array"},
		{"{\"ConfigurationSpace\":{\"TuningParameters\":[],\"Condition\":[]}}",
		 "did you mean"},
		{PARAMETER("\"Name\":\"a\",\"Type\":\"int\""), "Values"},
		{PARAMETER("\"Name\":\"a b\",\"Type\":\"int\",\"Values\":[1]"),
		 "TuningParameters[0].Name: expected an identifier, found \"a b\""},
		{PARAMETER("\"Name\":\"a\",\"Type\":\"text\",\"Values\":[1]"),
		 "TuningParameters[0].Type: expected int, uint, float, bool or string, found "
		 "\"text\""},
		{PARAMETER("\"Name\":\"a\",\"Type\":\"string\",\"Values\":[1]"),
		 "Values: expected a text, found 1"},
		{PARAMETER("\"Name\":\"a\",\"Type\":\"string\",\"Values\":\"['a', 'b]\""),
		 "column 7: expected a number, True, False or a text, found \"'b]\""},
		{PARAMETER("\"Name\":\"a\",\"Type\":\"string\",\"Values\":[\"a=b\"]"),
		 "Values[0]: a text is 1 to 60 printable"},
		{INT_A("[1, \"x\"]"), "Values: expected an integer, found x"},
		{PARAMETER("\"Name\":\"a\",\"Type\":\"uint\",\"Values\":[-1]"),
		 "expected an integer that is not negative, found -1"},
		{PARAMETER("\"Name\":\"a\",\"Type\":\"bool\",\"Values\":[2]"),
		 "expected True, False, 0 or 1, found 2"},
		{INT_A("[1],\"Default\":1.5"), "Default: expected an integer, found 1.5"},
		{INT_A("[1],\"Default\":2"), "x.json: a: the default 2 is none of its values"},
		{INT_A("[1, \"2\"]"), "TuningParameters[0].Values[1]"},
		{INT_A("{}"), "expected an array or the text of a list, found an object"},
		{INT_A("\"1, 2\""), "Values: column 1: expected '[', found \"1, 2\""},
		{INT_A("\"[1, x]\""),
		 "column 5: expected a number, True, False or a text, found \"x]\""},
		{INT_A("\"[1 2]\""), "column 4: expected ',' or ']', found \"2]\""},
		{INT_A("\"[1, 2\""), "column 6: expected ',' or ']', found the end"},
		{INT_A("\"[1] 2\""), "column 5: expected nothing after ']', found \"2\""},
		{INT_A("\"[1,,2]\""), "column 4: expected a number"},
		{INT_A("\"[]\""), "expected at least one value"},
		{INT_A("[]"), "expected at least one value"},
		{INT_A("\"[1.5]\""), "expected an integer, found 1.5"},
		{INT_A("\"[1, 2, 1]\""), "x.json: a: the value 1 is listed twice"},
		{CONDITION("{\"Expression\":\"a > b\"}"), "x.json: Conditions[0]: column 5"},
		{CONDITION("{\"Expression\":1}"), "Conditions[0].Expression: expected a string"},
		{CONDITION("{\"Expression\":\"a > 0\",\"Parameters\":\"a\"}"),
		 "Conditions[0].Parameters: expected an array"},
		{CONDITION("{\"Expression\":\"a > 0\",\"Parameters\":[1]}"),
		 "Conditions[0].Parameters[0]: expected a string"},
		{CONDITION("\"a > 0\""), "Conditions[0]"},
	};
	struct space *s;
	struct asc_err e;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(read_text(cases[i].text, &s, &e), ASC_INPUT, "refused: %s", cases[i].text);
		tap_has(e.text, cases[i].message, "says why");
	}
}

/* The parameters' own defaults leave the condition unmet: the nearest valid ones are written. */
static void test_written_defaults(void)
{
	const struct value values[] = {value_int(1), value_int(2)};
	const struct space_param params[] = {{"a", 2, values, values[0]},
					     {"b", 2, values, values[0]}};
	const struct space_condition condition = {"a != b", "constraints[0]"};
	const struct space_spec spec = {
		.params = params, .n_params = 2, .conditions = &condition, .n_conditions = 1};
	const struct t1_kernel kernel = {
		.language = "CUDA", .name = "k", .file = "k.cu", .device = "d"};
	struct buf text = {0};
	struct json_writer w = {&text, false};
	struct asc_err e;

	tap_int(t1_write(&w, "x", &spec, &kernel, 1, &e), ASC_OK, "a space is written");
	tap_has(buf_str(&text),
		"\"Name\":\"a\",\"Type\":\"int\",\"Values\":\"[1, 2]\",\"Default\":1",
		"with the default of one parameter");
	tap_has(buf_str(&text),
		"\"Name\":\"b\",\"Type\":\"int\",\"Values\":\"[1, 2]\",\"Default\":2",
		"for the other the value that is valid with it");
	buf_fini(&text);
}

int main(void)
{
	test_published();
	test_forms();
	test_recognise();
	test_errors();
	test_written_defaults();
	return tap_done();
}
