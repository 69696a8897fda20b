/* Pairs of sides, measured in processes that each serve all pairs. What a process has seen, its
 * kernels leave in its environment: a kernel that is slow only behind another one tells that both
 * were there. Factors of ten and more are no matter of the machine. This program is its own worker.
 * covers: measure_again.c workers_ask.c worker_side.c */
#include "tuner/tune/measure_again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/device.h"
#include "tuner/process/channel.h"
#include "tuner/result/tie.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/worker/worker_verbs.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

static char folder[256];
static struct device_info info;
static struct asc_err e;

/* ---- workloads of a test ---- */

/* y = 2 x of N elements. The kernel leaves NAME in the environment; where it finds WAITS there, it
 * takes its time. */
static const char kernel[] = "#include <stdint.h>\n"
			     "#include <stdlib.h>\n"
			     "void scale(%s, int64_t n)\n"
			     "{\n"
			     "	volatile int64_t turns = getenv(\"%s\") ? 2000000 : 0;\n"
			     "	while (turns > 0)\n"
			     "		turns--;\n"
			     "	setenv(\"%s\", \"1\", 0);\n"
			     "	for (int64_t i = 0; i < n; i++)\n"
			     "		y[i] = %s * x[i];\n"
			     "}\n";

static const char text[] =
	"{\"asctune\": 1, \"name\": \"scale\", \"operator\": \"scale\", \"description\": \"\",\n"
	"\"problems\": [{\"name\": \"p\", \"dims\": {\"N\": %d}}],\n"
	"\"tensors\": {%s},\n"
	"\"reference\": {\"source\": \"reference.c\", \"entry\": \"reference\", \"arguments\":\n"
	"	[{\"tensor\": \"x\"}, {\"tensor\": \"y\"}, {\"scalar\": \"N\", \"type\": "
	"\"i64\"}]},\n"
	"\"implementations\": [{\"name\": \"c\", \"devices\": [\"cpu\"], \"builder\": \"cc\",\n"
	"	\"source\": \"kernel.c\", \"entry\": \"scale\", \"arguments\": [%s, {\"scalar\": "
	"\"N\", \"type\": \"i64\"}]}]}\n";

#define X "\"x\": {\"shape\": [\"N\"], \"dtype\": \"f32\", \"role\": \"in\", \"fill\": %s}"
#define Y                                                                                          \
	"\"y\": {\"shape\": [\"N\"], \"dtype\": \"f32\", \"role\": \"out\", \"verify\": "          \
	"{\"kind\": \"exact\"}}"
#define WIDE  "{\"kind\": \"uniform\", \"low\": -1, \"high\": 1}"
#define SHIFT "{\"kind\": \"uniform\", \"low\": 0, \"high\": 1}"

struct copy {
	const char *name; /* of its folder, and of what its kernel leaves behind */
	const char *waits;
	const char *factor;
	const char *fill;      /* of x */
	const char *reference; /* body of the reference's loop; NULL: the right one */
	int n;
	bool turned; /* tensors and arguments in the other order */
};

static void put(const char *in, const char *name, struct buf *content)
{
	char *path = path_join(in, name);

	if (!path || file_write(path, buf_str(content), content->len, &e))
		tap_ok(false, "%s: %s", name, e.text);
	buf_clear(content);
	free(path);
}

static struct workload *make(const struct copy *c)
{
	char *in = path_join(folder, c->name), *path;
	struct workload *w = NULL;
	struct buf out = {0}, x = {0}, tensors = {0};

	buf_print(&x, X, c->fill ? c->fill : WIDE);
	buf_print(&tensors, "%s, %s", c->turned ? Y : buf_str(&x), c->turned ? buf_str(&x) : Y);
	if (!in || dir_make(in, &e))
		tap_ok(false, "%s", e.text);
	buf_print(&out, text, c->n, buf_str(&tensors),
		  c->turned ? "{\"tensor\": \"y\"}, {\"tensor\": \"x\"}"
			    : "{\"tensor\": \"x\"}, {\"tensor\": \"y\"}");
	put(in, "w.json", &out);
	buf_print(&out, kernel, c->turned ? "float *y, const float *x" : "const float *x, float *y",
		  c->waits ? c->waits : "NOTHING", c->name, c->factor ? c->factor : "2");
	put(in, "kernel.c", &out);
	buf_print(&out,
		  "#include <stdint.h>\nvoid reference(const double *x, double *y, int64_t n)\n"
		  "{ for (int64_t i = 0; i < n; i++) %s; }\n",
		  c->reference ? c->reference : "y[i] = 2 * x[i]");
	put(in, "reference.c", &out);
	path = path_join(in, "w.json");
	if (workload_open(path, &w, &e))
		tap_ok(false, "%s", e.text);
	buf_fini(&out);
	buf_fini(&x);
	buf_fini(&tensors);
	free(path);
	free(in);
	return w;
}

enum { MOST = 3 };

struct bench {
	struct workload *of[MOST][CONFIRMATION_SIDES];
	struct again_pair pairs[MOST];
	size_t n;
};

static void add(struct bench *b, const struct copy *before, const struct copy *after)
{
	struct workload **of = b->of[b->n];

	of[0] = make(before);
	of[1] = make(after);
	b->pairs[b->n++] = (struct again_pair){
		.workload = of[1],
		.problem = "p",
		.sides = {{.what = "the base",
			   .workload = of[0],
			   .implementation = "c",
			   .config_key = ""},
			  {.what = "the head", .implementation = "c", .config_key = ""}}};
}

static void bench_fini(struct bench *b)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t k = 0; k < CONFIRMATION_SIDES; k++)
			workload_close(b->of[i][k]);
}

/* ---- measuring ---- */

static struct session open_session(void)
{
	const struct evaluator_target target = {.device = device_find("cpu"),
						.place = "",
						.info = &info,
						.cache = folder,
						.program = "/proc/self/exe",
						.build_jobs = 2};
	struct policy policy = policy_default;
	struct session s;

	policy.cache = CACHE_HOT;
	policy.finals.rounds = policy.finals.free = policy.finals.noisy = 8;
	policy.races = 0;
	session_init(&s, evaluator_find("worker"), &target, &policy);
	return s;
}

static void measure_by(struct bench *b, struct again_options o)
{
	struct session s = open_session();

	o.session = &s;
	o.seed = 1;
	if (o.early) { /* rounds that take long, of which time leaves some to the first process */
		s.policy.finals.rounds = s.policy.finals.free = s.policy.finals.noisy = 1000;
		s.policy.finals.ns = 50000000;
	}
	tap_int(measure_again(&o, b->pairs, b->n, &e), ASC_OK, "%zu pairs", b->n);
	session_fini(&s);
}

static void measure(struct bench *b, int64_t budget_ns)
{
	measure_by(b, (struct again_options){.budget_ns = budget_ns});
}

static enum confirmation_verdict judge(const struct again_pair *p)
{
	/* Not by the scatter of processes, which is the machine's. */
	const struct confirmation_ratio r = confirmation_find_ratio(&p->found);

	return confirmation_judge(&p->found, &r, TIE_MARGIN, CONFIRMATION_SAME_BELOW);
}

static void check_passed(const struct again_pair *p)
{
	tap_ok(p->reached && p->trouble.status == ASC_OK, "it has its turn");
	tap_str(p->found.reason, "", "nothing is against it");
	tap_int((int)p->found.n, CONFIRMATION_SESSIONS, "processes");
	for (size_t k = 0; k < p->found.n; k++)
		tap_ok(p->found.sessions[k].rounds >= 6 &&
			       p->found.sessions[k].time[0].n == p->found.sessions[k].rounds &&
			       p->found.sessions[k].time[1].n == p->found.sessions[k].rounds,
		       "each round of process %zu has both", k + 1);
}

/* A kernel that waits where the one beside it has run, one that waits where that of the pair before
 * has, and one that would wait if its process had served the last pair before. */
static void test_processes(void)
{
	struct bench b = {0};

	add(&b, &(struct copy){"a0", NULL, NULL, NULL, NULL, 1000, false},
	    &(struct copy){"a1", "a0", NULL, NULL, NULL, 1000, true});
	add(&b, &(struct copy){"b0", NULL, NULL, NULL, NULL, 1001, false},
	    &(struct copy){"b1", "a1", NULL, NULL, NULL, 1001, true});
	add(&b, &(struct copy){"c0", NULL, NULL, NULL, NULL, 1002, false},
	    &(struct copy){"c1", "nobody", NULL, NULL, NULL, 1002, true});
	/* The cache has no reference yet: only a process without kernels computes one. */
	measure(&b, 0);
	for (size_t i = 0; i < b.n; i++)
		check_passed(&b.pairs[i]);
	tap_str(confirmation_verdict_name(judge(&b.pairs[0])), "slower", "beside the base");
	measure(&b, 0);
	for (size_t i = 0; i < b.n; i++)
		check_passed(&b.pairs[i]);
	for (size_t k = 0; k < CONFIRMATION_SESSIONS; k++) {
		tap_ok(b.pairs[0].found.sessions[k].ratio > 3, "process %zu has both sides", k + 1);
		tap_ok(b.pairs[1].found.sessions[k].ratio > 3, "and the pairs before");
		tap_ok(b.pairs[2].found.sessions[k].ratio < 3, "a kernel that waits for nobody");
	}
	tap_str(confirmation_verdict_name(judge(&b.pairs[1])), "slower", "behind the first pair");
	tap_ok(judge(&b.pairs[2]) != CONFIRMATION_BROKEN, "and the last passes");
	bench_fini(&b);
}

static void test_fresh(void)
{
	struct bench b = {0};

	add(&b, &(struct copy){"d0", NULL, NULL, NULL, NULL, 1003, false},
	    &(struct copy){"d1", "e1", NULL, NULL, NULL, 1003, false});
	add(&b, &(struct copy){"e0", NULL, NULL, NULL, NULL, 1004, false},
	    &(struct copy){"e1", "nobody", NULL, NULL, NULL, 1004, false});
	measure(&b, 0);
	measure(&b, 0);
	for (size_t k = 0; k < b.pairs[0].found.n; k++)
		tap_ok(b.pairs[0].found.sessions[k].ratio < 3,
		       "process %zu has no kernels of the one before", k + 1);
	check_passed(&b.pairs[0]);
	bench_fini(&b);
}

/* What concerns one pair keeps none of the others from being measured. */
static void test_failures(void)
{
	struct bench b = {0};

	add(&b, &(struct copy){"f0", NULL, NULL, NULL, NULL, 1005, false},
	    &(struct copy){"f1", NULL, "3", NULL, NULL, 1005, true});
	add(&b, &(struct copy){"g0", NULL, NULL, NULL, NULL, 1006, false},
	    &(struct copy){"g1", NULL, NULL, SHIFT, NULL, 1006, false});
	add(&b, &(struct copy){"h0", NULL, NULL, NULL, NULL, 1007, false},
	    &(struct copy){"h1", NULL, NULL, NULL, NULL, 1007, true});
	measure(&b, 0);
	tap_str(confirmation_verdict_name(judge(&b.pairs[0])), "broken", "a wrong head");
	tap_ok(b.pairs[0].found.fails[1] && b.pairs[0].found.wrong[1] && !b.pairs[0].found.fails[0],
	       "by that alone");
	tap_has(b.pairs[0].found.reason, "the head is wrong: ", "says why");
	tap_has(b.pairs[1].found.reason, "inputs or reference differ: the fill of x is ",
		"other inputs");
	tap_str(confirmation_verdict_name(judge(&b.pairs[1])), "undecided", "are no comparison");
	check_passed(&b.pairs[2]);
	bench_fini(&b);
}

/* Results that are kept: samples of all processes, the failure of a side that did not pass. */
static void test_kept(void)
{
	struct bench b = {0};

	add(&b, &(struct copy){"k0", NULL, NULL, NULL, NULL, 1011, false},
	    &(struct copy){"k1", NULL, NULL, NULL, NULL, 1011, true});
	add(&b, &(struct copy){"l0", NULL, NULL, NULL, NULL, 1012, false},
	    &(struct copy){"l1", NULL, "3", NULL, NULL, 1012, true});
	measure_by(&b, (struct again_options){.keep = true});
	check_passed(&b.pairs[0]);
	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		const struct result *r = &b.pairs[0].results[i];
		size_t rounds = 0;

		for (size_t k = 0; k < b.pairs[0].found.n; k++)
			rounds += b.pairs[0].found.sessions[k].rounds;
		tap_ok(b.pairs[0].kept[i] && r->status == RESULT_OK, "side %zu passed", i);
		tap_int((int64_t)r->n_samples, (int64_t)rounds, "with all rounds");
		tap_str(r->digest, b.pairs[0].found.digest[i], "of its artifact");
	}
	tap_ok(b.pairs[1].kept[1] && b.pairs[1].results[1].status == RESULT_WRONG, "a wrong head");
	for (size_t p = 0; p < b.n; p++)
		for (size_t i = 0; i < CONFIRMATION_SIDES; i++)
			if (b.pairs[p].kept[i])
				result_fini(&b.pairs[p].results[i]);
	bench_fini(&b);
}

static void test_reference(void)
{
	struct bench b = {0};

	add(&b, &(struct copy){"i0", NULL, NULL, NULL, NULL, 1008, false},
	    &(struct copy){"i1", NULL, NULL, NULL, "abort()", 1008, true});
	add(&b, &(struct copy){"j0", NULL, NULL, NULL, NULL, 1009, false},
	    &(struct copy){"j1", NULL, NULL, NULL, "y[i] = x[i] + x[i]", 1009, true});
	measure(&b, 0);
	tap_ok(b.pairs[0].trouble.status != ASC_OK, "a reference that fails");
	tap_has(b.pairs[0].trouble.text, "reference", "is named");
	check_passed(&b.pairs[1]);
	tap_str(b.pairs[1].other_reference, "reference.c", "of another text");
	bench_fini(&b);
}

static void test_budget(void)
{
	struct bench b = {0};

	add(&b, &(struct copy){"k0", NULL, NULL, NULL, NULL, 1010, false},
	    &(struct copy){"k1", NULL, NULL, NULL, NULL, 1010, true});
	add(&b, &(struct copy){"l0", NULL, NULL, NULL, NULL, 1011, false},
	    &(struct copy){"l1", NULL, NULL, NULL, NULL, 1011, true});
	measure(&b, 1);
	check_passed(&b.pairs[0]);
	tap_ok(!b.pairs[1].reached && b.pairs[1].found.n == 0, "what does not fit is not begun");
	bench_fini(&b);
}

/* The side that is clearly slower leaves rounds that take long, as the first process has shown, and
 * is slower all the same. A margin that no ratio reaches leaves a pair undecided, whatever more
 * processes would say; one that fails has none. */
static void test_tests(void)
{
	static const char slow[] =
		"({ if (i == 0) for (volatile int k = 0; k < 2000000; k++); 2; })";
	struct bench b = {0};

	add(&b, &(struct copy){"m0", NULL, NULL, NULL, NULL, 1012, false},
	    &(struct copy){"m1", NULL, slow, NULL, NULL, 1012, true});
	add(&b, &(struct copy){"n0", NULL, NULL, NULL, NULL, 1013, false},
	    &(struct copy){"n1", NULL, "3", NULL, NULL, 1013, true});
	measure_by(&b, (struct again_options){.early = true, .most = 5, .margin = TIE_MARGIN});
	tap_str(confirmation_verdict_name(judge(&b.pairs[0])), "slower", "early");
	tap_int((int)b.pairs[0].found.n, CONFIRMATION_SESSIONS, "processes are enough");
	for (size_t k = 0; k < b.pairs[0].found.n; k++)
		tap_ok((b.pairs[0].found.sessions[k].time[1].n <
			b.pairs[0].found.sessions[k].time[0].n) == (k > 0),
		       "the slower one has left process %zu, but the first", k + 1);
	measure_by(&b, (struct again_options){.most = 5, .margin = 1e9});
	tap_int((int)b.pairs[0].found.n, CONFIRMATION_SESSIONS,
		"processes of what no more of them would decide");
	tap_int((int)b.pairs[1].found.n, 0, "of what is broken");
	measure_by(&b, (struct again_options){.most = 5, .margin = 1e9, .budget_ns = 1});
	tap_int((int)b.pairs[0].found.n, CONFIRMATION_SESSIONS, "without time for more");
	measure_by(&b, (struct again_options){.once = true, .most = 5, .margin = 1e9});
	tap_int((int)b.pairs[0].found.n, 1, "one is enough to verify");
	tap_ok(b.pairs[1].found.wrong[1], "and to find what is wrong");
	bench_fini(&b);
}

/* The side that is launched first in its process is slow: each is in every other one. */
static void test_turns(void)
{
	static const char waits[] =
		"({ static int first = -1;"
		" if (first < 0) { first = !getenv(\"ANY\"); setenv(\"ANY\", \"1\", 1); }"
		" if (first && i == 0) for (volatile int k = 0; k < 2000000; k++); 2; })";
	struct bench b = {0};

	add(&b, &(struct copy){"p0", NULL, waits, NULL, NULL, 1015, false},
	    &(struct copy){"p1", NULL, waits, NULL, NULL, 1015, false});
	measure(&b, 0); /* another process may have computed the reference */
	measure(&b, 0);
	check_passed(&b.pairs[0]);
	for (size_t k = 0; k < b.pairs[0].found.n; k++)
		tap_ok((b.pairs[0].found.sessions[k].ratio > 3) == (k == 1),
		       "the %s is first in process %zu", k == 1 ? "head" : "base", k + 1);
	bench_fini(&b);
}

/* True where all rounds of all processes have equal times on both sides. */
static bool is_one_series(const struct again_pair *p)
{
	bool one = p->found.n > 0;

	for (size_t k = 0; k < p->found.n; k++)
		one &= p->found.sessions[k].interval.low == 1 &&
		       p->found.sessions[k].interval.high == 1;
	return one;
}

/* Sides of equal code are launched once, and share their times, or both. */
static void test_equal(void)
{
	struct bench b = {0};

	add(&b, &(struct copy){"o", NULL, NULL, NULL, NULL, 1014, false},
	    &(struct copy){"o", NULL, NULL, NULL, NULL, 1014, false});
	measure(&b, 0);
	check_passed(&b.pairs[0]);
	tap_ok(b.pairs[0].found.same_code && is_one_series(&b.pairs[0]), "times of one");
	measure_by(&b, (struct again_options){.equal = true});
	check_passed(&b.pairs[0]);
	tap_ok(b.pairs[0].found.same_code && !is_one_series(&b.pairs[0]), "times of two");
	bench_fini(&b);
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");

	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return worker_serve(CHANNEL_FD, &e) == ASC_OK ? 0 : 2;
	(void)snprintf(folder, sizeof folder, "%s/asctune-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder) || device_find("cpu")->inspect("", &info, &e)) {
		tap_ok(false, "%s", folder);
		return tap_done();
	}
	test_processes();
	test_fresh();
	test_failures();
	test_kept();
	test_reference();
	test_budget();
	test_tests();
	test_equal();
	test_turns();
	dir_remove(folder);
	return tap_done();
}
