#include "tuner/worker/policy.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/result/result.h"
#include "tuner/result/tie.h"

/* A few launches settle caches and page tables, or a long one; 32 samples or a quarter of a second
 * of kernel time make a median good to a percent, and slow kernels are known well by 3; launches
 * below 3.2 us are timed in groups, so that steps of the clock (32 ns on GPUs) stay below 1 %. The
 * rank tests start at 2 samples, where they save most in spaces that are dense near the best: as
 * much as looking at the machine again costs. Observed slow-downs of machines stay below 3 times,
 * hence doubt_ratio. The finals take every configuration that may be the best, however far machines
 * change between two moments, and soon drop most. */
const struct policy policy_default = {
	.cache = CACHE_COLD,
	.warmup = 2,
	.warmup_ns = 1000000,
	.sample_ns = 3200,
	.race = 1,
	.first_cut = 2,
	.first_extra_ns = 100000,
	.checks = {2, 3, 5, 8, 12, 18, 25},
	.p_slow = 0.01,
	.near = 1.1,
	.p_near = 0.2,
	.doubt_ratio = 3,
	.disturbed = 5,
	.pairs = 5,
	.half_width = 0.005,
	.half_width_from = 8,
	.min_samples = 3,
	.max_samples = 32,
	.max_ns = 250000000,
	.finals_ratio = 2,
	.finals_far = 4,
	.finals_max = 36,
	.finals_cheap = 63,
	.finals_few = 8,
	.finals_rounds = 32,
	.finals_free = 128,
	.finals_free_ns = 100000000,
	.finals_noisy = 512,
	.finals_ns = 4000000000,
	.finals_fewest = 6,
	.margin = TIE_MARGIN,
	.steady_wait = 0.01,
	.steady_clock = 0.9,
	.extra = 0.25,
	.pause_ns = 50000000,
	.pause_most_ns = 1000000000,
	.pause_all_ns = 30000000000,
	.limit_ns = 15000000000,
	.limit_factor = 50,
	.least_limit_ns = 2000000000,
};

/* ---- cache policies ---- */

static const char *const cache_names[] = {[CACHE_COLD] = "cold", [CACHE_HOT] = "hot"};

const char *cache_policy_name(enum cache_policy p)
{
	return cache_names[p];
}

bool cache_policy_parse(const char *name, enum cache_policy *out)
{
	for (size_t i = 0; i < sizeof cache_names / sizeof *cache_names; i++)
		if (strcmp(cache_names[i], name) == 0) {
			*out = (enum cache_policy)i;
			return true;
		}
	return false;
}

/* ---- by table ---- */

static enum asc_status read_cache(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *name;

	if (json_get_string(n, &name, e))
		return e->status;
	return cache_policy_parse(name, member)
		       ? ASC_OK
		       : json_fail(n, e, "unknown cache policy \"%s\": expected cold or hot", name);
}

/* Ascending and positive. */
static enum asc_status read_checks(const struct json_node *n, void *member, struct asc_err *e)
{
	int64_t *checks = member, last = 0;
	size_t i = 0;

	if (json_type(n) != JSON_ARRAY || json_count(n) > POLICY_MAX_CHECKS)
		return json_fail(n, e, "expected an array of at most %d counts", POLICY_MAX_CHECKS);
	for (const struct json_node *c = json_first(n); c; c = json_next(c)) {
		if (json_get_int(c, &checks[i], e))
			return e->status;
		if (checks[i] <= last)
			return json_fail(c, e, "is %lld, expected more than %lld",
					 (long long)checks[i], (long long)last);
		last = checks[i++];
	}
	checks[i] = 0;
	return ASC_OK;
}

/* Each field with the smallest value that it may have. */
#define INTEGERS(X)                                                                                \
	X(warmup, 0)                                                                               \
	X(warmup_ns, 0)                                                                            \
	X(sample_ns, 0)                                                                            \
	X(race, 0)                                                                                 \
	X(first_extra_ns, 0)                                                                       \
	X(disturbed, 0)                                                                            \
	X(pairs, 2)                                                                                \
	X(half_width_from, 0)                                                                      \
	X(min_samples, 1)                                                                          \
	X(max_samples, 1)                                                                          \
	X(max_ns, 0)                                                                               \
	X(finals_max, 0)                                                                           \
	X(finals_cheap, 0)                                                                         \
	X(finals_few, 0)                                                                           \
	X(finals_rounds, 1)                                                                        \
	X(finals_free, 0)                                                                          \
	X(finals_free_ns, 0)                                                                       \
	X(finals_noisy, 0)                                                                         \
	X(finals_ns, 0)                                                                            \
	X(finals_wall_ns, 0)                                                                       \
	X(finals_fewest, 1)                                                                        \
	X(pause_ns, 0)                                                                             \
	X(pause_most_ns, 0)                                                                        \
	X(pause_all_ns, 0)                                                                         \
	X(limit_ns, 1)                                                                             \
	X(least_limit_ns, 0)
#define REALS(X)                                                                                   \
	X(first_cut, 0)                                                                            \
	X(second_cut, 0)                                                                           \
	X(p_slow, 0)                                                                               \
	X(near, 0)                                                                                 \
	X(p_near, 0)                                                                               \
	X(doubt_ratio, 0)                                                                          \
	X(doubt_clock, 0)                                                                          \
	X(half_width, 0)                                                                           \
	X(finals_ratio, 0)                                                                         \
	X(finals_far, 0)                                                                           \
	X(margin, 0)                                                                               \
	X(steady_wait, 0)                                                                          \
	X(steady_clock, 0)                                                                         \
	X(extra, 0)                                                                                \
	X(limit_factor, 0)

#define X_INTEGER(name, least)                                                                     \
	{#name, JSON_AS_INT, true, offsetof(struct policy, name), NULL, NULL},
#define X_REAL(name, least)  {#name, JSON_AS_REAL, true, offsetof(struct policy, name), NULL, NULL},
#define X_LEAST(name, least) least,
static const struct json_field fields[] = {
	INTEGERS(X_INTEGER) REALS(X_REAL){"cache", JSON_AS_CUSTOM, true,
					  offsetof(struct policy, cache), read_cache, NULL},
	{"checks", JSON_AS_CUSTOM, true, offsetof(struct policy, checks), read_checks, NULL},
	{0}};
static const double least[] = {INTEGERS(X_LEAST) REALS(X_LEAST)};

static double field_value(const struct policy *r, const struct json_field *f)
{
	const void *member = (const char *)r + f->offset;

	return f->kind == JSON_AS_INT ? (double)*(const int64_t *)member : *(const double *)member;
}

static void write_field(const struct policy *r, const struct json_field *f, struct json_writer *w)
{
	if (f->kind == JSON_AS_INT)
		json_write_int(w, f->key,
			       *(const int64_t *)(const void *)((const char *)r + f->offset));
	else if (f->kind == JSON_AS_REAL)
		json_write_real(w, f->key, field_value(r, f));
}

void policy_write_json(const struct policy *r, const char *key, struct json_writer *w)
{
	json_write_begin(w, key, '{');
	json_write_string(w, "cache", cache_policy_name(r->cache));
	for (const struct json_field *f = fields; f->key; f++)
		write_field(r, f, w);
	json_write_begin(w, "checks", '[');
	for (const int64_t *c = r->checks; *c; c++)
		json_write_int(w, NULL, *c);
	json_write_end(w, ']');
	json_write_end(w, '}');
}

enum asc_status policy_read_json(const struct json_node *n, struct policy *out, struct asc_err *e)
{
	static const struct json_spec spec = {"policy", fields};
	enum asc_status s = json_read_object(n, &spec, out, e);

	if (s)
		return s;
	for (size_t i = 0; i < sizeof least / sizeof *least; i++)
		if (!(field_value(out, &fields[i]) >= least[i]))
			return json_fail(json_find(n, fields[i].key), e,
					 "is %g, expected at least %g",
					 field_value(out, &fields[i]), least[i]);
	if (out->max_samples < out->min_samples)
		return json_fail(n, e, "max_samples %lld is less than min_samples %lld",
				 (long long)out->max_samples, (long long)out->min_samples);
	return ASC_OK;
}

/* ---- what follows from it ---- */

void policy_stop_racing(struct policy *r)
{
	r->race = 0;
}

void policy_fix_repeats(struct policy *r, int64_t warmup, int64_t repeats)
{
	if (warmup >= 0) {
		r->warmup = warmup;
		r->warmup_ns = 0;
	}
	if (repeats < 0)
		return;
	r->min_samples = r->max_samples = repeats > 0 ? repeats : 1;
	r->warmup_ns = 0;
	r->sample_ns = 0; /* a repeat is one launch */
	policy_stop_racing(r);
	r->checks[0] = 0;
	r->extra = 0;
	r->finals_ratio = 0;
}

bool policy_races(const struct policy *r)
{
	return r->race != 0;
}

bool policy_is_check(const struct policy *r, int64_t n)
{
	const int64_t *c = r->checks;

	while (*c && *c != n)
		c++;
	return *c != 0;
}

void policy_adapt_to_queue(struct policy *r)
{
	r->second_cut = r->near;
	r->doubt_clock = 0.01;
	r->finals_max = 8;
}

double policy_score(const struct policy *p, const struct result *r)
{
	(void)p; /* every policy is about time */
	return result_status_timed(r->status) && r->n_samples > 0 ? r->time.median : INFINITY;
}

int64_t policy_limit_ns(const struct policy *r, double best_ns, int64_t launches)
{
	double limit = r->limit_factor * best_ns * (double)launches;

	if (best_ns <= 0 || limit >= (double)r->limit_ns)
		return r->limit_ns;
	limit = fmax(limit, (double)r->least_limit_ns);
	return limit < (double)r->limit_ns ? (int64_t)limit : r->limit_ns;
}
