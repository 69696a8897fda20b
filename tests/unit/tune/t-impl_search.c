/* What the searches of a problem's implementations ask their strategies: what those are made with,
 * the default configuration first, batches, turns, and strategies that fail.
 * covers: impl_search.c */
#include "tuner/tune/impl_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/search/strategy_core.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"

enum { VALUES = 6, LAST = VALUES - 1 };

/* ---- a strategy that keeps what it is told ---- */

static struct {
	struct strategy_options options; /* of the newest */
	size_t n_given, most;            /* it gives at most that many, then waits */
	bool fails;
	const struct strategy *waiting; /* it waits for results; NULL: none does */
} seen;

struct observer {
	struct strategy base;
	uint64_t at; /* in the order of indices */
};

static enum asc_status observe_begin(struct strategy *s, struct asc_err *err)
{
	(void)err;
	seen.options = s->options;
	return ASC_OK;
}

static enum asc_status observe_next(struct strategy *s, uint64_t *index, bool *found,
				    struct asc_err *err)
{
	struct observer *o = (struct observer *)s;

	if (seen.fails)
		return asc_err_set(err, ASC_LIMIT, "no more questions");
	while (o->at < VALUES && visits_find(&s->visits, o->at))
		o->at++;
	*index = o->at;
	*found = o->at < VALUES && seen.n_given < seen.most && s != seen.waiting;
	seen.n_given += *found;
	return ASC_OK;
}

static const struct strategy_ops observer = {.name = "observer",
					     .summary = "keeps what it is told",
					     .size = sizeof(struct observer),
					     .begin = observe_begin,
					     .next = observe_next};

/* ---- a problem ---- */

static const char text[] =
	"{\"asctune\": 1, \"name\": \"turns\", \"operator\": \"none\", \"problems\": ["
	"{\"name\": \"p\", \"dims\": {\"N\": 4}, \"dtypes\": {\"T\": \"f32\"}}],"
	"\"tensors\": {\"out\": {\"shape\": [\"N\"], \"dtype\": \"T\", \"role\": \"out\","
	"  \"verify\": {\"kind\": \"exact\"}}},"
	"\"reference\": {\"source\": \"turns.c\", \"entry\": \"f\", \"arguments\": "
	"[{\"tensor\": \"out\"}]}, \"baseline\": \"second\","
	"\"implementations\": [{\"name\": \"first\", \"devices\": [\"cpu\"], \"builder\": \"cc\","
	"  \"source\": \"turns.c\", \"entry\": \"f\", \"arguments\": [{\"tensor\": \"out\"}],"
	"  \"parameters\": {\"A\": {\"values\": [0, 1, 2, 3, 4, 5], \"default\": 2}}},"
	" {\"name\": \"second\", \"devices\": [\"cpu\"], \"builder\": \"cc\","
	"  \"source\": \"turns.c\", \"entry\": \"f\", \"arguments\": [{\"tensor\": \"out\"}],"
	"  \"parameters\": {\"A\": [0, 1, 2, 3, 4, 5]}}]}";

struct problem_at_hand {
	struct workload *workload;
	struct binding binding;
	struct session session;
	struct device_info info;
	struct loop_options o;
};

static struct asc_err e;

static bool set_up(struct problem_at_hand *p)
{
	static const char source[] = "void f(float *out) { out[0] = 0; }\n";

	p->info = (struct device_info){.model = "none", .arch = "none"};
	p->session = (struct session){.target = {.device = device_find("cpu"), .info = &p->info}};
	if (!tap_ok(file_write(rows_path("turns.json"), text, strlen(text), &e) == ASC_OK &&
			    file_write(rows_path("turns.c"), source, strlen(source), &e) ==
				    ASC_OK &&
			    workload_open(rows_path("turns.json"), &p->workload, &e) == ASC_OK,
		    "a workload of two implementations"))
		return false;
	p->o = (struct loop_options){.workload = p->workload,
				     .problem = workload_find_problem(p->workload, "p"),
				     .session = &p->session,
				     .strategy = &observer,
				     .budget = {.trials = 9, .ns = 1000},
				     .seed = 77};
	return tap_int(
		binding_init(&p->binding, p->workload, p->o.problem, "cpu", &p->info.facts, &e),
		ASC_OK, "it is bound");
}

/* How many the searches give of `n` that are wanted; `list` has them. */
static size_t ask(struct impl_searches *a, size_t *search, uint64_t *list, size_t n)
{
	return impl_searches_ask(a, search, list, &n, &e) == ASC_OK ? n : SIZE_MAX;
}

/* ---- tests ---- */

static bool start(struct problem_at_hand *p, const char *implementation, struct impl_searches *a)
{
	memset(&seen, 0, sizeof seen);
	seen.most = 2 * VALUES;
	p->o.implementation = implementation;
	return tap_ok(impl_searches_open(&p->o, &p->binding, a, &e) == ASC_OK &&
			      impl_searches_start(a, &p->o, NULL, &e) == ASC_OK,
		      "searches of %s", implementation ? implementation : "both");
}

static void test_alone(struct problem_at_hand *p)
{
	struct impl_searches a;
	uint64_t list[VALUES];
	size_t at = 9;

	if (!start(p, "first", &a))
		return;
	const uint64_t index = a.list[0].default_index;

	tap_ok(seen.options.space == a.list[0].space && seen.options.seed == 77 &&
		       seen.options.trials == 9 && seen.options.ns == 1000 &&
		       seen.options.default_index == index && seen.options.n_history == 0,
	       "a strategy is made with space, seed, budget and default");
	tap_ok(ask(&a, &at, list, VALUES) == 1 && at == 0 && list[0] == index,
	       "the default configuration comes first, alone");
	tap_ok(visits_find(&a.list[0].strategy->visits, index) != NULL,
	       "its strategy has to skip it");
	tap_ok(ask(&a, &at, list, 3) == 3, "one search is asked for a batch");
	tap_ok(ask(&a, &at, list, VALUES) == LAST - 3, "the rest is less than was wanted");
	tap_ok(ask(&a, &at, list, 3) == 0, "then there is nothing");
	impl_searches_close(&a);
}

static void test_waiting(struct problem_at_hand *p)
{
	struct impl_searches a;
	uint64_t list[VALUES];
	size_t at = 9;

	if (!start(p, "first", &a))
		return;
	seen.most = 2;
	(void)ask(&a, &at, list, VALUES);
	tap_int(ask(&a, &at, list, VALUES), 2, "a strategy that waits gives fewer than are wanted");
	tap_int(ask(&a, &at, list, VALUES), 0, "and none until a result comes");
	seen.most = 4;
	tap_int(ask(&a, &at, list, VALUES), 2, "which is not the end");
	impl_searches_close(&a);
}

static void test_turns(struct problem_at_hand *p)
{
	static const size_t turns[] = {1, 0, 1, 0, 1, 0};
	struct impl_searches a;
	uint64_t list[VALUES];
	size_t at = 9, wrong = 0, all = 0;

	if (!start(p, NULL, &a))
		return;
	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++, all++)
		wrong += ask(&a, &at, list, 4) != 1 || at != turns[i] ||
			 (i < 2 && list[0] != a.list[at].default_index);
	tap_int(wrong, 0,
		"two searches take turns, one configuration each, the baseline's default first");
	while (all <= 2 * VALUES && ask(&a, &at, list, 4) == 1)
		all++;
	tap_int(all, 2 * VALUES, "until both have nothing left");
	impl_searches_close(&a);
}

static void tell(struct impl_search *search, uint64_t index, double score)
{
	const struct result r = {.status = isinf(score) ? RESULT_WRONG : RESULT_OK};

	tap_int(strategy_tell(search->strategy, index, &r, score, &e), ASC_OK, "%s is told",
		search->implementation->name);
}

/* The search with the better default has the next trials, also while it waits for a result. */
static void test_promise(struct problem_at_hand *p)
{
	static const double scores[] = {1, 100};
	struct impl_searches a;
	uint64_t list[VALUES];
	size_t at = 9;

	if (!start(p, NULL, &a))
		return;
	for (int i = 0; i < 2; i++)
		if (ask(&a, &at, list, 1) == 1)
			tell(&a.list[at], list[0], scores[at]);
	tap_ok(ask(&a, &at, list, 1) == 1 && at == 0, "the first promises more");
	seen.waiting = a.list[0].strategy;
	tap_int(ask(&a, &at, list, 1), 0, "while it waits the other has no trial");
	seen.waiting = NULL;
	tell(&a.list[0], list[0], INFINITY);
	while (ask(&a, &at, list, 1) == 1 && at == 0)
		tell(&a.list[0], list[0], 2);
	tap_ok(strategy_is_done(a.list[0].strategy) && at == 1,
	       "the other has its trials when the first has nothing left");
	impl_searches_close(&a);
}

static void test_failure(struct problem_at_hand *p)
{
	struct impl_searches a;
	uint64_t list[VALUES];
	size_t at, n = 2;

	if (!start(p, "first", &a))
		return;
	(void)ask(&a, &at, list, 1);
	seen.fails = true;
	tap_int(impl_searches_ask(&a, &at, list, &n, &e), ASC_LIMIT, "a strategy may fail");
	tap_str(e.text, "no more questions", "with its own reason");
	impl_searches_close(&a);
}

static void test_chosen(struct problem_at_hand *p)
{
	struct impl_searches a;
	struct config c;
	uint64_t list[VALUES];
	size_t at;

	p->o.config = "A=5";
	if (!start(p, "first", &a))
		return;
	tap_int(ask(&a, &at, list, VALUES), 1, "with one configuration chosen");
	space_get(a.list[0].space, list[0], &c);
	tap_int(c.values[0].i, 5, "it is asked for");
	tap_int(ask(&a, &at, list, VALUES), 0, "and nothing else");
	impl_searches_close(&a);
}

static enum asc_status learn_nothing(struct strategy *s, uint64_t index, const struct result *r,
				     double score, struct asc_err *err)
{
	(void)s, (void)index, (void)r, (void)score, (void)err;
	return ASC_OK;
}

/* Adds what an earlier run has recorded of both searches, the oldest first. */
static void add_recorded(struct impl_searches *a)
{
	static const struct {
		size_t search;
		const char *key;
		int64_t id;
	} rows[] = {{0, "A=4", 3}, {1, "A=1", 4}, {0, "A=3", 5},
		    {0, "A=2", 1}, {1, "A=9", 6}, {1, "B=1", 7}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		tap_int(impl_search_add_recorded(&a->list[rows[i].search], rows[i].key, rows[i].id,
						 &e),
			ASC_OK, "%s is on record", rows[i].key);
}

/* What is on record is asked behind the defaults, in the order in which it was recorded, and before
 * a strategy that learns; what the spaces do not have is left out. */
static void test_recorded(struct problem_at_hand *p)
{
	static const struct {
		size_t search;
		uint64_t index;
	} wanted[] = {{1, 0}, {0, 2}, {0, 4}, {1, 1}, {0, 3}};
	struct strategy_ops learns = observer;
	struct impl_searches a;
	uint64_t list[VALUES];
	size_t at = 9, wrong = 0;

	learns.learn = learn_nothing;
	p->o.strategy = &learns;
	if (!start(p, NULL, &a))
		return;
	add_recorded(&a);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		wrong += ask(&a, &at, list, 4) != 1 || at != wanted[i].search ||
			 list[0] != wanted[i].index;
		if (at < 2 && list[0] < VALUES)
			tell(&a.list[at], list[0], 1);
	}
	tap_int(wrong, 0, "defaults come first, then what is on record in its order");
	tap_int((int64_t)seen.n_given, 0, "no strategy was asked until then");
	tap_ok(ask(&a, &at, list, 4) == 1 && seen.n_given == 1, "then one is");
	impl_searches_close(&a);
	p->o.strategy = &observer;
	if (!start(p, "first", &a))
		return;
	tap_int(impl_search_add_recorded(&a.list[0], "A=4", 3, &e), ASC_OK, "A=4 is on record");
	(void)ask(&a, &at, list, 1);
	(void)ask(&a, &at, list, 1);
	tap_int((int64_t)seen.n_given, 1, "a strategy that learns nothing is asked at once");
	impl_searches_close(&a);
}

/* Configurations that are given of one of two implementations: its default comes first. */
static void test_given(struct problem_at_hand *p)
{
	static const struct loop_given given[] = {{"first", "A=5"},
						  {"first", "A=9"},
						  {"first", "A=2"},
						  {"first", "A=5"},
						  {"third", "A=1"}};
	static const int64_t wanted[] = {2, 5};
	struct impl_searches a;
	struct config c;
	uint64_t list[VALUES];
	size_t at;

	p->o.config = NULL;
	p->o.given = given;
	p->o.n_given = sizeof given / sizeof *given;
	if (!start(p, NULL, &a))
		return;
	for (size_t i = 0; i < 2; i++) {
		tap_ok(ask(&a, &at, list, VALUES) == 1 && at == 0,
		       "of several that are given one is asked for");
		space_get(a.list[0].space, list[0], &c);
		tap_int(c.values[0].i, wanted[i], "each once, behind the default");
	}
	tap_int(ask(&a, &at, list, VALUES), 0,
		"what the space does not have is left out, and nothing else is asked for");
	impl_searches_close(&a);
	p->o.given = given + 1;
	p->o.n_given = 1;
	tap_int(impl_searches_open(&p->o, &p->binding, &a, &e), ASC_ABSENT,
		"none that a space has");
	tap_has(e.text, "A=9", "is said, with an example");
	impl_searches_close(&a);
}

/* Results under another verification do not count: it is in the key of a search. */
static void test_key(struct problem_at_hand *p)
{
	struct bound_tensor *bound = p->binding.tensors;
	struct tensor *t = p->workload->tensors;
	const enum tensor_role roles[] = {ROLE_OUT, ROLE_INOUT};
	struct impl_searches a;
	char keys[2][sizeof a.list->key];

	p->o.given = NULL;
	p->o.n_given = 0;
	for (size_t r = 0; r < 2; r++) {
		t->role = roles[r];
		for (size_t i = 0; i < 2; i++) {
			bound->rtol = i ? 0.25 : 0.125;
			if (!start(p, NULL, &a))
				return;
			memcpy(keys[i], a.list[0].key, sizeof keys[i]);
			impl_searches_close(&a);
		}
		tap_ok(strcmp(keys[0], keys[1]) != 0, "another relative tolerance, another key");
	}
	t->role = ROLE_OUT;
}

int main(void)
{
	static struct problem_at_hand p;

	rows_enter();
	atexit(rows_leave);
	if (set_up(&p)) {
		test_alone(&p);
		test_waiting(&p);
		test_turns(&p);
		test_promise(&p);
		test_failure(&p);
		test_recorded(&p);
		test_chosen(&p);
		test_given(&p);
		test_key(&p);
	}
	binding_fini(&p.binding);
	workload_close(p.workload);
	return tap_done();
}
