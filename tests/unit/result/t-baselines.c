/* Names of baselines as they are recorded, and their times as text and back.
 * covers: baselines.c */
#include "tuner/result/baselines.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

static struct asc_err e;

static void test_names(void)
{
	char names[] = "eager,compiled", more[] = "a,b,c,d,e";
	struct baselines b = baselines_split(names);

	tap_int(baselines_find("eager,compiled", "eager"), 0, "the first");
	tap_int(baselines_find("eager,compiled", "compiled"), 1, "the second");
	tap_int(baselines_find("eager,compiled", "comp"), -1, "a part of a name is none");
	tap_int(baselines_find("eager", "eager,compiled"), -1, "nor is a longer one");
	tap_int(baselines_find(NULL, "eager"), -1, "none are named");
	tap_int(baselines_find("", "eager"), -1, "nor by an empty text");
	tap_int((long long)b.n, 2, "two names");
	tap_str(b.list[0].name, "eager", "in order");
	tap_str(b.list[1].name, "compiled", "without the comma");
	tap_ok(b.list[0].ns == 0 && !b.list[2].name, "without times");
	tap_int((long long)baselines_split(more).n, BASELINES_MAX, "a later version's are cut off");
	tap_int((long long)baselines_split(NULL).n, 0, "none");
}

static void test_json(void)
{
	static const struct baselines b = {{{"eager", 1200, 1.5}, {"compiled", 0, 0}}, 2};
	struct json_doc *doc = NULL;
	struct baselines back;
	struct buf out = {0};

	baselines_write_json(&b, &out);
	tap_str(buf_str(&out),
		"[{\"implementation\":\"eager\",\"ns\":1200.0,\"ratio\":1.5},"
		"{\"implementation\":\"compiled\"}]",
		"what is not known is left out");
	tap_int(json_open_text("t", buf_str(&out), out.len, &doc, &e), ASC_OK, "an array");
	tap_int(baselines_read_json(json_root(doc), &back, &e), ASC_OK, "is read");
	tap_ok(back.n == 2 && back.list[0].ns == 1200 && back.list[0].ratio == 1.5 &&
		       back.list[1].ns == 0 && strcmp(back.list[1].name, "compiled") == 0,
	       "as it was");
	json_close(doc);
	buf_fini(&out);
}

static void refuse(const char *text, const char *why)
{
	struct json_doc *doc = NULL;
	struct baselines back;

	tap_int(json_open_text("t", text, strlen(text), &doc, &e), ASC_OK, "%s", text);
	tap_int(baselines_read_json(json_root(doc), &back, &e), ASC_INPUT, "is refused");
	tap_has(e.text, why, "with its reason");
	json_close(doc);
}

int main(void)
{
	test_names();
	test_json();
	refuse("{}", "expected an array");
	refuse("[{\"ns\": 1}]", "implementation");
	refuse("[{},{},{},{},{}]", "has 5 baselines, expected at most 4");
	return tap_done();
}
