/* The measuring policy: everything that decides how configurations are timed and compared. Recorded
 * with every run; a figure without it is not comparable. */
#ifndef ASCTUNE_RUN_RULE_H
#define ASCTUNE_RUN_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct json_node;
struct json_writer;

/* What launches find in the caches: two quantities, which are never compared. */
enum cache_policy {
	CACHE_COLD, /* the caches are flushed before every launch */
	CACHE_HOT   /* what the launch before left there */
};

const char *cache_policy_name(enum cache_policy p);
bool cache_policy_parse(const char *name, enum cache_policy *out);

enum { RULE_MAX_CHECKS = 16 };

struct rule {
	enum cache_policy cache;

	int64_t warmup;    /* launches before the first sample, besides the verification launch */
	int64_t warmup_ns; /* fewer are enough after this much kernel time, the verification
			      launch's included; 0: none fewer */
	int64_t sample_ns; /* a sample is as many launches as last this long, at most 16 */

	/* The race: a configuration is dropped as slow ... */
	double first_cut;       /* when its first launch lasts longer than this times the best
				   median, and ... */
	int64_t first_extra_ns; /* ... this on top, which first launches pay; cut 0: never */
	double second_cut; /* or when both its first launch and its first sample last longer than
			      this times the best median; 0: never */
	int64_t checks[RULE_MAX_CHECKS + 1]; /* or when, after so many samples (ended by 0), */
	double p_slow; /* the rank test against the best's samples gives less than this */
	double near;   /* With a median of at most this times the best's, which was measured in
			  another moment, it is not slow but has enough samples for the finals
			  to decide, ... */
	double p_near; /* ... as soon as the rank test gives less than this. */

	int64_t disturbed; /* or when even the fastest of so many samples, however disturbed, takes
			      over twice the best median, or of four times as many over `near`
			      times; 0: never */

	/* Before one is dropped that is slower by at most `doubt_ratio`, it and the incumbent are
	 * sampled again; where that takes longer than `near` times its median, or the other does
	 * not take longer by that, the machine has changed, and pairs of samples decide. */
	double doubt_ratio; /* 0: nothing is in doubt */
	double doubt_clock; /* where the device's clock is this part of what it was then at most
			       away from it, nothing has changed; 0: clocks do not tell */
	int64_t pairs;

	/* Enough samples: at a check, once there are `half_width_from`, when half the interval of
	 * the median is at most `half_width` of it (0: never); or at a limit. */
	double half_width;
	int64_t half_width_from;
	int64_t min_samples; /* even when time is up */
	int64_t max_samples;
	int64_t max_ns; /* kernel time of one configuration's samples */

	/* Finals: the best once more, a sample of each in every round, in random order. Those that
	 * the sign test tells from the leader, with p_slow, leave at the next of `checks`, and so
	 * do those that took over `finals_far` times as long in every round. */
	double finals_ratio;    /* intervals of medians that reach this times the best or lower; 0:
				   none */
	double finals_far;      /* 0: there is no such limit */
	int64_t finals_max;     /* configurations, ... */
	int64_t finals_cheap;   /* ... so many where their fewest rounds take at most
				   finals_free_ns, ... */
	int64_t finals_few;     /* ... so many where all of them together take too long */
	int64_t finals_rounds;  /* at most, but for ... */
	int64_t finals_free;    /* ... so many while they have taken less than ... */
	int64_t finals_free_ns; /* ... this much kernel time */
	int64_t finals_ns;      /* no round starts after this much kernel time, ... */
	int64_t finals_wall_ns; /* nor after this much time, whatever it went to; 0: no limit; ...
				 */
	int64_t finals_fewest;  /* ... but for so many */
	double margin;          /* smaller differences are not called better */

	/* Samples taken while the machine was not steady are taken again, and decide no race. */
	double steady_wait;  /* the most that threads may wait for a processor, part of the time */
	double steady_clock; /* the least part of the highest clock seen */
	double extra;        /* at most this part of samples more; then kept and marked */

	/* Before one is taken again that was taken with a clock lowered to keep cool: */
	int64_t pause_ns;      /* at first, and half as long again each time, ... */
	int64_t pause_most_ns; /* ... to this much ... */
	int64_t pause_all_ns;  /* ... and of a problem no more than this all together */

	int64_t limit_ns;       /* a launch without an answer for this long is a time-out, ... */
	double limit_factor;    /* ... or for this times the best median, ... */
	int64_t least_limit_ns; /* ... which is never less than this */
};

extern const struct rule rule_default;

/* --warmup, --repeats; negative: leave as it is. Fixed repeats are all taken and nothing else is:
 * none is dropped early or enough before, nothing is in doubt, there are no finals. */
void rule_fix_repeats(struct rule *r, int64_t warmup, int64_t repeats);

/* For a device that queues launches (device_ops.queues): times of its clock scatter little, so that
 * two launches tell what is far from the best, and few are near it: fewer go to the finals, but
 * for kernels so fast that many cost nothing. It is fast as its clock. */
void rule_adapt_to_queue(struct rule *r);

/* How long a launch of a group of `launches` may last, by the best median so far (0: none). */
int64_t rule_limit_ns(const struct rule *r, double best_ns, int64_t launches);

/* Whether a configuration may be dropped because others are faster. */
bool rule_races(const struct rule *r);

/* Whether the race is to be looked at after n samples, or n rounds. */
bool rule_is_check(const struct rule *r, int64_t n);

void rule_write_json(const struct rule *r, const char *key, struct json_writer *w);
enum asc_status rule_read_json(const struct json_node *n, struct rule *out, struct asc_err *e);

#endif
