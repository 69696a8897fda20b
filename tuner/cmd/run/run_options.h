/* The options of `asctune run`. */
#ifndef ASCTUNE_CMD_RUN_RUN_OPTIONS_H
#define ASCTUNE_CMD_RUN_RUN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/cmd/profile/profile_options.h"
#include "tuner/cmd/run/run_shard.h"
#include "tuner/cmd/target.h"
#include "tuner/result/objective.h"
#include "tuner/tune/input_seeds.h"
#include "tuner/tune/loop.h"

struct run_options {
	const char *file, *device, *implementation, *db;
	struct problem_choice problems;
	const char *dims, *dtype;            /* of --dims and --dtype, or NULL */
	const char *config;                  /* NAME=VALUE,...: this one alone, or NULL */
	const char *known;                   /* FILE of --known, or NULL */
	const char *with;                    /* FILE of --with, or NULL */
	struct shard_place shard;            /* of --shard; number 0: the whole run */
	bool by_given, by_configurations;    /* of --by */
	const char *cover_text;              /* of --cover, or NULL */
	const char *table;                   /* reader of --table, or NULL */
	const char *python;                  /* interpreter of --python, or NULL */
	double cover;                        /* loss that is allowed, as a part of one */
	const struct strategy_ops *strategy; /* NULL: auto */
	struct loop_budget budget;
	struct patience_wanted patience;
	uint64_t seed;
	struct input_seeds inputs; /* of --inputs-seed: n_given 0: those of this machine */
	bool cache_given;          /* policy.cache is that of --cache */
	struct policy policy;
	bool default_bits;        /* of --bits */
	enum objective objective; /* what decides after the finals */
	const char **probes;      /* NULL-terminated, heap; names borrowed from argv */
	size_t jobs;              /* compilers at once; 0: one for each hardware thread */
	bool resume, no_history, json, durable, confirm, finals, budget_given, untrusted, trust,
		verbose;
	struct profile_options profile; /* of --profile, --probe, --metrics */
	bool build_only;                /* of `asctune build`: the device need not be here */
	unsigned rewrites_off;          /* rewrite_bit()s */
};

extern const struct argp run_argp;

/* Ends the program with EXIT_USAGE on a bad option. */
void run_options_parse(int argc, char **argv, struct run_options *o);
void run_options_fini(struct run_options *o);

#endif
