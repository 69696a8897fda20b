#include "tuner/run/rule.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json.h"

static enum asc_status read_text(const char *text, struct rule *out, struct asc_err *e)
{
	struct json_doc *doc;

	if (json_open_text("rule", text, strlen(text), &doc, e))
		return e->status;
	enum asc_status s = rule_read_json(json_root(doc), out, e);
	json_close(doc);
	return s;
}

static void test_round_trip(void)
{
	const struct rule r = {1, 2, 3, 4, 5, 6};
	struct rule back = {0};
	struct buf text = {0};
	struct asc_err e;

	rule_write_json(&r, NULL, &(struct json_writer){.out = &text});
	tap_int(read_text(buf_str(&text), &back, &e), ASC_OK, "reads what it writes");
	tap_ok(memcmp(&r, &back, sizeof r) == 0, "and gets the same rule");
	buf_clear(&text);
	rule_write_json(&rule_default, NULL, &(struct json_writer){.out = &text});
	tap_int(read_text(buf_str(&text), &back, &e), ASC_OK, "the default rule is a valid one");
	buf_fini(&text);
}

static void test_refused(void)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{"{\"warmup\":-1,\"min_samples\":1,\"max_samples\":1,\"max_ns\":0,\"sample_ns\":0,"
		 "\"limit_ns\":1}",
		 "warmup"},
		{"{\"warmup\":0,\"min_samples\":0,\"max_samples\":1,\"max_ns\":0,\"sample_ns\":0,"
		 "\"limit_ns\":1}",
		 "min_samples"},
		{"{\"warmup\":0,\"min_samples\":9,\"max_samples\":8,\"max_ns\":0,\"sample_ns\":0,"
		 "\"limit_ns\":1}",
		 "less than min_samples 9"},
		{"{\"warmup\":0,\"min_samples\":1,\"max_samples\":1,\"max_ns\":0,\"sample_ns\":0}",
		 "limit_ns"},
		{"{\"warmups\":0}", "warmup"},
	};
	struct rule r;
	struct asc_err e;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(read_text(cases[i].text, &r, &e), ASC_INPUT, "refused: %s", cases[i].text);
		tap_has(e.text, cases[i].word, "says why");
	}
}

static void test_repeats(void)
{
	struct rule r = rule_default;

	rule_fix_repeats(&r, -1, -1);
	tap_ok(memcmp(&r, &rule_default, sizeof r) == 0, "negative numbers change nothing");
	rule_fix_repeats(&r, 0, -1);
	tap_int(r.warmup, 0, "warm-up alone");
	tap_int(r.max_samples, rule_default.max_samples, "leaves the samples");
	rule_fix_repeats(&r, -1, 7);
	tap_int(r.min_samples, 7, "at least the repeats asked for");
	tap_int(r.max_samples, 7, "and at most");
	tap_int(r.sample_ns, 0, "of one launch each");
	tap_int(r.warmup, 0, "repeats leave the warm-up");
}

int main(void)
{
	test_round_trip();
	test_refused();
	test_repeats();
	return tap_done();
}
