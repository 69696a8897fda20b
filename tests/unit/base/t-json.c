/* JSON: what is read, refused and written, by files of cases (data/json) and by calls.
 * covers: json.c json_node.c json_path.c json_scan.c json_spec.c
 * json_write.c */
#include "tuner/base/json/json.h"

#include <dirent.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct json_doc *open_text(const char *text)
{
	struct json_doc *doc = NULL;
	struct asc_err e;
	if (!tap_ok(!json_open_text("doc", text, strlen(text), &doc, &e), "opens: %s", text))
		tap_note("%s", e.text);
	return doc;
}

/* ---- bad documents as data ---- */

static bool ends_case(const char *line)
{
	return strncmp(line, "error: ", 7) == 0;
}

/* `\xNN` stands for a byte, so that the files are text. */
static void add_bytes(struct buf *b, const char *line)
{
	for (; *line; line++) {
		if (strncmp(line, "\\x", 2) == 0) {
			char digits[3] = {line[2], line[3]};
			buf_add_char(b, (char)strtoul(digits, NULL, 16));
			line += 3;
		} else {
			buf_add_char(b, *line);
		}
	}
}

static bool check_bad(const struct buf *text, const char *want)
{
	struct json_doc *doc = NULL;
	struct asc_err e = {.text = "accepted"};
	enum asc_status status = json_open_text("doc", buf_str(text), text->len, &doc, &e);
	json_close(doc);
	if (status == ASC_INPUT && strcmp(e.text, want) == 0)
		return true;
	tap_note("%s\n# gives    %s\n# expected %s", buf_str(text), e.text, want);
	return false;
}

/* A document of one or more lines, then its error. */
static size_t run_cases(FILE *f, size_t *bad)
{
	char line[1024];
	size_t cases = 0;
	struct buf text = {0};
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (ends_case(line)) {
			*bad += !check_bad(&text, line + 7);
			cases++;
			buf_clear(&text);
		} else if (line[0] && line[0] != '#') {
			if (text.len)
				buf_add_char(&text, '\n');
			add_bytes(&text, line);
		}
	}
	buf_fini(&text);
	return cases;
}

static void run_file(const char *folder, const char *name)
{
	size_t bad = 0, cases = 0;
	char *path = path_join(folder, name);
	FILE *f = fopen(path, "r");
	if (f) {
		cases = run_cases(f, &bad);
		(void)fclose(f);
	}
	tap_ok(cases > 10 && bad == 0, "%s: %zu of %zu cases fail", name, bad, cases);
	free(path);
}

static void test_bad(void)
{
	static const char folder[] = TEST_DATA "/data/json";
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		if (strstr(entries[i]->d_name, ".test"))
			run_file(folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	tap_ok(n > 3, "the folder of bad documents was read");
}

static void test_nul(void)
{
	struct json_doc *doc;
	struct asc_err e;
	tap_int(json_open_text("doc", "[1]\0", 4, &doc, &e), ASC_INPUT, "a NUL after the text");
	tap_str(e.text, "doc:1:4: expected the end of the text, found the byte 0x00", "says so");
	tap_int(json_open_text("doc", "[\"a\0b\"]", 7, &doc, &e), ASC_INPUT, "a NUL in a string");
	tap_str(e.text, "doc:1:4: a control character in a string (write \\u0000)", "says so");
	tap_int(json_open_text("doc", "", 0, &doc, &e), ASC_INPUT, "nothing");
	tap_str(e.text, "doc: the text is empty", "says so");
}

static void test_depth(void)
{
	char text[131] = {0};
	struct json_doc *doc = NULL;
	struct asc_err e;
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	tap_ok(!json_open_text("doc", text, 128, &doc, &e), "64 levels");
	json_close(doc);
	memset(text, '[', 65);
	memset(text + 65, ']', 65);
	tap_int(json_open_text("doc", text, 130, &doc, &e), ASC_INPUT, "65 levels");
	tap_str(e.text, "doc:1:65: nested deeper than 64 levels", "says so");
}

/* ---- good documents ---- */

/* 16 MB of text must not become 3 GB of nodes. */
static void test_many(void)
{
	static char text[(16 << 20) + 4];
	struct json_doc *doc = NULL;
	struct asc_err e;
	size_t n = 0;

	text[n++] = '[';
	for (int i = 0; i < 8 << 20; i++) {
		text[n++] = '1';
		text[n++] = ',';
	}
	text[n - 1] = ']';
	tap_int(json_open_text("doc", text, n, &doc, &e), ASC_LIMIT, "too many values are refused");
	tap_str(e.text, "doc: more than 8388608 values", "with the number that is taken");
	json_close(doc);
}

static void test_values(void)
{
	struct value v;
	struct asc_err e;
	struct json_doc *doc =
		open_text("[9007199254740992, -9007199254740992, 1.0, 1e3, -0, 0.1, "
			  "true, false, null, \"\\u00e9\\ud83d\\ude00\\n\", [], {}]");
	const struct json_node *n = json_first(json_root(doc));
	tap_int(json_count(json_root(doc)), 12, "twelve elements");
	tap_ok(!json_get_value(n, &v, &e) && v.kind == VALUE_INT && v.i == INT64_C(1) << 53,
	       "2^53 is exact");
	n = json_next(n);
	tap_ok(!json_get_value(n, &v, &e) && v.i == -(INT64_C(1) << 53), "so is -2^53");
	n = json_next(n);
	tap_ok(!json_get_value(n, &v, &e) && v.kind == VALUE_REAL && v.r == 1, "1.0 is a real");
	n = json_next(n);
	tap_ok(!json_get_value(n, &v, &e) && v.kind == VALUE_REAL && v.r == 1000, "so is 1e3");
	n = json_next(n);
	tap_ok(!json_get_value(n, &v, &e) && v.kind == VALUE_INT && v.i == 0, "-0 is 0");
	n = json_next(n);
	tap_ok(!json_get_value(n, &v, &e) && v.r == 0.1, "0.1");
	n = json_next(n);
	tap_ok(!json_get_value(n, &v, &e) && v.kind == VALUE_BOOL && v.i == 1, "true");
	n = json_next(json_next(n));
	tap_int(json_type(n), JSON_NULL, "null");
	const char *s = NULL;
	n = json_next(n);
	tap_ok(!json_get_string(n, &s, &e), "a string");
	tap_str(s, "\xC3\xA9\xF0\x9F\x98\x80\n", "escapes are decoded");
	n = json_next(n);
	tap_ok(json_type(n) == JSON_ARRAY && !json_first(n) && json_count(n) == 0, "empty array");
	tap_ok(!json_next(json_next(n)), "the last one");
	json_close(doc);
}

static void test_find(void)
{
	struct json_doc *doc = open_text(" {\"a\": {\"A\": 1}, \"Ab\": [2]} ");
	const struct json_node *root = json_root(doc);
	tap_ok(json_find(root, "a") && !json_find(root, "A"), "keys have a case");
	tap_str(json_key(json_find(root, "Ab")), "Ab", "its key");
	tap_ok(!json_key(root) && !json_find(json_find(root, "Ab"), "a"), "no key, no members");
	json_close(doc);
}

/* A node that is not there, and what is asked of it. */
static void test_absent(void)
{
	const char *text = NULL;
	struct asc_err e;
	struct value v;
	int64_t i;

	tap_ok(json_type(NULL) == JSON_NULL && json_count(NULL) == 0, "an absent node has nothing");
	tap_ok(!json_first(NULL) && !json_find(NULL, "a"), "an absent node has no members");
	tap_int(json_get_string(NULL, &text, &e), ASC_INPUT, "no text");
	tap_str(e.text, "a member is missing, expected a string", "the message names the type");
	tap_int(json_get_int(NULL, &i, &e), ASC_INPUT, "no integer");
	tap_int(json_get_value(NULL, &v, &e), ASC_INPUT, "no value");
	tap_int(json_get_choice(NULL, &v, &e), ASC_INPUT, "no choice");
	tap_int(json_expect(NULL, JSON_ARRAY, &e), ASC_INPUT, "no list");
}

static enum asc_status read_integer(const struct json_node *n, void *out, struct asc_err *e_out)
{
	return json_get_int(n, out, e_out);
}

static void test_list(void)
{
	struct json_doc *doc = open_text("{\"a\": [3, 5], \"b\": [3, true]}");
	const int64_t *list;
	struct asc_err e;
	size_t n = 0;

	list = json_read_list(json_find(json_root(doc), "a"), sizeof *list, read_integer, &n, &e);
	tap_ok(list && n == 2 && list[0] == 3 && list[1] == 5 && list[2] == 0,
	       "records, and a zeroed one behind them");
	tap_ok(!json_read_list(json_find(json_root(doc), "b"), sizeof *list, read_integer, &n, &e),
	       "no list where an element is wrong");
	tap_has(e.text, "b[1]", "its place");
	json_close(doc);
}

static void test_path(void)
{
	struct asc_err e;
	int64_t i;
	struct json_doc *doc = open_text(
		"{\"implementations\": [1, {\"parameters\": {\"BLOCK_M\": {\"x\": \"64\"},"
		" \"a \\\"b\": [[], [7.5]]}}]}");
	const struct json_node *p =
		json_find(json_next(json_first(json_first(json_root(doc)))), "parameters");
	const struct json_node *inner = json_first(json_next(json_first(json_find(p, "a \"b"))));
	char *path = json_path(inner);
	tap_str(path, "implementations[1].parameters[\"a \\\"b\"][1][0]", "a path");
	free(path);
	path = json_path(json_root(doc));
	tap_str(path, "", "the root's path");
	free(path);
	json_fail(json_find(p, "BLOCK_M"), &e, "no %d", 3);
	tap_str(e.text, "doc: implementations[1].parameters.BLOCK_M: no 3", "a failure");
	tap_int(json_expect(json_root(doc), JSON_OBJECT, &e), ASC_OK, "the type that is there");
	tap_int(json_expect(json_find(p, "BLOCK_M"), JSON_ARRAY, &e), ASC_INPUT, "another one");
	tap_has(e.text, "BLOCK_M: expected an array, found an object", "is named");
	json_fail(json_root(doc), &e, "no %d", 3);
	tap_str(e.text, "doc: no 3", "the root's failure");
	tap_int(json_get_int(inner, &i, &e), ASC_INPUT, "a real is no integer");
	tap_has(e.text, "[1][0]: expected an integer, found 7.5", "says what is there");
	tap_int(json_get_int(json_first(json_first(p)), &i, &e), ASC_INPUT, "nor is a string");
	tap_has(e.text, "BLOCK_M.x: expected an integer, found the string \"64\"", "says so");
	json_close(doc);
}

/* ---- rows ---- */

struct seen { /* rows of a file */
	struct buf text;
	size_t left; /* before one is refused */
};

static enum asc_status see_row(void *user, const struct json_node *row, struct asc_err *e)
{
	struct seen *s = user;
	struct json_writer w = {.out = &s->text};
	const struct json_node *inner = json_first(row);
	char *path = json_path(inner ? inner : row);

	buf_print(&s->text, "%s%s ", s->text.len ? "; " : "", path);
	json_write_node(&w, NULL, row);
	free(path);
	return s->left-- > 0 ? ASC_OK : json_fail(row, e, "enough");
}

/* Opens a text as a file of rows. */
static enum asc_status open_rows(const char *text, struct json_doc **out, struct asc_err *e)
{
	char *folder = NULL, *path;
	enum asc_status status;

	if (dir_make_scratch("t-json", &folder, e))
		return e->status;
	path = path_join(folder, "rows.json");
	status = file_write(path, text, strlen(text), e) ? e->status : json_open_rows(path, out, e);
	dir_remove(folder);
	free(folder);
	free(path);
	return status;
}

static void test_rows(void)
{
	static const char text[] =
		"{\"early\": [1, \"a\\nb\"], \"version\": 2.5, \"o\": {\"kept\": [7]}, \"rows\": "
		"[{\"x\": "
		"[1, 2.5]}, [\"\\u00e9\"], 3, {\"a\": 1, \"b\": 9007199254740993}], \"none\": [ ]}";
	struct seen s = {.left = 9};
	struct json_doc *doc = NULL;
	struct asc_err e;
	double version;
	struct value v = {0};

	if (!tap_int(open_rows(text, &doc, &e), ASC_OK, "a file of rows"))
		return;
	const struct json_node *root = json_root(doc), *rows = json_find(root, "rows");
	tap_int(json_get_value(json_find(root, "version"), &v, &e), ASC_OK,
		"a member between lists");
	version = value_as_real(v);
	tap_ok(version > 2.4 && version < 2.6, "has its value");
	tap_ok(json_first(json_find(json_find(root, "o"), "kept")) != NULL,
	       "inner arrays are whole");
	tap_ok(!json_first(rows), "rows are not in the document");
	tap_int(json_each_row(json_find(root, "early"), see_row, &s, &e), ASC_OK, "the first list");
	tap_int(json_each_row(json_find(root, "none"), see_row, &s, &e), ASC_OK, "an empty list");
	tap_int(json_each_row(rows, see_row, &s, &e), ASC_INPUT, "a list with a bad row");
	tap_str(buf_str(&s.text),
		"early[0] 1; early[1] \"a\\nb\"; rows[0].x {\"x\":[1,2.5]}; rows[1][0] "
		"[\"\xC3\xA9\"]; "
		"rows[2] 3",
		"each row before it is visited, and knows its path");
	tap_has(e.text, "rows.json: rows[3].b: integers beyond 2^53", "as the bad one does");
	tap_int((long)json_count_rows(rows), 4, "they are counted");
	tap_int((long)json_count_rows(json_find(json_find(root, "o"), "kept")), 1,
		"as those are that the document holds");
	buf_clear(&s.text);
	s.left = 9;
	tap_int(json_first_row(rows, see_row, &s, &e), ASC_OK, "the first alone");
	tap_int(json_first_row(json_find(root, "none"), see_row, &s, &e), ASC_OK, "of none");
	tap_int(json_each_row(json_find(json_find(root, "o"), "kept"), see_row, &s, &e), ASC_OK,
		"an array that the document holds");
	tap_str(buf_str(&s.text), "rows[0].x {\"x\":[1,2.5]}; o.kept[0] 7", "each is visited");
	s.left = 1;
	tap_int(json_each_row(rows, see_row, &s, &e), ASC_INPUT, "a visit that fails");
	tap_has(e.text, "rows.json: rows[1]: enough", "ends the visits");
	json_end_rows(doc);
	tap_int((long)json_count_rows(rows), 0, "what ends them takes the rows along");
	tap_int(json_each_row(rows, see_row, &s, &e), ASC_OK, "none is visited then");
	json_close(doc);
	buf_fini(&s.text);
	tap_int(open_rows("{\"rows\": [1, 2,\n 3 4]}", &doc, &e), ASC_INPUT, "a text that is none");
	tap_has(e.text, "rows.json:2:4: expected ',' or ']', found '4'", "has its place");
	tap_int(open_rows("{\"rows\": [1], \"rows\": [2]}", &doc, &e), ASC_INPUT, "a list twice");
	tap_has(e.text, "key \"rows\" appears twice", "is refused");
}

/* Every short distance of an escape, a quote or another sign from the string's start. */
static void test_strings(void)
{
	static const char *const marks[] = {"\\n",      "\\\\", "\\\"",
					    "\xC3\xA9", "\x7F", "\\ud83d\\ude00"};
	static const char *const values[] = {"\n",       "\\",   "\"",
					     "\xC3\xA9", "\x7F", "\xF0\x9F\x98\x80"};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		for (int before = 0; before < 20; before++) {
			char text[80], want[80];
			struct json_doc *doc = NULL;
			struct asc_err e = {ASC_OK, ""};
			const char *have = "";
			(void)snprintf(text, sizeof text, "[\"%.*s%sz\",1]", before,
				       "abcdefghijklmnopqrstu", marks[i]);
			(void)snprintf(want, sizeof want, "%.*s%sz", before,
				       "abcdefghijklmnopqrstu", values[i]);
			if (!json_open_text("doc", text, strlen(text), &doc, &e))
				(void)json_get_string(json_first(json_root(doc)), &have, &e);
			tap_str(have, want, "%s", text);
			json_close(doc);
		}
}

/* ---- tables ---- */

struct thing {
	const char *name;
	int64_t count;
	double ratio;
	bool on;
	struct value value;
	const struct json_node *node;
	size_t length;
};

static enum asc_status read_length(const struct json_node *n, void *member, struct asc_err *e)
{
	if (json_type(n) != JSON_ARRAY)
		return json_fail(n, e, "expected an array");
	*(size_t *)member = json_count(n);
	return ASC_OK;
}

#define AT(member) offsetof(struct thing, member)

static const struct json_field thing_fields[] = {
	{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
	{"count", JSON_AS_INT, false, AT(count), NULL, NULL},
	{"ratio", JSON_AS_REAL, false, AT(ratio), NULL, NULL},
	{"on", JSON_AS_BOOL, false, AT(on), NULL, NULL},
	{"value", JSON_AS_VALUE, false, AT(value), NULL, NULL},
	{"node", JSON_AS_NODE, false, AT(node), NULL, NULL},
	{"length", JSON_AS_CUSTOM, false, AT(length), read_length, NULL},
	{"note", JSON_IGNORED, false, 0, NULL, NULL},
	{0},
};

static const struct json_spec thing_spec = {"thing", thing_fields};

static void test_spec(void)
{
	struct thing t = {.count = 5};
	struct asc_err e;
	struct json_doc *doc = open_text(
		"{\"name\": \"n\", \"ratio\": 2, \"on\": true, \"value\": false, \"node\": {},"
		" \"length\": [1, 2], \"note\": 0, \"X-any\": 1, \"$schema\": \"s\"}");
	tap_ok(!json_read_object(json_root(doc), &thing_spec, &t, &e), "reads");
	tap_str(t.name, "n", "a string");
	tap_ok(t.count == 5, "an absent member is left alone");
	tap_ok(t.ratio == 2 && t.on, "an integer as a real, a truth value");
	tap_ok(t.value.kind == VALUE_BOOL && t.value.i == 0, "a value");
	tap_ok(json_type(t.node) == JSON_OBJECT && t.length == 2, "a node, a member of our own");
	json_close(doc);
}

static void check_refused(const char *text, const char *want)
{
	struct thing t;
	struct asc_err e = {.text = "accepted"};
	struct json_doc *doc = open_text(text);
	json_read_object(json_first(json_root(doc)), &thing_spec, &t, &e);
	tap_str(e.text, want, "refused");
	json_close(doc);
}

static void test_spec_refuses(void)
{
	check_refused("{\"t\": {}}", "doc: t: missing key \"name\"");
	check_refused("{\"t\": {\"nmae\": 1}}",
		      "doc: t: unknown key \"nmae\" (did you mean \"name\"?)");
	check_refused("{\"t\": {\"NAME\": 1}}",
		      "doc: t: unknown key \"NAME\" (did you mean \"name\"?)");
	check_refused("{\"t\": {\"zzzzzz\": 1}}",
		      "doc: t: unknown key \"zzzzzz\" (expected one of name, count, ratio, on, "
		      "value, node, length, note)");
	check_refused("{\"t\": []}", "doc: t: expected an object, found an array");
	check_refused("{\"t\": {\"name\": 1}}", "doc: t.name: expected a string, found 1");
	check_refused("{\"t\": {\"name\": {}}}", "doc: t.name: expected a string, found an object");
	check_refused("{\"t\": {\"count\": 1.0}}", "doc: t.count: expected an integer, found 1.0");
	check_refused("{\"t\": {\"count\": null}}",
		      "doc: t.count: expected an integer, found null");
	check_refused("{\"t\": {\"ratio\": true}}", "doc: t.ratio: expected a number, found true");
	check_refused("{\"t\": {\"ratio\": []}}",
		      "doc: t.ratio: expected a number, found an array");
	check_refused("{\"t\": {\"on\": 1}}", "doc: t.on: expected true or false, found 1");
	check_refused("{\"t\": {\"value\": \"yes\"}}",
		      "doc: t.value: expected a number, true or false, found the string \"yes\"");
	check_refused("{\"t\": {\"length\": 1}}", "doc: t.length: expected an array");
}

static void test_alloc(void)
{
	struct json_doc *doc = open_text("[1]");
	unsigned char *a = json_alloc(json_root(doc), 100);
	double *b = json_alloc(json_first(json_root(doc)), sizeof *b);
	tap_ok(a && b, "memory of a document");
	if (a && b) {
		tap_ok(a[0] == 0 && a[99] == 0 && *b == 0, "is zero");
		memset(a, 1, 100);
		tap_ok(*b == 0, "and each piece is its own");
	}
	json_close(doc);
}

/* ---- writing ---- */

static void test_write(void)
{
	struct buf b = {0};
	struct json_writer w = {.out = &b};
	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "s", "a\"\\\n\t\x01/\xC3\xA9\xFF\xED\xA0\x80z");
	json_write_string(&w, "none", NULL);
	json_write_begin(&w, "list", '[');
	json_write_int(&w, NULL, -5);
	json_write_real(&w, NULL, 0.1);
	json_write_real(&w, NULL, 3);
	json_write_real(&w, NULL, INFINITY);
	json_write_bool(&w, NULL, true);
	json_write_value(&w, NULL, value_bool(false));
	json_write_begin(&w, NULL, '{');
	json_write_end(&w, '}');
	json_write_end(&w, ']');
	json_write_int(&w, "k\"", 1);
	json_write_end(&w, '}');
	tap_str(buf_str(&b),
		"{\"s\":\"a\\\"\\\\\\n\\t\\u0001/\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
		"\xEF\xBF\xBDz\",\"none\":null,\"list\":[-5,0.1,3.0,null,true,false,{}],"
		"\"k\\\"\":1}",
		"everything at once");
	struct json_doc *doc = open_text(buf_str(&b));
	struct buf copy = {0};
	w = (struct json_writer){.out = &copy};
	json_write_node(&w, NULL, json_root(doc));
	tap_str(buf_str(&copy), buf_str(&b), "a copy of what was read is the same");
	json_close(doc);
	buf_fini(&copy);
	buf_fini(&b);
}

static void test_reals(void)
{
	static const double reals[] = {0.1, 1e300, 5e-324, 1.0 / 3, 9007199254740993.0, -0.0, 1e22};
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
		struct buf b = {0};
		struct value v = value_int(0);
		struct asc_err e;
		json_write_real(&(struct json_writer){.out = &b}, NULL, reals[i]);
		struct json_doc *doc = open_text(buf_str(&b));
		tap_ok(!json_get_value(json_root(doc), &v, &e) && v.kind == VALUE_REAL &&
			       v.r == reals[i] && !signbit(v.r) == !signbit(reals[i]),
		       "%s reads back to the same number", buf_str(&b));
		json_close(doc);
		buf_fini(&b);
	}
}

static void test_file(void)
{
	struct json_doc *doc = NULL;
	struct asc_err e;
	tap_int(json_open_file("/nowhere/x.json", &doc, &e), ASC_NOTFOUND,
		"a file that is not there");
	tap_has(e.text, "/nowhere/x.json", "is named");
	tap_ok(!json_open_file(PROJECT_ROOT "/CMakePresets.json", &doc, &e), "a file");
	tap_ok(json_find(json_root(doc), "version") != NULL, "was read");
	json_close(doc);
}

/* ---- lines for people ---- */

static void check_lines(const char *text, const char *want)
{
	struct buf out = {0};
	json_print_lines(text, &out);
	tap_str(buf_str(&out), want, "lines of %.40s", text);
	buf_fini(&out);
}

static void test_lines(void)
{
	static const char flat[] = "{\"a,b\":[1,{\"c\":\"}\\\"\"}]}";
	struct buf long_one = {0}, want = {0};
	check_lines(flat, "{\"a,b\": [1, {\"c\": \"}\\\"\"}]}\n");
	check_lines("[]", "[]\n");
	buf_print(&long_one, "{\"k\":[\"%0100d\",{}],\"l\":%s}", 0, flat);
	buf_print(&want,
		  "{\n  \"k\": [\n    \"%0100d\",\n    {}\n  ],\n  \"l\": {\"a,b\": [1, "
		  "{\"c\": \"}\\\"\"}]}\n}\n",
		  0);
	check_lines(buf_str(&long_one), buf_str(&want));
	buf_fini(&long_one);
	buf_fini(&want);
}

/* ---- all faults of a document ---- */

struct gathered {
	int64_t a, b;
	const char *s;
};

static const struct json_field gathered_fields[] = {
	{"alpha", JSON_AS_INT, true, offsetof(struct gathered, a), NULL, NULL},
	{"b", JSON_AS_INT, true, offsetof(struct gathered, b), NULL, NULL},
	{"s", JSON_AS_STRING, true, offsetof(struct gathered, s), NULL, NULL},
	{0}};

static void test_gathering(void)
{
	static const struct json_spec spec = {"gathered", gathered_fields};
	static const char text[] = "{\"s\": 1, \"b\": 9007199254740993, \"s\": \"x\", \"alpa\": 5}";
	static const char *const want[] = {
		"doc: s: expected a string, found 1",
		"doc: b: integers beyond 2^53 = 9007199254740992 are not exact",
		"doc: key \"s\" appears twice",
		"doc: unknown key \"alpa\" (did you mean \"alpha\"?)"};
	const size_t n = sizeof want / sizeof *want;
	struct gathered out = {0};
	struct json_doc *doc = NULL;
	struct asc_err e;

	if (!tap_ok(!json_open_gathering("doc", text, strlen(text), &doc, &e),
		    "a document with faults in keys and numbers is open"))
		return;
	const struct json_node *root = json_root(doc);

	tap_int(json_read_object(root, &spec, &out, &e), ASC_INPUT, "reading it fails");
	tap_ok(!json_ends(root, ASC_INPUT) && json_ends(root, ASC_NOMEM),
	       "reading goes on behind faults, not behind a lack of memory");
	tap_ok(json_fail(json_find(root, "s"), &e, "again") == ASC_INPUT,
	       "a second fault of a value");
	tap_ok(json_is_faulty(json_find(root, "s")) && !json_is_faulty(root) &&
		       !json_is_sound(root) && json_has_stray(root),
	       "marks of values and of what is around them");
	if (tap_int(json_end_gathering(doc), n, "each fault is noted once"))
		for (size_t i = 0; i < n; i++)
			tap_str(json_fault_text(doc, i), want[i],
				"fault %zu in the order of the file", i);
	tap_ok(json_ends(root, ASC_INPUT), "a document that gathers no more ends at a fault");
	json_close(doc);
}

static void test_many_faults(void)
{
	struct buf text = {0};
	struct json_doc *doc = NULL;
	struct asc_err e;
	size_t n = 0;

	buf_add_str(&text, "[1");
	for (size_t i = 0; i < 2 * JSON_MAX_FAULTS; i++)
		buf_add_str(&text, ",1");
	buf_add_str(&text, "]");
	if (!tap_ok(!json_open_gathering("doc", buf_str(&text), text.len, &doc, &e), "opens"))
		return;
	for (const struct json_node *c = json_first(json_root(doc)); c; c = json_next(c), n++)
		if (json_ends(c, json_fail(c, &e, "is wrong")))
			break;
	tap_int(n, JSON_MAX_FAULTS - 1, "after so many faults no other is looked for");
	tap_int(json_end_gathering(doc), JSON_MAX_FAULTS, "those are noted");
	json_close(doc);
	buf_fini(&text);
}

int main(void)
{
	test_bad();
	test_nul();
	test_depth();
	test_many();
	test_values();
	test_absent();
	test_list();
	test_find();
	test_path();
	test_rows();
	/* Rows in memory that they share; all that follows is read by cJSON with our functions. */
	json_set_up_process();
	test_rows();
	test_strings();
	test_spec();
	test_spec_refuses();
	test_alloc();
	test_write();
	test_reals();
	test_file();
	test_lines();
	test_gathering();
	test_many_faults();
	return tap_done();
}
