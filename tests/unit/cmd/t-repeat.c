#include "tuner/cmd/repeat.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/run_options.h"
#include "tuner/workload/rewrite.h"

static void test_words(void)
{
	static const struct {
		const char *word, *text;
	} cases[] = {
		{"plain-1.json", "plain-1.json"},
		{"A=1,B=-2", "A=1,B=-2"},
		{"", "''"},
		{"two words", "'two words'"},
		{"it's", "'it'\\''s'"},
		{"$(rm x)", "'$(rm x)'"},
		{"a\nb", "'a\nb'"},
		{"gr\xc3\xb6\xc3\x9f"
		 "e",
		 "'gr\xc3\xb6\xc3\x9f"
		 "e'"},
		{"~", "'~'"},
		{"a;b", "'a;b'"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = {0};

		repeat_add_word(&out, cases[i].word);
		tap_str(buf_str(&out), cases[i].text, "word %zu", i);
		buf_fini(&out);
	}
}

static void check_trial(const struct run_options *o, const char *file, const char *config,
			const char *want, const char *what)
{
	struct buf out = {0};

	repeat_add_trial(&out, o, &(struct repeat_trial){file, "p", "i", config});
	tap_str(buf_str(&out), want, "%s", what);
	buf_fini(&out);
}

static void test_trial(void)
{
	struct run_options o = {.policy = policy_default};

	check_trial(&o, "w.json", "A=1,B=2", "asctune run w.json -p p --impl i --config A=1,B=2",
		    "what the defaults say is not repeated");
	o.device = "cpu";
	o.policy.cache = CACHE_HOT;
	o.policy.limit_ns = 2500000;
	o.rewrites_off = rewrite_bit(rewrite_list[0]);
	struct buf want = {0};

	buf_print(&want,
		  "asctune run 'my w.json' -D cpu -p p --impl i --config '' --cache hot"
		  " --limit 2500us --no-rewrite %s",
		  rewrite_list[0]->name);
	check_trial(&o, "my w.json", "", buf_str(&want), "what was asked for is");
	buf_fini(&want);
}

int main(void)
{
	test_words();
	test_trial();
	return tap_done();
}
