/* Shares of a run: several machines tune the same problems, and each command finds out by itself
 * which of them are its own. */
#ifndef ASCTUNE_CMD_RUN_RUN_SHARD_H
#define ASCTUNE_CMD_RUN_RUN_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/hash.h"

struct db;
struct problem;
struct workload;

enum { SHARD_MOST = 1000000 }; /* shares: more are a typing error */

struct shard_place {
	uint64_t number, count; /* share `number` (1 ..) of `count`; 0: the whole run */
};

/* Reads "K/N", "auto" or "auto/N"; the latter two by what an engine says in the environment.
 * ASC_USAGE: a text that is none of these, or engines that say nothing, or not the same. */
enum asc_status shard_place_parse(const char *text, struct shard_place *out, struct asc_err *e);

struct run_shard { /* the caller's storage, zeroed at first */
	struct shard_place place;
	bool by_configurations;     /* each share has all problems, and a part of every space */
	struct shard_problem *list; /* all problems, in the order in which they are dealt out */
	size_t n, room;
	size_t own;                   /* of this share */
	char dealt[HASH_TEXT_SIZE];   /* digest of all problems and their files */
	char history[HASH_TEXT_SIZE]; /* digest of what they were dealt out by; "": nothing */
};

/* Adds a problem of file number `file`. */
enum asc_status run_shard_add(struct run_shard *s, size_t file, const struct workload *w,
			      const struct problem *p, struct asc_err *e);

/* Deals the problems out: the longest first, each to the share that has least to do; expected are
 * the times in `history` (NULL: there is none) as run_deal_begin() completes them, and equal ones
 * go by the hash of their names. */
enum asc_status run_shard_deal(struct run_shard *s, struct db *history, const char *device_kind,
			       struct asc_err *e);

/* True for a problem of this share. */
bool run_shard_has(const struct run_shard *s, size_t file, const char *problem);

/* Number of problems of share `number`. */
size_t run_shard_count(const struct run_shard *s, uint64_t number);
void run_shard_fini(struct run_shard *s);

#endif
