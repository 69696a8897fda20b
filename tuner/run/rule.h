/* The measuring rule: everything that decides how a configuration is timed. Recorded with every
 * run; a figure without it is not comparable. */
#ifndef ASCTUNE_RUN_RULE_H
#define ASCTUNE_RUN_RULE_H

#include <stdint.h>

#include "tuner/base/err.h"

struct json_node;
struct json_writer;

struct rule {
	int64_t warmup;      /* launches before the first sample, besides the verification launch */
	int64_t min_samples; /* even when time is up */
	int64_t max_samples;
	int64_t max_ns;    /* kernel time of one configuration's samples */
	int64_t sample_ns; /* a sample is as many launches as last this long, at most 16 */
	int64_t limit_ns;  /* a launch without an answer for this long is a time-out */
};

extern const struct rule rule_default;
void rule_fix_repeats(struct rule *r, int64_t warmup,
		      int64_t repeats); /* --warmup, --repeats; negative: leave as it is */
void rule_write_json(const struct rule *r, const char *key, struct json_writer *w);
enum asc_status rule_read_json(const struct json_node *n, struct rule *out, struct asc_err *e);

#endif
