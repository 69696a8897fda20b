#include "tuner/run/rule.h"

#include <stddef.h>

#include "tuner/base/json.h"

/* A few launches settle caches and page tables; 32 samples or a quarter of a second of kernel time
 * make a median good to a percent, and slow kernels are known well by 3; launches below 3.2 us are
 * timed in groups, so that steps of the clock (32 ns on GPUs) stay below 1 %. */
const struct rule rule_default = {
	.warmup = 2,
	.min_samples = 3,
	.max_samples = 32,
	.max_ns = 250000000,
	.sample_ns = 3200,
	.limit_ns = 10000000000,
};

static const struct json_field fields[] = {
	{"warmup", JSON_AS_INT, true, offsetof(struct rule, warmup), NULL, NULL},
	{"min_samples", JSON_AS_INT, true, offsetof(struct rule, min_samples), NULL, NULL},
	{"max_samples", JSON_AS_INT, true, offsetof(struct rule, max_samples), NULL, NULL},
	{"max_ns", JSON_AS_INT, true, offsetof(struct rule, max_ns), NULL, NULL},
	{"sample_ns", JSON_AS_INT, true, offsetof(struct rule, sample_ns), NULL, NULL},
	{"limit_ns", JSON_AS_INT, true, offsetof(struct rule, limit_ns), NULL, NULL},
	{0}};

/* The smallest value of each field, in the order of the table. */
static const int64_t least[] = {0, 1, 1, 0, 0, 1};

static int64_t field_value(const struct rule *r, const struct json_field *f)
{
	return *(const int64_t *)(const void *)((const char *)r + f->offset);
}

void rule_fix_repeats(struct rule *r, int64_t warmup, int64_t repeats)
{
	if (warmup >= 0)
		r->warmup = warmup;
	if (repeats >= 0) {
		r->min_samples = r->max_samples = repeats > 0 ? repeats : 1;
		r->sample_ns = 0; /* a repeat is one launch */
	}
}

void rule_write_json(const struct rule *r, const char *key, struct json_writer *w)
{
	json_write_begin(w, key, '{');
	for (const struct json_field *f = fields; f->key; f++)
		json_write_int(w, f->key, field_value(r, f));
	json_write_end(w, '}');
}

enum asc_status rule_read_json(const struct json_node *n, struct rule *out, struct asc_err *e)
{
	static const struct json_spec spec = {"rule", fields};
	enum asc_status s = json_read_object(n, &spec, out, e);

	if (s)
		return s;
	for (size_t i = 0; fields[i].key; i++)
		if (field_value(out, &fields[i]) < least[i])
			return json_fail(
				json_find(n, fields[i].key), e, "is %lld, expected at least %lld",
				(long long)field_value(out, &fields[i]), (long long)least[i]);
	if (out->max_samples < out->min_samples)
		return json_fail(n, e, "max_samples %lld is less than min_samples %lld",
				 (long long)out->max_samples, (long long)out->min_samples);
	return ASC_OK;
}
