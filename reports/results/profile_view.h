/* What a profile says, by subject: the lists that every writer walks (terminal, JSON, page), so
 * that a figure is named in one place.
 *
 * Texts are borrowed from the profile. NaN: a figure that is not known. */
#ifndef ASCTUNE_RESULTS_PROFILE_VIEW_H
#define ASCTUNE_RESULTS_PROFILE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/result/profile.h"

/* Whose profile it is; borrowed. NULL and NaN: not known. */
struct profile_heading {
	const char *workload, *problem, *implementation;
	const char *config; /* key */
	const char *device;
	double time_ns, low_ns, high_ns; /* of a launch, with its interval */
	double vs_default;               /* the default's time as a multiple of it; 0: not known */
	const char *next;                /* command that tells more */
};

enum {
	PROFILE_LEVELS = 5,  /* of memory */
	PROFILE_SHARES = 24, /* of a list; the smallest beyond it are dropped */
	PROFILE_REASONS = 8,
	PROFILE_FIGURES = 48
};

struct profile_level {      /* what goes through one level of memory */
	const char *name;   /* "DRAM" */
	double bytes, rate; /* B, B/s */
	double peak;        /* B/s, measured */
	double part;        /* rate / peak */
	double hit_pct;     /* of its requests */
	enum label label;   /* of a launch that this level limits */
};

struct profile_share {
	char name[40];
	double value;
	enum label label; /* of a launch that this limits; LABEL_COUNT: none */
};

struct profile_shares {
	struct profile_share list[PROFILE_SHARES];
	size_t n;
};

struct profile_reason {             /* figures that share a reason why there are none */
	const char *reason, *first; /* first: name of one of them */
	size_t n;
};

struct profile_view {
	struct profile_level levels[PROFILE_LEVELS]; /* of which something is known */
	size_t n_levels;
	struct profile_shares units;  /* percent of the time in which each is busy; as listed */
	struct profile_shares counts; /* processors' and system's counts of a launch; as listed */
	struct profile_shares stalls; /* percent of the warps that wait so, most first */
	struct profile_shares loop;   /* instructions of the innermost loops by class, most first */
	double warps, most_warps;     /* of a multiprocessor: on average; most that it holds */
	double threads;               /* of a launch on a CPU */
	double uneven;                /* busiest multiprocessor / the mean */
	double registers, spills, stack, shared, loop_instructions;
	double width_bits; /* of vectors in the innermost loops */
	double energy_j, low_j, high_j, above_idle_j, watts;
	double hot, half;    /* time / time with hot caches; time with half the occupancy / time */
	double bytes_needed; /* bytes of DRAM / bytes that the problem needs */
	int kernels;         /* of a launch; 1 where not more are known */
	double disturbed;    /* part of the timed launches that something else ran beside */
	const struct metric *figures[PROFILE_FIGURES]; /* metrics that no member above has */
	size_t n_figures;
	struct profile_reason reasons[PROFILE_REASONS];
	size_t n_reasons;
};

void profile_view_of(const struct profile *p, struct profile_view *out);

struct buf;

/* Appends the sentence of a profile, or what its label means; of one without a label what was
 * looked at. */
void profile_add_sentence(const struct profile *p, struct buf *out);

/* A figure that two profiles have. */
struct profile_pair {
	const struct metric *of, *than;
	double ratio; /* of / than */
	double away;  /* between its change and that of the times, in parts of the latter; infinite:
			 they cannot be compared */
	bool explains; /* it follows the times */
};

/* Finds what differs between two profiles of the same kernel, of which one takes `ratio` times the
 * other's time: what explains that first. An amount that was counted explains it where it changes
 * by the same factor, or nearly so; rates and shares of time do not, since they change with any
 * time. Returns the number of pairs, the first `room` readings' at most; *n_equal: figures that
 * differ by less than 1 %, which are not among them. */
size_t profile_compare(const struct profile *of, const struct profile *than, double ratio,
		       struct profile_pair *out, size_t room, size_t *n_equal);

#endif
