/* Candidates of the finals: in order, without those that were withdrawn.
 * covers: finalists.c */
#include "tuner/tune/finalists.h"

#include "tests/tap.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/worker/policy.h"

enum { DEFAULT = 9, BUILT_NS = 1000000000 };

enum { PYTHON = 2 }; /* the search of a Python function */

static struct implementation compiled = {.calls = {{.builder = "cc"}}, .n_calls = 1};
static struct implementation called = {.calls = {{.builder = "python"}}, .n_calls = 1};
static struct impl_search list[] = {{.implementation = &compiled, .default_index = DEFAULT},
				    {.implementation = &compiled, .baseline = 1},
				    {.implementation = &called, .default_index = DEFAULT}};
static const struct impl_searches searches = {.list = list, .n = 3};

static struct config config_of(int64_t value)
{
	return (struct config){.n = 1, .values = {value_int(value)}};
}

/* Adds a configuration whose index is its value, too. */
static void add(struct candidates *c, size_t search, int64_t value, enum result_status status,
		double median)
{
	struct trial t = {.search = search, .index = (uint64_t)value, .config = config_of(value)};
	struct result *r = &t.result;

	result_init(r);
	r->status = status;
	r->n_samples = status == RESULT_WRONG ? 0 : 3;
	r->time = (struct stats_summary){.n = 3, .min = median, .median = median, .max = median};
	r->spent_ns[PHASE_BUILD] = BUILT_NS;
	candidates_add(c, &searches, &t, median, false);
	result_fini(r);
}

static void expect_best(const struct candidates *c, size_t search, int64_t value, const char *what)
{
	const struct candidate *best = candidates_find_best(c);

	if (tap_ok(best, "%s: there is a best", what))
		tap_ok(best->search == search && best->config.values[0].i == value, "%s: %zu, %lld",
		       what, best->search, (long long)best->config.values[0].i);
}

static void test_withdrawn(void)
{
	const struct config first = config_of(1), reference = config_of(DEFAULT);
	struct candidates c = {0};

	tap_ok(!candidates_find_best(&c), "none has passed");
	add(&c, 0, 1, RESULT_OK, 100);
	add(&c, 0, 2, RESULT_UNDECIDED, 110);
	add(&c, 0, DEFAULT, RESULT_OK, 300);
	add(&c, 1, 1, RESULT_OK, 200);
	add(&c, 0, 3, RESULT_WRONG, 10);
	add(&c, 0, 4, RESULT_SLOW, 900);
	tap_int((long)c.n, 4, "those that passed or are undecided");
	tap_int((long)c.n_dropped, 1, "those that were slow are apart");
	tap_int((long)c.n_references, 2, "the default, and the fastest of the baseline");
	expect_best(&c, 0, 1, "the fastest");
	candidates_withdraw(&c, 0, &first);
	tap_int((long)c.n, 3, "one is withdrawn, its equal of another search stays");
	tap_ok(c.list[0].status == RESULT_UNDECIDED, "the next in order comes first");
	expect_best(&c, 1, 1, "what is undecided is not the best");
	candidates_withdraw(&c, 0, &reference);
	tap_int((long)c.n_references, 1, "a reference that has failed is none");
	candidates_withdraw(&c, 1, &first);
	tap_ok(!candidates_find_best(&c) && c.n_references == 0, "all that passed are withdrawn");
}

/* The slowest makes room. */
static void test_full(void)
{
	struct candidates c = {0};

	for (int i = 0; i < FINALISTS_MAX + 5; i++)
		add(&c, 0, 100 + i, RESULT_OK, 1000 - i);
	tap_int((long)c.n, FINALISTS_MAX, "as many as finals take");
	expect_best(&c, 0, 100 + FINALISTS_MAX + 4, "the last was the fastest");
	tap_int(c.list[c.n - 1].config.values[0].i, 105, "the first five have made room");
}

/* Of a baseline's configurations the fastest is the reference, whichever comes first. */
static void test_baseline(void)
{
	struct candidates c = {0};

	add(&c, 1, 1, RESULT_OK, 200);
	add(&c, 1, 2, RESULT_OK, 300);
	add(&c, 1, 3, RESULT_OK, 100);
	tap_int((long)c.n_references, 1, "one reference of the baseline");
	tap_int(c.references[0].config.values[0].i, 3, "its fastest");
}

/* Launches of a microsecond: the fewest rounds of all take less than the free time, so as many take
 * part as the policy has for that, beside the default. */
static void test_cheap(void)
{
	struct candidates c = {0};
	struct finalists f = {.candidates = &c};

	add(&c, 0, DEFAULT, RESULT_OK, 1500);
	for (int i = 0; i < FINALISTS_MAX + 5; i++)
		add(&c, 0, 100 + i, RESULT_OK, 1000 + i);
	finalists_choose(&f, &policy_default, false);
	tap_int((long)f.n, POLICY_FINALS_CHEAP + 1, "cheap finalists, and the default");
}

/* Binaries that were compiled are there for the finals; a Python function has to get warm once
 * more. */
static void test_warm(void)
{
	for (size_t search = 0; search <= PYTHON; search += PYTHON) {
		struct candidates c = {0};
		struct finalists f = {.candidates = &c};

		add(&c, search, 1, RESULT_OK, 100);
		add(&c, search, 2, RESULT_OK, 110);
		tap_ok((finalists_least_ns(&policy_default, &c) > 2 * BUILT_NS) ==
			       (search == PYTHON),
		       "time that the search leaves for two finalists of search %zu", search);
		finalists_choose(&f, &policy_default, false);
		finalists_fit(&f, &policy_default, 1.5 * BUILT_NS);
		tap_int((long)f.n, search == PYTHON ? 1 : 2, "of these fit into half of that");
	}
}

static bool has(const struct finalists *f, size_t search, int64_t value)
{
	bool found = false;

	for (size_t i = 0; i < f->n; i++)
		found |= f->list[i]->search == search && f->list[i]->config.values[0].i == value;
	return found;
}

/* Finalists that are left when time is short: launches of a microsecond, a default of three, a
 * baseline of nine. A finalist has 13.5 launches, one that is far slower 9.75. */
static void test_short(void)
{
	static const struct {
		double left_ns;
		size_t n;
		const char *said;
	} cases[] = {{170000, 5, "time for all"},
		     {160000, 4, "the third goes first"},
		     {100000, 3, "then the baseline, which takes longest"},
		     {30000, 2, "then the default"},
		     {1, 1, "the fastest stays in any case"}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct candidates c = {0};
		struct finalists f = {.candidates = &c};

		add(&c, 0, DEFAULT, RESULT_OK, 3000);
		add(&c, 1, 1, RESULT_OK, 9000);
		for (int64_t k = 1; k <= 3; k++)
			add(&c, 0, k, RESULT_OK, (double)(990 + 10 * k));
		finalists_choose(&f, &policy_default, false);
		finalists_fit(&f, &policy_default, cases[i].left_ns);
		tap_int((long)f.n, (long)cases[i].n, "%s", cases[i].said);
		tap_ok(has(&f, 0, 1) && has(&f, 0, 2) == (f.n > 1) &&
			       has(&f, 0, DEFAULT) == (f.n > 2) && has(&f, 1, 1) == (f.n > 3),
		       "in this order");
		tap_int((long)f.n_late, (long)(f.n < 5) + (f.n < 2),
			"of those left out so many may be as fast");
	}
}

/* The search keeps time for the two fastest and the default: these stay, though a baseline takes
 * less. Bits may need the default whatever it takes. */
static void test_kept(void)
{
	for (int bits = 0; bits < 2; bits++) {
		struct candidates c = {0};
		struct finalists f = {.candidates = &c, .keeps_default = bits};

		add(&c, 0, DEFAULT, RESULT_OK, 3000);
		add(&c, 1, 1, RESULT_OK, 1500);
		add(&c, 0, 1, RESULT_OK, 1000);
		add(&c, 0, 2, RESULT_OK, 1010);
		finalists_choose(&f, &policy_default, false);
		finalists_fit(&f, &policy_default, 68000);
		tap_ok(f.n == 3 && has(&f, 0, DEFAULT) && !has(&f, 1, 1),
		       "the baseline goes first");
		tap_int((long)f.n_beside, 1, "which is counted");
		finalists_fit(&f, &policy_default, 1);
		tap_ok(f.n == (bits ? 2 : 1) && has(&f, 0, 1) && has(&f, 0, DEFAULT) == (bits > 0),
		       "%s", bits ? "the default and the fastest stay" : "the fastest stays");
	}
}

/* Configurations that the search has dropped beside a kernel that failed stay before slower ones;
 * the best on record takes part no more where time is short. */
static void test_recalled(void)
{
	struct candidates c = {0};
	struct finalists f = {.candidates = &c, .has_best = true};

	add(&c, 0, 1, RESULT_OK, 1000);
	add(&c, 0, 2, RESULT_OK, 1010);
	add(&c, 0, 3, RESULT_OK, 1020);
	add(&c, 0, 4, RESULT_SLOW, 900);
	f.best = c.list[0];
	f.best.config = config_of(7);
	f.best.sample_ns = 5000;
	finalists_choose(&f, &policy_default, false);
	tap_int((long)f.n, 5, "all take part");
	finalists_fit(&f, &policy_default, 110000);
	tap_ok(f.n == 4 && !has(&f, 0, 3) && has(&f, 0, 4), "the highest median goes first");
	finalists_fit(&f, &policy_default, 30000);
	tap_ok(!f.has_best && f.n == 2, "the best on record, before the second");
}

int main(void)
{
	test_warm();
	test_kept();
	test_recalled();
	test_short();
	test_withdrawn();
	test_baseline();
	test_full();
	test_cheap();
	return tap_done();
}
