#include "tuner/worker/policy.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/result/result.h"
#include "tuner/result/tie.h"

/* Sampling: a few launches, or a long one, settle caches and page tables; 32 samples or a quarter
 * of a second of kernel time make a median good to a percent, and 3 samples suffice for slow
 * kernels; launches below 3.2 us are timed in groups, so that steps of the clock (32 ns on GPUs)
 * stay below 1 %. Rank tests start at 2 samples, where they save most in spaces that are dense near
 * the best: as much as looking at the machine again costs. Observed slow-downs of machines stay
 * below 3 times, hence doubt_ratio. The finals take every configuration that may be the best,
 * however far machines change between two moments, and soon drop most. */
const struct policy policy_default = {
	.cache = CACHE_COLD,
	.sampling = {.warmup = 2,
		     .warmup_ns = 1000000,
		     .sample_ns = 3200,
		     .min_samples = 3,
		     .max_samples = 32,
		     .max_ns = 250000000,
		     .half_width = 0.005},
	.tests = {.checks = {2, 3, 5, 8, 12, 18, 25},
		  .p_slow = 0.01,
		  .near = 1.1,
		  .p_near = 0.2,
		  .margin = TIE_MARGIN},
	.race = {.on = 1, .first_cut = 2, .first_extra_ns = 100000, .doubt_ratio = 3},
	.finals = {.ratio = 2,
		   .max = 36,
		   .rounds = 32,
		   .free = 128,
		   .noisy = 512,
		   .ns = 4000000000,
		   .fewest = 6},
	.noise = {.wait = 0.01,
		  .clock = 0.9,
		  .extra = 0.25,
		  .pause_ns = 50000000,
		  .pause_most_ns = 1000000000},
	.races = -1,
	.limit_ns = 15000000000,
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

/* Reads counts that are positive and ascending. */
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

/* Numbers of a policy in the order in which they are written, "cache" before and "checks" after
 * them: INT and REAL are members with the smallest value that each may have, FIXED_INT and
 * FIXED_REAL constants with the only one. */
#define NUMBERS(INT, REAL, FIXED_INT, FIXED_REAL)                                                  \
	INT(warmup, sampling.warmup, 0)                                                            \
	INT(warmup_ns, sampling.warmup_ns, 0)                                                      \
	INT(sample_ns, sampling.sample_ns, 0)                                                      \
	INT(race, race.on, 0)                                                                      \
	INT(first_extra_ns, race.first_extra_ns, 0)                                                \
	FIXED_INT(disturbed, POLICY_DISTURBED)                                                     \
	FIXED_INT(pairs, POLICY_PAIRS)                                                             \
	FIXED_INT(half_width_from, POLICY_HALF_WIDTH_FROM)                                         \
	INT(min_samples, sampling.min_samples, 1)                                                  \
	INT(max_samples, sampling.max_samples, 1)                                                  \
	INT(max_ns, sampling.max_ns, 0)                                                            \
	INT(finals_max, finals.max, 0)                                                             \
	FIXED_INT(finals_cheap, POLICY_FINALS_CHEAP)                                               \
	FIXED_INT(finals_few, POLICY_FINALS_FEW)                                                   \
	INT(finals_rounds, finals.rounds, 1)                                                       \
	INT(finals_free, finals.free, 0)                                                           \
	FIXED_INT(finals_free_ns, POLICY_FINALS_FREE_NS)                                           \
	INT(finals_noisy, finals.noisy, 0)                                                         \
	INT(finals_ns, finals.ns, 0)                                                               \
	INT(finals_wall_ns, finals.wall_ns, 0)                                                     \
	INT(finals_fewest, finals.fewest, 1)                                                       \
	INT(races, races, -1)                                                                      \
	FIXED_REAL(races_part, POLICY_RACES_PART)                                                  \
	FIXED_INT(races_plenty, POLICY_RACES_PLENTY)                                               \
	FIXED_INT(races_enough, POLICY_RACES_ENOUGH)                                               \
	FIXED_INT(races_free_ns, POLICY_RACES_FREE_NS)                                             \
	FIXED_INT(races_least, POLICY_RACES_LEAST)                                                 \
	INT(pause_ns, noise.pause_ns, 0)                                                           \
	INT(pause_most_ns, noise.pause_most_ns, 0)                                                 \
	FIXED_INT(pause_all_ns, POLICY_PAUSE_ALL_NS)                                               \
	INT(limit_ns, limit_ns, 1)                                                                 \
	INT(least_limit_ns, least_limit_ns, 0)                                                     \
	REAL(first_cut, race.first_cut, 0)                                                         \
	REAL(second_cut, race.second_cut, 0)                                                       \
	REAL(p_slow, tests.p_slow, 0)                                                              \
	REAL(near, tests.near, 0)                                                                  \
	REAL(p_near, tests.p_near, 0)                                                              \
	REAL(doubt_ratio, race.doubt_ratio, 0)                                                     \
	REAL(doubt_clock, race.doubt_clock, 0)                                                     \
	REAL(half_width, sampling.half_width, 0)                                                   \
	REAL(finals_ratio, finals.ratio, 0)                                                        \
	FIXED_REAL(finals_far, POLICY_FINALS_FAR)                                                  \
	REAL(margin, tests.margin, 0)                                                              \
	REAL(steady_wait, noise.wait, 0)                                                           \
	REAL(steady_clock, noise.clock, 0)                                                         \
	REAL(extra, noise.extra, 0)                                                                \
	FIXED_REAL(limit_factor, POLICY_LIMIT_FACTOR)

#define AT(member)                   offsetof(struct policy, member)
#define FIELD_INT(key, member, low)  {#key, JSON_AS_INT, true, AT(member), NULL, NULL},
#define FIELD_REAL(key, member, low) {#key, JSON_AS_REAL, true, AT(member), NULL, NULL},
#define FIELD_FIXED(key, value)      {#key, JSON_IGNORED, true, 0, NULL, NULL},
static const struct json_field fields[] = {
	NUMBERS(FIELD_INT, FIELD_REAL, FIELD_FIXED, FIELD_FIXED) /* then those that are none */
	{"cache", JSON_AS_CUSTOM, true, AT(cache), read_cache, NULL},
	{"checks", JSON_AS_CUSTOM, true, AT(tests.checks), read_checks, NULL},
	{0}};

/* Number i of these is about field i. */
#define RULE_MEMBER(key, member, low) {false, false, low},
#define RULE_INT(key, value)          {true, false, (double)(value)},
#define RULE_REAL(key, value)         {true, true, value},
static const struct {
	bool fixed, real; /* a constant, which has no member; a real one */
	double value;     /* value of a constant, smallest value of a member */
} rules[] = {NUMBERS(RULE_MEMBER, RULE_MEMBER, RULE_INT, RULE_REAL)};

enum { N_NUMBERS = sizeof rules / sizeof *rules };

void policy_write_json(const struct policy *r, const char *key, struct json_writer *w)
{
	json_write_begin(w, key, '{');
	json_write_string(w, "cache", cache_policy_name(r->cache));
	for (size_t i = 0; i < N_NUMBERS; i++) {
		const void *member = (const char *)r + fields[i].offset;
		const double fixed = rules[i].value;

		if (fields[i].kind == JSON_AS_INT)
			json_write_int(w, fields[i].key, *(const int64_t *)member);
		else if (fields[i].kind == JSON_AS_REAL)
			json_write_real(w, fields[i].key, *(const double *)member);
		else if (rules[i].real)
			json_write_real(w, fields[i].key, fixed);
		else
			json_write_int(w, fields[i].key, (int64_t)fixed);
	}
	json_write_begin(w, "checks", '[');
	for (const int64_t *c = r->tests.checks; *c; c++)
		json_write_int(w, NULL, *c);
	json_write_end(w, ']');
	json_write_end(w, '}');
}

enum asc_status policy_read_json(const struct json_node *n, struct policy *out, struct asc_err *e)
{
	static const struct json_spec spec = {"policy", fields};
	enum asc_status s = json_read_object(n, &spec, out, e);

	for (size_t i = 0; !s && i < N_NUMBERS; i++) {
		const struct json_node *number = json_find(n, fields[i].key);
		const void *member = (const char *)out + fields[i].offset;
		const double rule = rules[i].value;
		struct value value;

		if (!rules[i].fixed) {
			double have = fields[i].kind == JSON_AS_INT
					      ? (double)*(const int64_t *)member
					      : *(const double *)member;
			if (!(have >= rule))
				return json_fail(number, e, "is %g, expected at least %g", have,
						 rule);
			continue;
		}
		/* A policy with another constant was made by another version, which this one cannot
		 * follow. */
		if (json_get_value(number, &value, e))
			return e->status;
		if (value_as_real(value) != rule)
			return json_fail(number, e, "is %g, expected %g", value_as_real(value),
					 rule);
	}
	if (!s && out->sampling.max_samples < out->sampling.min_samples)
		return json_fail(n, e, "max_samples %lld is less than min_samples %lld",
				 (long long)out->sampling.max_samples,
				 (long long)out->sampling.min_samples);
	return s;
}

/* ---- what follows from it ---- */

void policy_stop_racing(struct policy *r)
{
	r->race.on = 0;
}

void policy_fix_repeats(struct policy *r, int64_t warmup, int64_t repeats)
{
	if (warmup >= 0) {
		r->sampling.warmup = warmup;
		r->sampling.warmup_ns = 0;
	}
	if (repeats < 0)
		return;
	r->sampling.min_samples = r->sampling.max_samples = repeats > 0 ? repeats : 1;
	r->sampling.warmup_ns = 0;
	r->sampling.sample_ns = 0; /* a repeat is one launch */
	policy_stop_racing(r);
	r->tests.checks[0] = 0;
	r->noise.extra = 0;
	r->finals.ratio = 0;
}

bool policy_races(const struct policy *r)
{
	return r->race.on != 0;
}

int64_t policy_last_unseen(const struct policy *r)
{
	return r->finals.fewest > 1 ? r->finals.fewest / 2 : 1;
}

bool policy_is_check(const struct policy *r, int64_t n)
{
	const int64_t *c = r->tests.checks;

	while (*c && *c != n)
		c++;
	return *c != 0;
}

void policy_adapt_to_queue(struct policy *r)
{
	r->race.second_cut = r->tests.near;
	r->race.doubt_clock = 0.01;
	r->finals.max = 8;
}

double policy_score(const struct policy *p, const struct result *r)
{
	(void)p; /* every policy is about time */
	return result_status_timed(r->status) && r->n_samples > 0 ? r->time.median : INFINITY;
}

int64_t policy_limit_ns(const struct policy *r, double best_ns, int64_t launches)
{
	double limit = POLICY_LIMIT_FACTOR * best_ns * (double)launches;

	if (best_ns <= 0 || limit >= (double)r->limit_ns)
		return r->limit_ns;
	limit = fmax(limit, (double)r->least_limit_ns);
	return limit < (double)r->limit_ns ? (int64_t)limit : r->limit_ns;
}
