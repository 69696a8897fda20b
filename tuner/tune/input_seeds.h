/* The seeds of a problem's sets of inputs. The first is INPUTS_SEED for ever; those of two more
 * come of a secret, which is made once for each cache: references are computed once, and a kernel
 * cannot bring the answers along.
 *
 * The secret lies beside the cache folder, in CACHE.secret, and is hidden from children
 * (sandbox_hide()), which may read the folder. Only the coordinator reads the secret; workers are
 * sent seeds. */
#ifndef ASCTUNE_TUNE_INPUT_SEEDS_H
#define ASCTUNE_TUNE_INPUT_SEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

struct binding;

enum { INPUT_SEEDS_SECRET = 32 /* bytes */, INPUT_SEEDS_FURTHER = 2 /* sets that it makes */ };

struct input_seeds { /* zeroed: the first set alone */
	bool has_secret;
	unsigned char secret[INPUT_SEEDS_SECRET];
	/* In place of that: seeds that the user asks for, of the sets behind the first. */
	uint64_t given[WORKLOAD_MAX_SETS - 1];
	size_t n_given;
};

/* Reads the secret of a cache, or makes it, with mode 0600, whole or not at all. One that is lost,
 * too short, or cannot be read is made anew, which is noted; where none can be written there is one
 * of this process alone, which is noted as well. Fails only without memory or random numbers. */
enum asc_status input_seeds_open(const char *cache, struct input_seeds *out, struct asc_err *e);

/* Reads a list of seeds, "4711,815"; false for any other text: not one to fifteen different whole
 * numbers from 2 to 2^53 - 1. */
bool input_seeds_parse(const char *text, struct input_seeds *out);

/* Finds the seeds of a problem's sets; returns their number. Sets in files have no others. `s`
 * NULL, or `b`, where no problem is bound: the first set alone. */
size_t input_seeds_find(const struct input_seeds *s, const struct binding *b,
			uint64_t seeds[WORKLOAD_MAX_SETS]);

#endif
