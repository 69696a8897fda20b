/* Questions to dispatch tables: the rules of precedence one by one, and all of them on random rules
 * beside a look at every rule.
 * covers: lookup.c lookup_ask.c symbols.c */
#include "reports/tables/lookup/lookup.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

static const int64_t all_active[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
enum { N_ACTIVE = sizeof all_active / sizeof *all_active };

/* ---- one by one ---- */

static struct rule rule_of(int64_t index, struct rule_size m, struct rule_size n)
{
	struct rule r = {.op = "gemm",
			 .device = "nvidia",
			 .device_model = "H200",
			 .types = {{NULL, "float16"}},
			 .n_types = 1,
			 .index = index,
			 .default_index = -1};

	if (m.name)
		r.sizes[r.n_sizes++] = m;
	if (n.name)
		r.sizes[r.n_sizes++] = n;
	return r;
}

static void add(struct lookup *t, struct rule r)
{
	struct asc_err e;

	tap_int(lookup_add(t, &r, &e), ASC_OK, "a rule for %lld is added", (long long)r.index);
}

static const struct rule_size any = {NULL, 0, 0};

static struct lookup_answer ask_as(const struct lookup *t, const char *model, const char *type,
				   int64_t m, int64_t n)
{
	const struct asctune_size sizes[] = {{"n", n}, {"batch", 7}, {"m", m}};
	const struct asctune_type types[] = {{"T", type}};
	const struct asctune_question q = {"gemm", "cuda", model,      types,   1,
					   sizes,  3,      all_active, N_ACTIVE};

	return lookup_ask(t, &q);
}

static void test_precedence(void)
{
	struct lookup *t = lookup_new(true);
	struct asc_err e;
	struct rule r;

	add(t, rule_of(0, any, any));
	add(t, rule_of(1, (struct rule_size){"m", 1, 1000}, any));
	add(t, rule_of(2, (struct rule_size){"m", 1, 64}, any));
	add(t, rule_of(3, (struct rule_size){"m", 32, 32}, (struct rule_size){"n", 64, 64}));
	r = rule_of(4, (struct rule_size){"m", 1, 64}, any);
	r.device_model = NULL;
	add(t, r);
	r = rule_of(5, (struct rule_size){"m", 8, 8}, any);
	r.n_types = 0;
	add(t, r);
	r = rule_of(6, (struct rule_size){"n", 1, 100}, any);
	r.types[0].type = "bf16";
	add(t, r);
	add(t,
	    rule_of(7, (struct rule_size){"m", 2000, 3000}, (struct rule_size){"n", 2000, 9000}));
	tap_int(lookup_end_rules(t, &e), ASC_OK, "the rules are complete");
	tap_int((long)lookup_count(t), 8, "all of them");

	tap_int(ask_as(t, "H200", "f16", 32, 64).index, 3, "exact sizes before ranges");
	tap_int(ask_as(t, "H200", "f16", 32, 64).found, ASCTUNE_EXACT,
		"and it is said to be exact");
	tap_int(ask_as(t, "H200", "half", 33, 64).index, 2, "a narrow range before a wide one");
	tap_int(ask_as(t, "H200", "half", 33, 64).found, ASCTUNE_RULE, "by a rule");
	tap_int(ask_as(t, "B200", "f16", 33, 64).index, 4, "a rule for any model");
	tap_int(ask_as(t, NULL, "f16", 33, 64).index, 4, "serves where the model is not known");
	tap_int(ask_as(t, "H200", "f16", 65, 64).index, 1, "outside of the narrow one");
	tap_int(ask_as(t, "H200", "f16", 1001, 64).index, 0, "outside of all ranges");
	tap_int(ask_as(t, "H200", "f16", 2500, 2500).index, 7, "more sizes before fewer");
	tap_int(ask_as(t, "H200", "f16", 8, 1).index, 5, "an exact rule for any type");
	tap_int(ask_as(t, "H200", "f64", 8, 1).index, 5, "serves every type");
	tap_int(ask_as(t, "H200", "f16", -1, 64).found, ASCTUNE_NOT_SET,
		"a negative size is none that a rule serves, whatever sizes it names");
	tap_int(ask_as(t, "H200", "bf16", 1, 50).index, 6, "another type");
	tap_int(ask_as(t, "H200", "f32", 1, 50).found, ASCTUNE_NEAREST,
		"the nearest where none fits");
	tap_int(ask_as(t, "H200", "f32", 1, 50).index, 5, "is the exact one");
	lookup_free(t);
}

static void test_active(void)
{
	static const int64_t two[] = {9, 2};
	struct lookup *t = lookup_new(true);
	const struct asctune_size sizes[] = {{"m", 16}};
	struct asctune_question q = {.op = "gemm",
				     .device = "cuda",
				     .device_model = "H200",
				     .types = (const struct asctune_type[]){{NULL, "fp16"}},
				     .n_types = 1,
				     .sizes = sizes,
				     .n_sizes = 1};
	struct asc_err e;
	struct rule r = rule_of(1, (struct rule_size){"m", 16, 16}, any);

	r.time_ns = 10;
	r.config = "{\"BLOCK\":1}";
	add(t, r);
	r.index = 2;
	r.time_ns = 20;
	r.config = "{\"BLOCK\":2}";
	add(t, r);
	r.index = 0;
	r.time_ns = 0;
	add(t, r);
	tap_int(lookup_end_rules(t, &e), ASC_OK, "three rules for the same sizes");
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "without an active index nothing is set");
	tap_int(lookup_ask(t, &q).index, -1, "and not index 0");
	q.active = all_active;
	q.n_active = N_ACTIVE;
	tap_int(lookup_ask(t, &q).index, 1, "the fastest serves");
	tap_str(lookup_ask(t, &q).config, "{\"BLOCK\":1}", "with its configuration");
	q.active = two;
	q.n_active = 2;
	tap_int(lookup_ask(t, &q).index, 2, "the fastest of the active ones");
	q.sizes = (const struct asctune_size[]){{"m", 100}};
	tap_int(lookup_ask(t, &q).index, 2, "also where it is only the nearest");
	q.n_active = 1;
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "an index outside of the list never is");
	q.n_active = 2;
	q.op = "gemv";
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "an unknown operator");
	q.op = "gemm";
	q.types = (const struct asctune_type[]){{NULL, "posit8"}};
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "an unknown type");
	q.n_types = 0;
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "no type");
	lookup_free(t);
}

/* Sizes that are none serve nothing, even where the nearest may serve. */
static void test_bad_sizes(void)
{
	struct lookup *t = lookup_new(true);
	const struct asctune_size negative[] = {{"m", -1}}, other[] = {{"k", 16}},
				  nameless[] = {{NULL, 16}};
	const struct asctune_type types[] = {{NULL, "f16"}};
	struct asctune_question q = {"gemm",   "cuda", "H200",     types,   1,
				     negative, 1,      all_active, N_ACTIVE};
	struct asc_err e;

	add(t, rule_of(0, (struct rule_size){"m", 16, 16}, any));
	tap_int(lookup_end_rules(t, &e), ASC_OK, "one rule, for index 0");
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "a negative size is not near");
	tap_int(lookup_ask(t, &q).index, -1, "and never gives index 0");
	q.sizes = nameless;
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "a size without a name serves nothing");
	q.sizes = other;
	tap_int(lookup_ask(t, &q).found, ASCTUNE_NOT_SET, "a size that is missing is not, either");
	q.n_sizes = 0;
	tap_int(lookup_ask(t, &q).index, -1, "nor is no size at all");
	q.device = "tpu";
	tap_int(lookup_ask(t, &q).index, -1, "an unknown device");
	lookup_free(t);
}

static void test_types(void)
{
	static const struct asctune_type asked[] = {{"U", "float"}, {"T", "half"}};
	static const struct asctune_type others[] = {{"U", "half"}, {"T", "float"}};
	struct lookup *t = lookup_new(false);
	struct rule r = rule_of(3, (struct rule_size){"m", 1, 9}, any);
	const struct asctune_size sizes[] = {{"m", 5}};
	struct asctune_question q = {"gemm", "nvidia", "H200",     asked,   2,
				     sizes,  1,        all_active, N_ACTIVE};
	struct asc_err e;

	r.n_types = 2;
	r.types[0] = (struct asctune_type){"T", "f16"};
	r.types[1] = (struct asctune_type){"U", "f32"};
	add(t, r);
	tap_int(lookup_end_rules(t, &e), ASC_OK, "a rule of two types");
	tap_int(lookup_ask(t, &q).index, 3, "in any order");
	q.types = others;
	tap_int(lookup_ask(t, &q).index, -1, "each has its own name");
	lookup_free(t);
}

static void expect_refused(struct rule r, const char *part)
{
	struct lookup *t = lookup_new(false);
	struct asc_err e;

	tap_int(lookup_add(t, &r, &e), ASC_INPUT, "%s is refused", part);
	tap_has(e.text, part, "and named");
	tap_int((long)lookup_count(t), 0, "nothing is added");
	lookup_free(t);
}

static void test_largest(void)
{
	struct lookup *t = lookup_new(false);
	struct asc_err e;

	add(t, rule_of(1, (struct rule_size){"m", 1, RULE_LARGEST_SIZE}, any));
	tap_int(lookup_end_rules(t, &e), ASC_OK, "a range up to the largest size");
	tap_int(ask_as(t, "H200", "f16", RULE_LARGEST_SIZE, 1).found, ASCTUNE_RULE, "has it");
	tap_int(ask_as(t, "H200", "f16", RULE_LARGEST_SIZE + 1, 1).found, ASCTUNE_NOT_SET,
		"and not the next one, which is the same real");
	lookup_free(t);
}

static void test_refused(void)
{
	struct rule r = rule_of(0, (struct rule_size){"m", 5, 4}, any);

	expect_refused(r, "size \"m\": from 5 to 4 is no range");
	r = rule_of(0, (struct rule_size){"m", 5, 5}, (struct rule_size){"m", 6, 6});
	expect_refused(r, "size \"m\" stands twice");
	r = rule_of(0, (struct rule_size){"m", -5, 5}, any);
	expect_refused(r, "size \"m\": expected 0 to 2^53");
	r = rule_of(0, any, any);
	r.op = "";
	expect_refused(r, "it has no operator");
	r = rule_of(0, any, any);
	r.device = NULL;
	expect_refused(r, "it has no device");
}

/* ---- random rules ---- */

enum { RULES = 400, QUESTIONS = 4000 };

static struct rule rules[RULES];

static const char *pick(struct rng *r, const char *const *list, size_t n)
{
	return list[rng_below(r, n)];
}

static struct rule random_rule(struct rng *r)
{
	static const char *const ops[] = {"gemm", "add"}, *const models[] = {"H200", "A100", NULL},
				 *const types[] = {"f16", "bf16", NULL};
	struct rule x = {.op = pick(r, ops, 2),
			 .device = "cuda",
			 .device_model = pick(r, models, 3),
			 .types = {{"T", pick(r, types, 3)}},
			 .index = (int64_t)rng_below(r, 10),
			 .time_ns = (double)rng_below(r, 4),
			 .precedence = (int)rng_below(r, 2),
			 .default_index = -1};
	const bool exact = rng_below(r, 2);

	x.n_types = x.types[0].type != NULL;
	for (size_t i = 0; i < 3; i++) {
		static const char *const names[] = {"m", "n", "k"};
		const int64_t low = (int64_t)rng_below(r, 8);

		if (rng_below(r, 4) > 0)
			x.sizes[x.n_sizes++] = (struct rule_size){
				names[i], low, low + (exact ? 0 : (int64_t)rng_below(r, 6))};
	}
	return x;
}

static double width_of(const struct rule *r)
{
	double width = 0;

	for (size_t i = 0; i < r->n_sizes; i++)
		width += log2((double)(r->sizes[i].high - r->sizes[i].low) + 1);
	return width;
}

static bool is_exact(const struct rule *r)
{
	return r->n_sizes > 0 && !(width_of(r) > 0);
}

static bool fits(const struct rule *r, const struct asctune_question *q)
{
	bool fit = strcmp(r->op, q->op) == 0 &&
		   (!r->device_model || strcmp(r->device_model, q->device_model) == 0) &&
		   (r->n_types == 0 || strcmp(r->types[0].type, q->types[0].type) == 0);
	bool active = false;

	for (size_t i = 0; i < q->n_active; i++)
		active |= q->active[i] == r->index;
	for (size_t i = 0; fit && i < r->n_sizes; i++)
		for (size_t k = 0; k < q->n_sizes; k++)
			if (strcmp(q->sizes[k].name, r->sizes[i].name) == 0)
				fit &= q->sizes[k].value >= r->sizes[i].low &&
				       q->sizes[k].value <= r->sizes[i].high;
	return fit && active;
}

static int sign(double d)
{
	return (d > 0) - (d < 0);
}

/* Negative when x serves before y, by the words of lookup.h. */
static int order(const struct rule *x, const struct rule *y)
{
	const double time_x = x->time_ns > 0 ? x->time_ns : INFINITY;
	const double time_y = y->time_ns > 0 ? y->time_ns : INFINITY;
	const int steps[] = {is_exact(y) - is_exact(x),
			     (int)y->n_sizes - (int)x->n_sizes,
			     sign(width_of(x) - width_of(y)),
			     (x->device_model == NULL) - (y->device_model == NULL),
			     (int)y->n_types - (int)x->n_types,
			     x->precedence - y->precedence,
			     (time_x > time_y) - (time_x < time_y),
			     sign((double)(x - y))};

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (steps[i])
			return steps[i];
	return 0;
}

static const struct rule *by_hand(const struct asctune_question *q)
{
	const struct rule *best = NULL;

	for (size_t i = 0; i < RULES; i++)
		if (fits(&rules[i], q) && (!best || order(&rules[i], best) < 0))
			best = &rules[i];
	return best;
}

static bool same_as_by_hand(const struct lookup *t, struct rng *r)
{
	static const char *const ops[] = {"gemm", "add"}, *const models[] = {"H200", "A100", "L4"},
				 *const types[] = {"f16", "bf16", "f32"};
	const struct asctune_size sizes[] = {{"m", (int64_t)rng_below(r, 12)},
					     {"n", (int64_t)rng_below(r, 12)},
					     {"k", (int64_t)rng_below(r, 12)}};
	const struct asctune_type type = {"X", pick(r, types, 3)};
	const struct asctune_question q = {
		pick(r, ops, 2),     "cuda", pick(r, models, 3), &type, 1, sizes, 3, all_active,
		2 + rng_below(r, 10)};
	const struct rule *wanted = by_hand(&q);
	const struct lookup_answer have = lookup_ask(t, &q);
	const struct lookup_answer again = lookup_ask_again(t, &q);

	if (again.found != have.found || again.index != have.index)
		return false;
	return wanted ? have.index == wanted->index &&
				have.found == (is_exact(wanted) ? ASCTUNE_EXACT : ASCTUNE_RULE) &&
				sign(have.time_ns - wanted->time_ns) == 0
		      : have.found == ASCTUNE_NOT_SET;
}

static void test_random(struct rng *r)
{
	struct lookup *t = lookup_new(false);
	struct asc_err e;
	size_t same = 0;
	bool added = true;

	for (size_t i = 0; i < RULES; i++) {
		rules[i] = random_rule(r);
		added &= lookup_add(t, &rules[i], &e) == ASC_OK;
	}
	tap_ok(added && lookup_end_rules(t, &e) == ASC_OK, "%d random rules", RULES);
	for (size_t i = 0; i < QUESTIONS; i++)
		same += same_as_by_hand(t, r);
	tap_int((long)same, QUESTIONS, "answers are those of a look at every rule");
	lookup_free(t);
}

enum { GROUPS = 2000 };

/* Rules of one subject that each name a size of their own: the second rule of a size joins the
 * first one's group, wherever that is among the others. */
static void test_groups(void)
{
	struct lookup *t = lookup_new(false);
	struct asc_err e;
	bool added = true;
	size_t right = 0;
	char name[20];

	for (int i = 0; i < 2 * GROUPS; i++) {
		snprintf(name, sizeof name, "n%d", i % GROUPS);
		const struct rule rule = {.op = "gemm",
					  .device = "cuda",
					  .sizes = {{name, i / GROUPS, i / GROUPS}},
					  .n_sizes = 1,
					  .index = 0,
					  .default_index = i};
		added &= lookup_add(t, &rule, &e) == ASC_OK;
	}
	tap_ok(added && lookup_end_rules(t, &e) == ASC_OK, "%d groups of one subject", GROUPS);
	for (int i = 0; i < 2 * GROUPS; i += 97) {
		snprintf(name, sizeof name, "n%d", i % GROUPS);
		const struct asctune_size size = {name, i / GROUPS};
		const struct asctune_question q = {.op = "gemm",
						   .device = "cuda",
						   .sizes = &size,
						   .n_sizes = 1,
						   .active = all_active,
						   .n_active = N_ACTIVE};
		const struct lookup_answer have = lookup_ask(t, &q);
		right += have.found == ASCTUNE_EXACT && have.default_index == i;
	}
	tap_int((long)right, (2 * GROUPS + 96) / 97, "each answers for its sizes");
	lookup_free(t);
}

/* Why there is no answer: the nearest rules say it. */
static void test_explained(void)
{
	static const struct {
		const char *op, *model, *first, *second, *name, *expected;
	} list[] = {
		{"gemv", "H200", "f16", "silu", "m", "it has no operator \"gemv\""},
		{"gemm", "H100", "f16", "silu", "m", "it was measured on H200, not on H100"},
		{"gemm", "H200", "f32", "silu", "m", "it was measured with x f16, not f32"},
		{"gemm", "H200", "float16", "gelu", "m", "it was measured with act f16, not gelu"},
		{"gemm", "H200", "f16", "silu", "n",
		 "it has sizes that the question does not name: m"},
		{"gemm", "H200", "f16", "silu", "m", ""},
	};
	struct lookup *t = lookup_new(true);
	struct rule r = rule_of(-1, (struct rule_size){"m", 8, 8}, any);
	struct asc_err e;

	add(t, r); /* all of one type: what is asked for once is that for any name */
	r.types[0] = (struct asctune_type){"x", "f16"};
	r.types[1] = (struct asctune_type){"act", "silu"};
	r.n_types = 2;
	add(t, r);
	tap_int(lookup_end_rules(t, &e), ASC_OK, "two rules");
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct asctune_size size = {list[i].name, 8};
		const struct asctune_type types[] = {{"x", list[i].first}, {"act", list[i].second}};
		const struct asctune_question q = {list[i].op, "cuda", list[i].model, types,   2,
						   &size,      1,      all_active,    N_ACTIVE};
		struct buf out = {0};

		lookup_explain(t, &q, &out);
		tap_str(buf_str(&out), list[i].expected, "why %s on %s has none", list[i].op,
			list[i].model);
		buf_fini(&out);
	}
	lookup_free(t);
}

int main(void)
{
	struct rng r;

	rng_init(&r, 11);
	test_precedence();
	test_active();
	test_bad_sizes();
	test_types();
	test_largest();
	test_refused();
	test_groups();
	test_explained();
	for (int i = 0; i < 5; i++)
		test_random(&r);
	return tap_done();
}
