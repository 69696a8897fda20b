/* The measuring policy: everything that decides how configurations are timed and compared. Recorded
 * with every run: times of different policies are not compared. */
#ifndef ASCTUNE_WORKER_POLICY_H
#define ASCTUNE_WORKER_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct json_node;
struct json_writer;
struct result;

/* State of the caches at a launch: two quantities, which are never compared. */
enum cache_policy {
	CACHE_COLD, /* the caches are flushed before every launch */
	CACHE_HOT   /* what the launch before left there */
};

const char *cache_policy_name(enum cache_policy p);
bool cache_policy_parse(const char *name, enum cache_policy *out);

enum { POLICY_MAX_CHECKS = 16 };

struct policy {
	enum cache_policy cache;

	/* Samples. */
	int64_t warmup;    /* launches before the first sample, without the verification launch */
	int64_t warmup_ns; /* kernel time after which fewer warm-ups are enough, that of the
			      verification launch included; 0: no such time */
	int64_t sample_ns; /* a sample is as many launches as last this long, at most 16 */

	/* Early stopping: each of the following rules may drop a configuration as slow. */
	int64_t race;           /* 0: none of these rules, each configuration has its samples */
	double first_cut;       /* its first launch lasts longer than this times the best median
				   plus first_extra_ns; 0: no such rule */
	int64_t first_extra_ns; /* extra time of first launches */
	double second_cut;      /* both its first launch and its first sample last longer than this
				   times the best median; 0: no such rule */
	int64_t checks[POLICY_MAX_CHECKS + 1]; /* numbers of samples at which the rank test is made,
						  ascending, ended by 0 */
	double p_slow;     /* the rank test against the best's samples gives less than this */
	double near;       /* a configuration with a median of at most this times the best's, which
			      was measured in another moment, is not slow: when the rank test gives
			      less than p_near it has enough samples for the finals to decide */
	double p_near;     /* as above */
	int64_t disturbed; /* the fastest of so many samples, marked or not, takes over twice the
			      best median, or of four times as many over `near` times; 0: no such
			      rule */

	/* Changed machines: before a configuration is dropped that is slower by at most
	 * doubt_ratio, it and the incumbent are sampled again. The machine has changed when the
	 * incumbent takes longer than `near` times its median, or the configuration no longer takes
	 * longer by that; then pairs of samples decide. */
	double doubt_ratio; /* 0: nothing is sampled again */
	double doubt_clock; /* part of the clock by which it may differ from that of the incumbent's
			       measurement while nothing has changed; 0: clocks are ignored */
	int64_t pairs;      /* number of pairs */

	/* Enough samples. */
	double half_width;       /* at a check: half the interval of the median is at most this part
				    of it; 0: no such rule */
	int64_t half_width_from; /* samples from which half_width counts */
	int64_t min_samples;     /* samples that are taken even when time is up */
	int64_t max_samples;     /* samples at most */
	int64_t max_ns;          /* kernel time of one configuration's samples at most */

	/* Finals: the best once more, one sample of each in every round, in random order. A
	 * finalist leaves at the next of `checks` when the sign test against the leader gives less
	 * than p_slow, or when it took over finals_far times as long in every
	 * round so far in which the samples of both are clean, two at least. */
	double finals_ratio;    /* configurations whose interval of the median reaches this times
				   the best take part; 0: no finals */
	double finals_far;      /* 0: no such limit */
	int64_t finals_max;     /* finalists at most */
	int64_t finals_cheap;   /* finalists where finals_fewest rounds of all take at most
				   finals_free_ns */
	int64_t finals_few;     /* finalists where all of them together take too long */
	int64_t finals_rounds;  /* rounds at most, at least 1 */
	int64_t finals_free;    /* rounds at most while they have taken less than finals_free_ns */
	int64_t finals_free_ns; /* kernel time */
	int64_t finals_noisy;   /* rounds at most of undecided finals, in which another may be far
				   faster than the leader, within finals_ns; recorded policies
				   have this name as a key */
	int64_t finals_ns;      /* kernel time after which no round starts */
	int64_t finals_wall_ns; /* time after which no round starts; 0: no limit */
	int64_t finals_fewest;  /* rounds that are held in spite of both limits */
	double margin;          /* smaller differences are not called better */

	/* Noise: a sample taken on a disturbed machine is marked, taken again, and decides no race.
	 */
	double steady_wait;  /* most time that threads may wait for a processor, as part of all */
	double steady_clock; /* least clock, as part of the highest one seen */
	double extra;        /* most samples that are taken again, as part of all, and the part of
				the time of the finals for that; later ones are kept with their
				marks */

	/* Pauses before a sample is taken again whose clock was lowered to keep cool. */
	int64_t pause_ns;      /* first pause; each is half as long again as the one before */
	int64_t pause_most_ns; /* longest pause */
	int64_t pause_all_ns;  /* all pauses of a problem */

	/* Time limit of a launch: limit_ns, or limit_factor times the best median, which is never
	 * less than least_limit_ns. */
	int64_t limit_ns;
	double limit_factor;
	int64_t least_limit_ns;
};

extern const struct policy policy_default;

/* Sets that each configuration has its samples, however slow it is (--no-race). */
void policy_stop_racing(struct policy *r);

/* Sets warm-ups and repeats (--warmup, --repeats); a negative number leaves its member. With fixed
 * repeats exactly so many samples are taken: no early stopping, no second look, no finals. */
void policy_fix_repeats(struct policy *r, int64_t warmup, int64_t repeats);

/* Adapts the policy to a device that queues launches: its times scatter little, so that two
 * launches show what is far from the best, and few configurations are near it: fewer go to the
 * finals, but for kernels so fast that many cost nothing. Its run time scales with its clock, so
 * clocks tell whether the machine has changed. */
void policy_adapt_to_queue(struct policy *r);

/* Score that results are ranked by, the lower the better: the time of a launch, ns; infinite for a
 * result without one. */
double policy_score(const struct policy *p, const struct result *r);

/* Time limit of a group of `launches`, by the best median so far (0: none). */
int64_t policy_limit_ns(const struct policy *r, double best_ns, int64_t launches);

/* True when a configuration may be dropped because others are faster. */
bool policy_races(const struct policy *r);

/* True when tests are made after n samples, or n rounds. */
bool policy_is_check(const struct policy *r, int64_t n);

void policy_write_json(const struct policy *r, const char *key, struct json_writer *w);
enum asc_status policy_read_json(const struct json_node *n, struct policy *out, struct asc_err *e);

#endif
