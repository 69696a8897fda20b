/* Dispatch tables: which results make rules, under which names, and rules that overlap.
 * covers: dispatch.c dispatch_rules.c rule.c */
#include "reports/tables/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static struct asc_err e;

static const char names[] = "{\"lib\":{\"operator\":\"Gemm\",\"sizes\":{\"m\":\"M\",\"n\":\"N\"}}}";

static struct best_row result(const char *problem, const char *dims)
{
	return (struct best_row){.workload = "gemm",
				 .operator_name = "gemm",
				 .problem = problem,
				 .dims_json = dims,
				 .device_kind = "cuda",
				 .device_model = "H200",
				 .cache_policy = "cold",
				 .implementation = "cublaslt",
				 .implementation_index = 1,
				 .config_json = "{\"A\":1}",
				 .config_key = "A=1",
				 .recorded_at = "2026-01-01T00:00:00Z",
				 .median_ns = 1000,
				 .export_json = names};
}

static const char *const sizes =
	"{\"dims\":{\"N\":8,\"M\":4,\"last\":true},\"dtypes\":{\"T\":\"f16\"}}";

static void add(struct dispatch *t, const struct best_row *r)
{
	tap_int(dispatch_add(t, r, false, &e), ASC_OK, "%s is added", r->problem);
}

static const struct dispatch_terms as_library = {.library = "lib", .indices = true};

/* The reason why a result alone makes no rule; "": it makes one. */
static const char *reason_of(const struct best_row *r, const struct dispatch_terms *terms)
{
	static char text[512];
	struct dispatch t = {0};

	add(&t, r);
	tap_int(dispatch_add_rules(&t, terms, &e), ASC_OK, "rules");
	snprintf(text, sizeof text, "%s", t.rows[0].left_out ? t.rows[0].left_out : "");
	tap_int((long)t.n_rules, !*text, "a rule, or a reason");
	dispatch_fini(&t);
	return text;
}

/* An index that was measured as the library is called in Python and as its operators: the call
 * alone makes a rule, whichever is faster. */
static void test_called(void)
{
	static const char with_python[] =
		"{\"lib\":{\"operator\":\"Gemm\",\"sizes\":{\"m\":\"M\",\"n\":\"N\"}},"
		"\"$python\":[\"other\",\"call\"]}";
	struct best_row operators = result("a", sizes), call = operators, other = operators;
	struct dispatch t = {0};

	call.implementation = "call";
	call.median_ns = 1100;
	other.implementation = "third";
	other.implementation_index = 2;
	call.export_json = operators.export_json = other.export_json = with_python;
	add(&t, &operators);
	add(&t, &call);
	add(&t, &other);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "an index twice");
	tap_int((long)t.n_rules, 2, "a rule for each index");
	tap_str(t.rules[0].implementation, "call", "that of the call");
	tap_str(t.rows[0].left_out, "index 1 was measured as the library is called, too: call",
		"the reason");
	dispatch_fini(&t);
	tap_str(reason_of(&operators, &as_library), "", "without the call the operators make one");
}

static void test_names(void)
{
	const struct dispatch_terms own = {0};
	struct best_row r = result("a", sizes);
	struct dispatch t = {0};
	char text[64];

	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &own, &e), ASC_OK, "rules by the workload's own names");
	rule_print_sizes(&t.rules[0], text, sizeof text);
	tap_str(text, "M=4, N=8, last=1", "sizes are sorted, a truth value is 0 or 1");
	tap_str(t.rows[0].types[0].type, "f16", "with its type");
	dispatch_fini(&t);
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "rules by a library's names");
	rule_print_sizes(&t.rules[0], text, sizeof text);
	tap_str(text, "m=4, n=8", "sizes as the library calls them, no others");
	tap_str(t.rows[0].op, "Gemm", "and the operator");
	dispatch_fini(&t);
	r.export_json =
		"{\"lib\":{\"operator\":\"Gemm\",\"types\":{\"a\":\"T\",\"mode\":\"mean\"}}}";
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "types by a library's names");
	tap_str(t.rules[0].types[0].type, "f16", "a type variable");
	tap_str(t.rules[0].types[1].type, "mean", "and a text that is none");
	dispatch_fini(&t);
}

/* A problem without the sizes that the library asks with leaves the others as they are. */
static void test_bad_sizes(void)
{
	struct best_row bad = result("bad", "{\"dims\":{\"M\":4},\"dtypes\":{}}");
	struct best_row good = result("good", sizes);
	struct dispatch_terms one = as_library;
	struct dispatch t = {0};

	add(&t, &bad);
	add(&t, &good);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "a problem without a size");
	tap_has(t.rows[0].left_out, "\"N\" is no size of problem bad", "makes no rule");
	tap_ok(t.rows[0].said && t.n_rules == 1 && t.rules[0].row == 1, "the other one does");
	dispatch_fini(&t);
	one.problem = "good";
	add(&t, &bad);
	add(&t, &good);
	tap_int(dispatch_add_rules(&t, &one, &e), ASC_OK, "where the other was asked for");
	tap_ok(!t.rows[0].said && t.n_rules == 1, "it is not spoken of");
	dispatch_fini(&t);
}

/* Problems of two workloads may have one name. */
static void test_asked(void)
{
	static const char *const asked[] = {"gemm/good", "good", "gemv/good", "gemm/", "gem/good"};
	static const size_t expected[] = {1, 1, 0, 0, 0};
	struct best_row good = result("good", sizes);
	struct dispatch_terms one = as_library;

	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		struct dispatch t = {0};

		one.problem = asked[i];
		add(&t, &good);
		tap_int(dispatch_add_rules(&t, &one, &e), ASC_OK, "%s is asked for", asked[i]);
		tap_int((long)t.n_rules, (long)expected[i], "rules of gemm/good");
		dispatch_fini(&t);
	}
}

/* The library takes another implementation by itself than the workload's baseline. */
static void test_own_default(void)
{
	struct best_row r = result("a", sizes);
	struct dispatch t = {0};

	r.default_ns = r.median_ns / 2;
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "slower than the default");
	tap_int((long)t.n_rules, 0, "makes no rule");
	dispatch_fini(&t);
	r.export_json = "{\"lib\":{\"operator\":\"Gemm\",\"default_index\":7}}";
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "where the default is another");
	if (tap_int((long)t.n_rules, 1, "it makes one"))
		tap_ok(t.rows[0].rival_index == 7 && !t.rows[0].rival && t.rows[0].rival_ns == 0,
		       "whose default was not measured");
	dispatch_fini(&t);
}

static void test_left_out(void)
{
	struct best_row r = result("a", sizes);
	struct dispatch_terms foreign = as_library;

	tap_str(reason_of(&r, &as_library), "", "a result makes a rule");
	r.implementation_index = -1;
	tap_has(reason_of(&r, &as_library), "no \"index\"", "not without an index");
	r = result("a", "{\"dims\":{\"M\":4,\"N\":0.5}}");
	tap_has(reason_of(&r, &as_library), "\"N\" is no size", "nor with sizes that are none");
	r = result("a", "{\"dims\":");
	tap_has(reason_of(&r, &as_library), "problem_values:1", "nor with damaged ones");
	r = result("a", sizes);
	r.device_model = NULL;
	tap_has(reason_of(&r, &as_library), "its device's model is not recorded",
		"nor of a device without a model");
	r = result("a", sizes);
	r.operator_name = NULL;
	tap_has(reason_of(&r, &(struct dispatch_terms){0}), "its operator is not recorded",
		"nor without an operator");
	r = result("a", sizes);
	r.export_json = NULL;
	tap_has(reason_of(&r, &as_library), "`asctune run FILE --resume`",
		"what an older version did not record is said, with the command that does");
	r.export_json = "{\"other\":{\"operator\":\"X\"}}";
	tap_has(reason_of(&r, &as_library), "does not name its operator in lib",
		"and so is a workload that does not name the library");
	r.export_json = "{\"lib\":{\"operator\":\"Gemm\",\"kernels\":{\"cublaslt\":\"d1\"}}}";
	r.source_digest = "d2";
	tap_has(reason_of(&r, &as_library), "--foreign-kernel",
		"another kernel than the library's");
	foreign.foreign_kernels = true;
	tap_str(reason_of(&r, &foreign), "", "may be asked for");
	r.source_digest = "d1";
	tap_str(reason_of(&r, &as_library), "", "the library's own need not");
}

static void test_rival(void)
{
	struct best_row r = result("a", sizes);

	r.default_ns = 999;
	tap_has(reason_of(&r, &as_library), "the default, cublaslt, 0.999 us in the same rounds",
		"slower than the default configuration");
	r.baselines.list[0].name = "cublas";
	r.baselines.list[0].ns = 1001;
	tap_str(reason_of(&r, &as_library), "", "the baseline counts where there is one");
	r.baselines.list[0].ns = 999;
	tap_has(reason_of(&r, &as_library), "the default, cublas,", "slower than the baseline");
}

static void test_places(void)
{
	struct dispatch t = {0};
	struct best_row r = result("a", sizes);

	r.cache_policy = "hot";
	r.recorded_at = "2026-03-01T00:00:00Z";
	add(&t, &r);
	add(&t, &(struct best_row){0});
	t.rows[1].left_out = "an empty one";
	r.cache_policy = "cold";
	r.recorded_at = "2026-01-01T00:00:00Z";
	r.config_key = "old";
	add(&t, &r);
	r.recorded_at = "2026-02-01T00:00:00Z";
	r.config_key = "new";
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "three results of one problem");
	tap_int((long)t.n_rules, 1, "make one rule");
	tap_str(t.rows[t.rules[0].row].result.config_key, "new", "cold first, then the newest");
	dispatch_fini(&t);
}

static void test_rival_index(void)
{
	struct dispatch t = {0};
	struct best_row r = result("a", sizes);

	r.baselines.list[0].name = "cublas";
	r.baselines.list[0].ns = 2000;
	add(&t, &r);
	r.implementation = "cublas";
	r.implementation_index = 0;
	r.median_ns = 2000;
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "two implementations");
	tap_int((long)t.n_rules, 2, "make two rules of the same sizes");
	tap_int(t.rows[0].rival_index, 0, "the index of the default is known");
	dispatch_fini(&t);
}

static void test_ladder(void)
{
	struct dispatch_terms ladder = as_library;
	struct best_row r = result("steps.M4", sizes);

	ladder.problem = "steps";
	tap_str(reason_of(&r, &ladder), "", "a ladder names its problems");
	ladder.problem = "step";
	tap_has(reason_of(&r, &ladder), "another problem was asked for", "and no others");
}

/* Sizes that differ in what the library does not name. */
static void test_same_key(void)
{
	static const char *const other =
		"{\"dims\":{\"N\":8,\"M\":4,\"last\":false},\"dtypes\":{\"T\":\"f16\"}}";
	struct dispatch t = {0};
	struct dispatch_terms one = as_library;
	struct best_row r = result("a", sizes);

	add(&t, &r);
	r = result("b", other);
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_INPUT, "two problems of one key");
	tap_has(e.text, "the rules of gemm/a (m=4, n=8) and gemm/b (m=4, n=8) overlap",
		"are named");
	dispatch_fini(&t);
	one.problem = "b";
	r = result("a", sizes);
	add(&t, &r);
	r = result("b", other);
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &one, &e), ASC_OK, "one may be chosen");
	tap_int((long)t.n_rules, 1, "it makes the rule");
	dispatch_fini(&t);
	r = result("a", sizes);
	add(&t, &r);
	r = result("a", sizes);
	r.workload = "other";
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_INPUT, "two workloads of one key");
	dispatch_fini(&t);
}

/* A problem that is a step of a ladder, too. */
static void test_same_problem(void)
{
	struct dispatch t = {0};
	struct best_row r = result("square", sizes);

	add(&t, &r);
	r = result("steps.M4", sizes);
	r.recorded_at = "2026-01-02T00:00:00Z";
	add(&t, &r);
	r = result("hot", sizes);
	r.cache_policy = "hot";
	r.recorded_at = "2026-01-03T00:00:00Z";
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "three names of one problem");
	tap_int((long)t.n_rules, 1, "make one rule");
	tap_int((long)t.rules[0].row, 1, "of the newest result with cold caches");
	tap_str(t.rows[0].left_out, "another result of the same problem comes first", "said so");
	dispatch_fini(&t);
}

static void test_types(void)
{
	struct dispatch t = {0};
	struct best_row r = result("a", "{\"dims\":{\"M\":4,\"N\":8},\"dtypes\":{\"T\":\"f16\"}}");

	add(&t, &r);
	r = result("b", "{\"dims\":{\"M\":4,\"N\":8},\"dtypes\":{\"T\":\"f16\",\"U\":\"f32\"}}");
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_OK, "other types do not overlap");
	dispatch_fini(&t);
	r = result("a", "{\"dims\":{\"M\":4,\"N\":8},\"dtypes\":{\"T\":\"f16\",\"U\":\"f16\"}}");
	add(&t, &r);
	r = result("b", "{\"dims\":{\"M\":4,\"N\":8},\"dtypes\":{\"T\":\"f16\"}}");
	add(&t, &r);
	tap_int(dispatch_add_rules(&t, &as_library, &e), ASC_INPUT,
		"types that are all the same are one type");
	dispatch_fini(&t);
}

int main(void)
{
	test_called();
	test_names();
	test_bad_sizes();
	test_asked();
	test_own_default();
	test_left_out();
	test_rival();
	test_places();
	test_rival_index();
	test_ladder();
	test_same_key();
	test_same_problem();
	test_types();
	return tap_done();
}
