/* Configurations as text, and back.
 * covers: config.c */
#include "tuner/workload/space/config.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/workload/limits/facts.h"

static const char *const names[] = {"BLOCK_N", "BLOCK_M", "scale", "pack", NULL};

static void test_print(void)
{
	const struct config c = {4,
				 {value_int(64), value_int(-8), value_real(0.1), value_bool(true)}};
	struct buf b = {0};

	config_print(&c, names, &b);
	tap_str(buf_str(&b), "BLOCK_N=64,BLOCK_M=-8,scale=0.1,pack=true", "in the file's order");
	buf_clear(&b);
	config_key(&c, names, &b);
	tap_str(buf_str(&b), "BLOCK_M=-8,BLOCK_N=64,pack=true,scale=0.1", "the key is sorted");
	buf_clear(&b);
	config_print(&(struct config){0}, names, &b);
	tap_str(buf_str(&b), "", "no parameters");
	buf_fini(&b);
}

static void test_key_ignores_order(void)
{
	static const char *const one[] = {"b", "a", "c"}, *const other[] = {"c", "b", "a"};
	const struct config x = {3, {value_int(2), value_int(1), value_int(3)}};
	const struct config y = {3, {value_int(3), value_int(2), value_int(1)}};
	struct buf bx = {0}, by = {0};

	config_key(&x, one, &bx);
	config_key(&y, other, &by);
	tap_str(buf_str(&bx), buf_str(&by), "the key does not depend on the file's order");
	buf_fini(&bx);
	buf_fini(&by);
}

static void test_parse(void)
{
	struct config c;
	struct asc_err e;

	tap_ok(config_parse("pack=True,scale=2,BLOCK_M=8,BLOCK_N=16", names, 4, &c, &e) == ASC_OK,
	       "any order");
	tap_int(c.n, 4, "all of them");
	tap_ok(value_equal(c.values[0], value_int(16)) && value_equal(c.values[1], value_int(8)) &&
		       value_equal(c.values[2], value_int(2)) && value_truth(c.values[3]),
	       "values stand in the file's order");
	tap_ok(config_parse("", names, 0, &c, &e) == ASC_OK && c.n == 0, "nothing to name");
}

static void test_parse_over(void)
{
	struct config c = {4, {value_int(1), value_int(2), value_int(3), value_bool(false)}};
	bool given[CONFIG_MAX_PARAMETERS];
	struct asc_err e;

	tap_ok(config_parse_over("pack=True, BLOCK_M=8", names, &c, given, &e) == ASC_OK,
	       "some of them, a blank after the comma");
	tap_ok(value_equal(c.values[0], value_int(1)) && value_equal(c.values[1], value_int(8)) &&
		       value_equal(c.values[2], value_int(3)) && value_truth(c.values[3]),
	       "the others keep their values");
	tap_ok(!given[0] && given[1] && !given[2] && given[3], "which were given is said");
}

static void test_errors(void)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"BLOCK_N=1,BLOCK_M=1,scale=1", "parameter \"pack\" has no value"},
		{"BLOCK_N=1, scale=1", "parameters \"BLOCK_M\", \"pack\" have no value"},
		{"BLOCK_N=1,BLOCK_N=1", "parameter \"BLOCK_N\" is given twice"},
		{"BLOCK_K=1", "unknown parameter \"BLOCK_K\", did you mean \"BLOCK_"},
		{"zzzzzzzz=1", "unknown parameter \"zzzzzzzz\""},
		{"BLOCK=1", "unknown parameter \"BLOCK\""},
		{"BLOCK_N", "expected NAME=VALUE, found \"BLOCK_N\""},
		{"BLOCK_N=1,,BLOCK_M=1", "expected NAME=VALUE, found \"\""},
		{"BLOCK_N=1,", "expected NAME=VALUE after the last ','"},
		{"BLOCK_N=",
		 "BLOCK_N: expected a number, a truth value or a text of the space, found \"\""},
		{"BLOCK_N=x1",
		 "BLOCK_N: expected a number, a truth value or a text of the space, found \"x1\""},
		{"=1", "unknown parameter \"\""},
	};
	struct config c;
	struct asc_err e;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(config_parse(cases[i].text, names, 4, &c, &e), ASC_INPUT, "'%s' is refused",
			cases[i].text);
		tap_has(e.text, cases[i].message, "'%s' says why", cases[i].text);
	}
}

static void test_facts(void)
{
	struct facts f = {0};
	enum fact id = FACT_COUNT;

	facts_set(&f, FACT_THREADS, 0);
	facts_set(&f, FACT_L2_BYTES, -1);
	facts_set(&f, FACT_LINE_BYTES, 64);
	tap_ok(!f.known[FACT_THREADS] && !f.known[FACT_L2_BYTES], "below 1 is unknown");
	tap_ok(f.known[FACT_LINE_BYTES] && f.value[FACT_LINE_BYTES] == 64, "64 is known");
	tap_ok(facts_find("ub_bytes", &id) && id == FACT_UB_BYTES, "found by name");
	tap_ok(!facts_find("device.ub_bytes", &id) && !facts_find("", &id), "not by other names");
	tap_str(facts_name(FACT_WARP_SIZE), "warp_size", "name");
}

int main(void)
{
	test_print();
	test_key_ignores_order();
	test_parse();
	test_parse_over();
	test_errors();
	test_facts();
	return tap_done();
}
