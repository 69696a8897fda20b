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

/* Members: each is set by an option, a device, a budget or a test. The other numbers of the policy
 * are the constants below. Both are recorded, in one flat object (docs/measuring.md). */
struct policy {
	enum cache_policy cache; /* --cache */

	struct {
		int64_t warmup;    /* launches before the first sample, beside the verification
				      launch */
		int64_t warmup_ns; /* kernel time after which fewer warm-ups are enough, the
				      verification launch included; 0: no such time */
		int64_t sample_ns; /* a sample is as many launches as last this long, at most 16 */
		int64_t min_samples; /* samples that are taken even when time is up */
		int64_t max_samples; /* samples at most */
		int64_t max_ns;      /* kernel time of one configuration's samples at most */
		double half_width;   /* at a check: enough samples when half the interval of the
					median is at most this part of the median; 0: no such rule */
	} sampling;

	struct { /* statistical tests, of a configuration's samples and of the finals' rounds */
		int64_t checks[POLICY_MAX_CHECKS + 1]; /* numbers of samples, or of rounds, at which
							  a test is made: ascending, ended by 0 */
		double p_slow; /* slow: the rank test against the incumbent's samples, or the sign
				  test against the finals' leader, gives less than this */
		double near;   /* factor within which another moment may explain a difference:
				  medians of one configuration differ by that much between two
				  moments, so that only the finals, where both run in the same
				  moments, decide */
		double p_near; /* enough samples: a configuration within `near` of the incumbent,
				  for which the rank test gives less than this, is left to the
				  finals */
		double margin; /* smaller differences are not called better */
	} tests;

	struct { /* early stopping: cuts that may drop a configuration as slow, beside the tests and
		    POLICY_DISTURBED, and doubts that may keep it */
		int64_t on;       /* 0 (--no-race): none is dropped, not by the tests either */
		double first_cut; /* slow: the first launch takes longer than this times the
				     incumbent's median plus first_extra_ns; 0: no such rule */
		int64_t first_extra_ns; /* extra time of first launches */
		double second_cut;      /* slow: the first launch and the first sample both take
					   longer than this times the incumbent's median; 0: no such
					   rule */
		double doubt_ratio;     /* a configuration that is slower by at most this is sampled
					   again beside the incumbent before it is dropped; 0: none
					   is */
		double doubt_clock;     /* part of the clock by which it may differ from that of the
					   incumbent's measurement while the machine counts as
					   unchanged; 0: clocks are ignored */
	} race;

	struct { /* the best configurations once more, one sample of each in every round */
		double ratio;    /* configurations whose interval of the median reaches this times
				    the best take part; 0: no finals */
		int64_t max;     /* finalists at most; but see POLICY_FINALS_CHEAP and _FEW */
		int64_t rounds;  /* rounds at most, at least 1 */
		int64_t free;    /* rounds at most while they have taken less kernel time than
				    POLICY_FINALS_FREE_NS */
		int64_t noisy;   /* rounds at most while another finalist may be far faster than the
				    leader, and no more than `ns` have passed by the clock */
		int64_t ns;      /* kernel time after which no round starts */
		int64_t wall_ns; /* time after which no round starts; 0: no limit */
		int64_t fewest;  /* rounds that are held in spite of both limits */
	} finals;

	struct { /* a sample on a disturbed machine is marked, taken again, and decides no race */
		double wait;           /* marked: threads waited for a processor longer than this
					  part of the sample */
		double clock;          /* marked: the clock was below this part of the highest one
					  seen */
		double extra;          /* samples that are taken again at most, as part of all, and
					  the part of the time of the finals for that; later ones are
					  kept with their marks */
		int64_t pause_ns;      /* first pause before a sample is taken again whose clock was
					  lowered to keep cool; each is half as long again as the one
					  before */
		int64_t pause_most_ns; /* longest pause */
	} noise;

	int64_t races; /* --races: launches of the answer and its ties whose outputs are compared
			  behind the finals; 0: none; -1: as many as POLICY_RACES_PART says */

	/* Time limit of a launch: limit_ns (--limit), or POLICY_LIMIT_FACTOR times the incumbent's
	 * median, which is never less than least_limit_ns. */
	int64_t limit_ns;
	int64_t least_limit_ns;
};

/* ---- constants of every policy ---- */

/* Samples, marked or not, whose fastest decides when it takes over twice the incumbent's median;
 * four times as many decide beyond `near`. Disturbances only lengthen times, and hardly ever
 * all of five. */
#define POLICY_DISTURBED INT64_C(5)

/* Pairs of samples of incumbent and candidate after the machine has changed, all but one of which
 * have to agree: four or five of five do so by chance with a probability of 6/32, about the p_near
 * by which other doubtful configurations are left to the finals. */
#define POLICY_PAIRS 5

/* Samples from which half_width counts: the interval of fewer is itself uncertain. */
#define POLICY_HALF_WIDTH_FROM 8

/* Ratio to the leader's time beyond which a finalist leaves before the sign test has rounds enough
 * for that, where it is so in every clean round, or in every round, of so many at least: one may be
 * disturbed unseen, and no noise makes a factor of 4 in each. */
#define POLICY_FINALS_FAR    4.0
#define POLICY_FAR_CLEAN     2
#define POLICY_FAR_DISTURBED 3

/* Finalists at most where the fewest rounds of all of them take at most POLICY_FINALS_FREE_NS of
 * kernel time: as many as a worker compares beside the best on record (FINALISTS_MAX). With
 * launches of microseconds a tenth of a second compares them all, and no user notices it. */
#define POLICY_FINALS_CHEAP   63
#define POLICY_FINALS_FREE_NS INT64_C(100000000)

/* Finalists where all of them together take too long: with fewer the winner of the search, which is
 * partly luck, would hardly be compared. */
#define POLICY_FINALS_FEW 8

/* Launches that are compared behind the finals: for this part of the time that the run has taken,
 * or until so many have been compared in all, those of the rounds with them, that a fault of 1 in
 * 10,000 is found 86 times in 100 (PLENTY); then until one of 1 in 1,000 is so (ENOUGH; a
 * quarter of it where launches take over 0.2 ms), but for no longer than a time in which that is
 * done for a launch of 0.1 ms. At least so many launches in any case. */
#define POLICY_RACES_PART    0.05
#define POLICY_RACES_PLENTY  20000
#define POLICY_RACES_ENOUGH  2000
#define POLICY_RACES_FREE_NS INT64_C(250000000)
#define POLICY_RACES_LEAST   64

/* Pauses of a problem all together: a device that is hot after half a minute stays hot. */
#define POLICY_PAUSE_ALL_NS INT64_C(30000000000)

/* Time limit of a launch in the incumbent's medians: slower configurations than that are never
 * interesting, and a machine is never disturbed that much. */
#define POLICY_LIMIT_FACTOR 50.0

extern const struct policy policy_default;

/* Sets that each configuration has its samples, however slow it is (--no-race). */
void policy_stop_racing(struct policy *r);

/* Sets warm-ups and repeats (--warmup, --repeats); a negative number leaves its member. With fixed
 * repeats exactly so many samples are taken: no early stopping, no retakes, no finals. */
void policy_fix_repeats(struct policy *r, int64_t warmup, int64_t repeats);

/* Adapts the policy to a device that queues launches: its times scatter little, so that the first
 * launch and the first sample show what is not near the best, and few configurations are near it:
 * fewer go to the finals, but for kernels so fast that many cost nothing. Its run time scales with
 * its clock, so clocks tell whether the machine has changed. */
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

/* The most rounds of finals that may come before finalists meet inputs that they have not seen: one
 * at least. */
int64_t policy_last_unseen(const struct policy *r);

void policy_write_json(const struct policy *r, const char *key, struct json_writer *w);
enum asc_status policy_read_json(const struct json_node *n, struct policy *out, struct asc_err *e);

#endif
