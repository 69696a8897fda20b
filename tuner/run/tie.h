/* The class of ties among finalists that were measured in the same rounds, and its winner. Pure. */
#ifndef ASCTUNE_RUN_TIE_H
#define ASCTUNE_RUN_TIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/stats.h"

struct finalist {
	/* Given; borrowed. */
	const int64_t *samples; /* ns a launch, one for each round from the first */
	size_t rounds;          /* at least 1; fewer than others: it was clearly slower then */
	const char *key;        /* of the configuration: the smaller one decides last */
	double threads;         /* times registers where these are known */
	double memory_bytes;    /* shared memory, or scratch */
	/* Found. */
	struct stats_summary time;
	double ratio;                   /* median over the rounds of time / leader's time */
	struct stats_interval interval; /* of the ratio; the range where there is none */
	bool leader, tied, winner;
};

/* Of those with all rounds the leader has the lowest median; one of them is tied with it when the
 * interval of its ratio reaches 1 + margin or lower. The winner is the one of the ties that uses
 * less (threads, then memory, then the smaller key) among those whose ratio is within the margin:
 * with few rounds intervals are wide, and what probably is slower must not win for using less. n >
 * 0. Fails only when out of memory. */
enum asc_status tie_find(struct finalist *list, size_t n, double margin, struct asc_err *e);

/* Median and interval of a / b over rounds in which both took a sample; n > 0. */
enum asc_status tie_ratio(const int64_t *a, const int64_t *b, size_t n, double *ratio,
			  struct stats_interval *interval, struct asc_err *e);

#endif
