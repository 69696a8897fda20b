/* The policy: members, text and JSON.
 * covers: policy.c */
#include "tuner/worker/policy.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/result/result.h"

static enum asc_status read_text(const char *text, struct policy *out, struct asc_err *e)
{
	struct json_doc *doc;

	if (json_open_text("policy", text, strlen(text), &doc, e))
		return e->status;
	enum asc_status s = policy_read_json(json_root(doc), out, e);
	json_close(doc);
	return s;
}

static void test_round_trip(void)
{
	struct policy r = policy_default, back = {0};
	struct buf text = {0};
	struct asc_err e;

	r.cache = CACHE_HOT;
	memset(r.tests.checks, 0, sizeof r.tests.checks);
	r.tests.checks[0] = 4;
	r.tests.margin = 0.1;
	policy_write_json(&r, NULL, &(struct json_writer){.out = &text});
	tap_int(read_text(buf_str(&text), &back, &e), ASC_OK, "reads what it writes");
	tap_ok(memcmp(&r, &back, sizeof r) == 0, "and gets the same policy");
	buf_clear(&text);
	policy_write_json(&policy_default, NULL, &(struct json_writer){.out = &text});
	tap_int(read_text(buf_str(&text), &back, &e), ASC_OK, "the default policy is a valid one");
	buf_fini(&text);
}

/* The default policy as text, with `from` replaced by `to`. */
static void change(const char *from, const char *to, struct buf *out)
{
	struct buf text = {0};

	policy_write_json(&policy_default, NULL, &(struct json_writer){.out = &text});
	const char *at = strstr(buf_str(&text), from);
	if (!tap_ok(at != NULL, "%s is in the policy", from))
		at = text.data;
	buf_clear(out);
	buf_add(out, text.data, (size_t)(at - text.data));
	buf_add_str(out, to);
	buf_add_str(out, at + strlen(from));
	buf_fini(&text);
}

static void test_refused(void)
{
	static const struct {
		const char *from, *to, *word;
	} cases[] = {
		{"\"warmup\":2", "\"warmup\":-1", "warmup"},
		{"\"min_samples\":3", "\"min_samples\":0", "min_samples"},
		{"\"min_samples\":3", "\"min_samples\":33", "less than min_samples 33"},
		{"\"p_slow\":0.01", "\"p_slow\":-0.5", "p_slow"},
		{"\"limit_ns\":", "\"limits_ns\":", "limit_ns"},
		{"\"cache\":\"cold\"", "\"cache\":\"warm\"", "expected cold or hot"},
		{"\"finals_far\":4", "\"finals_far\":5", "finals_far: is 5, expected 4"},
		{"\"pairs\":5", "\"pairs\":6", "pairs: is 6, expected 5"},
		{"[2,3,", "[2,2,", "checks[1]: is 2, expected more than 2"},
		{"[2,3,5,8,12,18,25]", "7", "expected an array of at most 16"},
	};
	struct buf text = {0};
	struct policy r;
	struct asc_err e;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		change(cases[i].from, cases[i].to, &text);
		tap_int(read_text(buf_str(&text), &r, &e), ASC_INPUT, "refused: %s", cases[i].to);
		tap_has(e.text, cases[i].word, "says why");
	}
	buf_fini(&text);
}

static void test_repeats(void)
{
	struct policy r = policy_default;

	policy_fix_repeats(&r, -1, -1);
	tap_ok(memcmp(&r, &policy_default, sizeof r) == 0, "negative numbers change nothing");
	policy_fix_repeats(&r, 0, -1);
	tap_int(r.sampling.warmup, 0, "warm-up alone");
	tap_int(r.sampling.max_samples, policy_default.sampling.max_samples, "leaves the samples");
	policy_fix_repeats(&r, -1, 7);
	tap_int(r.sampling.min_samples, 7, "at least the repeats asked for");
	tap_int(r.sampling.max_samples, 7, "and at most");
	tap_int(r.sampling.sample_ns, 0, "of one launch each");
	tap_int(r.sampling.warmup, 0, "repeats leave the warm-up");
	tap_ok(!policy_races(&r) && r.tests.checks[0] == 0 && r.noise.extra == 0,
	       "none is dropped or repeated");
}

static void test_score(void)
{
	static const struct {
		enum result_status status;
		size_t samples;
		double score;
	} cases[] = {{RESULT_OK, 9, 120},           {RESULT_SLOW, 2, 120},
		     {RESULT_UNDECIDED, 9, 120},    {RESULT_OK, 0, INFINITY},
		     {RESULT_CRASHED, 9, INFINITY}, {RESULT_PLANNED, 0, INFINITY}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct result r = {.status = cases[i].status,
					 .n_samples = cases[i].samples,
					 .time = {.median = 120}};

		tap_ok(policy_score(&policy_default, &r) == cases[i].score,
		       "score of %s with %zu samples", result_status_name(r.status), r.n_samples);
	}
}

static void test_limits(void)
{
	struct policy r = policy_default;

	tap_int(policy_limit_ns(&r, 0, 1), 15000000000, "nothing to compare with: the whole limit");
	tap_int(policy_limit_ns(&r, 1e6, 16), 2000000000, "1 ms: 2 s");
	tap_int(policy_limit_ns(&r, 1e8, 1), 5000000000, "100 ms: 50 times that");
	tap_int(policy_limit_ns(&r, 1e9, 1), 15000000000, "1 s: never above the limit");
	r.limit_ns = 1000000000;
	tap_int(policy_limit_ns(&r, 1e6, 1), 1000000000, "nor above a limit that is given");
}

int main(void)
{
	test_round_trip();
	test_refused();
	test_repeats();
	test_score();
	test_limits();
	return tap_done();
}
