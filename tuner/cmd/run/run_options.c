#include "tuner/cmd/run/run_options.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/problem_sizes.h"
#include "tuner/cmd/target.h"

enum {
	KEY_SEED = 256,
	KEY_INPUTS_SEED,
	KEY_RESUME,
	KEY_NO_HISTORY,
	KEY_KNOWN,
	KEY_WITH,
	KEY_SHARD,
	KEY_BY,
	KEY_FINALS,
	KEY_PATIENCE,
	KEY_WARMUP,
	KEY_REPEATS,
	KEY_NO_RACE,
	KEY_RACES,
	KEY_BITS,
	KEY_LIMIT,
	KEY_CACHE,
	KEY_DURABLE,
	KEY_PROBE,
	KEY_PROFILE,
	KEY_METRICS,
	KEY_OBJECTIVE,
	KEY_NO_REWRITE,
	KEY_CONFIRM,
	KEY_CONFIG,
	KEY_DIMS,
	KEY_DTYPE,
	KEY_COVER,
	KEY_TABLE,
	KEY_UNTRUSTED,
	KEY_TRUST,
	KEY_PYTHON,
	KEY_PYTHON_NPU,
	KEY_CANN,
	MAX_LAUNCHES = 1000000
};

/* Shorter than a launch may take that did nothing wrong, on a busy machine. */
static const int64_t min_limit_ns = INT64_C(1000000);

static const struct loop_budget default_budget = {.trials = 200, .ns = INT64_C(60000000000)};

static const struct argp_option options[] = {
	{"device", 'D', "DEVICE", 0, TARGET_DEVICES_HELP, 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"dims", KEY_DIMS, "M=8,N=4096", 0, PROBLEM_SIZES_DIMS_HELP, 0},
	{"dtype", KEY_DTYPE, "TYPE", 0, PROBLEM_SIZES_DTYPE_HELP, 0},
	{"impl", 'i', "NAME", 0,
	 "only this implementation (default: all that can run, functions of Python where --python "
	 "or $ASCTUNE_PYTHON names an interpreter)",
	 0},
	{"config", KEY_CONFIG, "K=V,...", 0,
	 "builds, verifies and measures this one configuration instead of searching, and "
	 "shows all that is known of it; parameters that are not given have their default",
	 0},
	{"strategy", 's', "STRATEGY", 0,
	 "search strategy, one of `asctune list strategies` (default auto: for each "
	 "implementation exhaustive where the budget is sure to cover its space and there is no "
	 "--patience, else model)",
	 0},
	{"budget", 'b', "N|TIME|all", 0,
	 "budget of each problem: trials (200), time with the finals included (30s, 5m), "
	 "or all configurations (default: 200 trials or 60s, whichever ends first)",
	 0},
	{"patience", KEY_PATIENCE, "PCT%|N", 0,
	 "ends a search before its budget: when less than PCT % of the best time is expected of "
	 "the rest, after 50 results at the earliest, or when N results in a row gained nothing "
	 "(0.5 %); default: the whole budget",
	 0},
	{"seed", KEY_SEED, "N", 0, "seed of the search (default 1)", 0},
	{"inputs-seed", KEY_INPUTS_SEED, "A,B", 0,
	 "seeds of the sets of inputs behind the first, on which the answer is verified, as "
	 "`asctune show` has them: repeats on another machine what was verified on one (default: "
	 "two that are this machine's own)",
	 0},
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"resume", KEY_RESUME, NULL, 0,
	 "takes recorded results instead of measuring the same again", 0},
	{"no-history", KEY_NO_HISTORY, NULL, 0,
	 "begins without the earlier results of the same kernel in the database (default: with "
	 "those of the four problems and devices that are most alike, imported ones among them; "
	 "the best of them are tried after the default configuration)",
	 0},
	{"known", KEY_KNOWN, "FILE", 0,
	 "begins with what another database knows of the kernel, which is only read: its best on "
	 "record and what won there last are measured behind the default configuration and take "
	 "part in "
	 "the finals, and its earlier results take the place of those in --db",
	 0},
	{"with", KEY_WITH, "FILE", 0,
	 "begins with the earlier results of another database instead of those in --db, deals "
	 "problems out by the times in it (--shard), and takes its results with --resume; it is "
	 "never written, and nobody else may write to it meanwhile",
	 0},
	{"shard", KEY_SHARD, "K/N|auto|auto/N", 0,
	 "tunes a part of the problems, number K of N (from 1), and N commands like this one, on "
	 "machines of their own, tune all: the longest first by the times in --with, else by "
	 "hashes of their names; auto asks Slurm, GitLab, LSF, Grid Engine or mpirun, auto/N also "
	 "PBS and Kubernetes, which say no N",
	 0},
	{"by", KEY_BY, "WAY", 0,
	 "what --shard deals out: problems (default), or configurations, where each share tries "
	 "its part of every space, beside the default, with a budget of its own; the finals of "
	 "these are held after `asctune merge`",
	 0},
	{"finals", KEY_FINALS, NULL, 0,
	 "searches nothing: compares in the same rounds, on this device, what may be the answer of "
	 "each problem by all results in --db on devices of its model, beside the defaults and the "
	 "baseline, as after `asctune merge` of several machines' databases",
	 0},
	{"confirm", KEY_CONFIRM, NULL, 0,
	 "instead of tuning, measures again what `asctune track` finds suspect: new regressions, "
	 "kernels whose source or toolchain changed since the run before, and times far above "
	 "their level; the configuration that won before against the one that wins now, in the "
	 "same rounds, with the recorded artifacts while the cache has them; exit status "
	 "1 when one is slower",
	 0},
	{"cover", KEY_COVER, "PCT%", 0,
	 "after tuning, chooses for each implementation the fewest configurations that lose no "
	 "more than PCT % (geometric mean) over all problems, and measures each, beside the "
	 "default, on the problems that it serves: what `asctune export --cover` then writes; "
	 "takes at most a quarter of the time of --budget more",
	 0},
	{"table", KEY_TABLE, "READER", 0,
	 "after tuning, proves the table that `asctune export` writes for a reader (`asctune list "
	 "readers`): measures each of its answers, at the sizes of its rows and between them, "
	 "beside "
	 "what the library takes without the table, and gives the table that one's rows until no "
	 "answer is slower; takes at most a quarter of the time of --budget more",
	 0},
	{"probe", KEY_PROBE, "PROBE,...", 0,
	 "probes, separated by commas (`asctune list probes`): those that enclose launches count "
	 "further ones of each configuration, those that replay them count after the finals, as "
	 "--profile does",
	 0},
	{"profile", KEY_PROFILE, "SET", OPTION_ARG_OPTIONAL,
	 "after the finals, counts why the winner, its ties, the default and the baseline take "
	 "their "
	 "time: a set of metrics (`asctune list metrics`; default " PROFILE_DEFAULT_SET ")",
	 0},
	{"metrics", KEY_METRICS, "FILE", COMMAND_REPEATABLE, PROFILE_METRICS_HELP, 0},
	{"objective", KEY_OBJECTIVE, "OBJECTIVE", 0,
	 "what is least: time (default), energy (of a launch) or edp (energy times time); for "
	 "those two, the energies of up to 24 configurations that take at most 1.5 times the best "
	 "time are measured after the finals, and decide",
	 0},
	{"warmup", KEY_WARMUP, "N", 0,
	 "launches before the first sample (default 2, fewer where kernels are slow)", 0},
	{"repeats", KEY_REPEATS, "N", 0,
	 "takes exactly N samples of each configuration: no early stopping, no finals", 0},
	{"no-race", KEY_NO_RACE, NULL, 0,
	 "takes all samples of each configuration, however slow it is: for records of whole "
	 "spaces, which `asctune replay` scores strategies on",
	 0},
	{"races", KEY_RACES, "N", 0,
	 "launches of the answer and its ties whose outputs are compared after the finals, which "
	 "shows races (default: for 5 % of the run's time, at least 64; of the answer until 2000 "
	 "were compared, 500 where one takes over 0.2 ms, but no longer than 0.25 s beyond that; "
	 "0: none)",
	 0},
	{"bits", KEY_BITS, "default", 0,
	 "chooses only among configurations whose outputs have the bits of the default's, in every "
	 "launch that is compared; else the default",
	 0},
	{"cache", KEY_CACHE, "cold|hot", 0,
	 "caches at each launch: without its tensors (cold), or as the launch before left them "
	 "(hot); default: what the workload says, else cold; times of the two are never "
	 "compared",
	 0},
	{"limit", KEY_LIMIT, "TIME", 0,
	 "time after which a launch that has not ended is a time-out (default 15s, less "
	 "once a configuration has passed); 15s more for what loads first",
	 0},
	{"no-rewrite", KEY_NO_REWRITE, "REWRITE", COMMAND_REPEATABLE, COMMAND_NO_REWRITE_HELP, 0},
	{"jobs", 'J', "N", 0, "number of compilers at once (default: one for each hardware thread)",
	 0},
	{"python", KEY_PYTHON, "PROGRAM", 0, COMMAND_PYTHON_HELP, 0},
	{"python-npu", KEY_PYTHON_NPU, "PROGRAM", 0, COMMAND_PYTHON_NPU_HELP, 0},
	{"cann", KEY_CANN, "DIR", 0, COMMAND_CANN_HELP, 0},
	{"durable", KEY_DURABLE, NULL, 0,
	 "makes every result survive a power failure, not only a crash", 0},
	{"untrusted", KEY_UNTRUSTED, NULL, 0, COMMAND_UNTRUSTED_HELP, 0},
	{"trust", KEY_TRUST, NULL, 0, COMMAND_TRUST_HELP, 0},
	{"verbose", 'v', NULL, 0,
	 "prints more of each problem: rates, errors, the default and the baseline, the history "
	 "it began with, the machine, where the time went",
	 0},
	{"json", 'j', NULL, 0, "prints JSON lines: the run, every trial, the summary", 0},
	{0}};

static void parse_budget(struct argp_state *state, const char *arg, struct loop_budget *out)
{
	*out = (struct loop_budget){0};
	if (strcmp(arg, "all") == 0 || units_parse_count(arg, &out->trials) ||
	    units_parse_duration(arg, &out->ns))
		return;
	command_refuse(state,
		       "--budget: \"%s\" is neither a count (200), a time with a unit (30s, at "
		       "most " UNITS_DURATION_MOST ") nor all",
		       arg);
}

static void parse_probes(struct argp_state *state, char *arg, struct run_options *o)
{
	if (!o->probes)
		o->probes = calloc(PROFILE_MAX_PROBES + 1, sizeof *o->probes);
	if (o->probes)
		profile_options_add_probes(&o->profile, state, arg, o->probes);
	else
		command_refuse(state, "out of memory");
}

/* More would outlast every budget and limit, as one trial is never cut short. */
static int64_t parse_launches(struct argp_state *state, const char *name, const char *arg,
			      uint64_t least)
{
	uint64_t n;

	command_parse_count(state, name, arg, least, &n);
	if (n > MAX_LAUNCHES)
		command_refuse(state, "--%s: \"%s\" is more than %d", name, arg, MAX_LAUNCHES);
	return (int64_t)n;
}

static void parse_policy(struct argp_state *state, int key, const char *arg, struct policy *policy)
{
	if (key == KEY_WARMUP)
		policy_fix_repeats(policy, parse_launches(state, "warmup", arg, 0), -1);
	else
		policy_fix_repeats(policy, -1, parse_launches(state, "repeats", arg, 1));
}

/* Messages to workers hold numbers up to 2^53 exactly; further processes count on from the seed. */
static void parse_seed(struct argp_state *state, const char *arg, uint64_t *seed)
{
	static const uint64_t most = UINT64_C(1) << 52;

	command_parse_count(state, "seed", arg, 0, seed);
	if (*seed > most)
		command_refuse(state, "--seed: \"%s\" is more than %llu", arg,
			       (unsigned long long)most);
}

static void parse_inputs_seed(struct argp_state *state, const char *arg, struct input_seeds *out)
{
	if (!input_seeds_parse(arg, out))
		command_refuse(state,
			       "--inputs-seed: \"%s\" is not a list of up to %d different seeds "
			       "from 2 to 2^53 - 1 (4711,815)",
			       arg, WORKLOAD_MAX_SETS - 1);
}

static void parse_shard(struct argp_state *state, const char *arg, struct shard_place *out)
{
	struct asc_err e;

	if (shard_place_parse(arg, out, &e))
		command_refuse(state, "--shard: %s", e.text);
}

static void parse_limit(struct argp_state *state, const char *arg, struct policy *policy)
{
	if (!units_parse_duration(arg, &policy->limit_ns))
		command_refuse(state,
			       "--limit: \"%s\" is not a time with a unit (10s, at "
			       "most " UNITS_DURATION_MOST ")",
			       arg);
	if (policy->limit_ns < min_limit_ns)
		command_refuse(state, "--limit: \"%s\" is less than 1ms", arg);
}

/* Refuses options of searches and of --resume beside --config. */
static void check_config(struct argp_state *state, struct run_options *o)
{
	/* One name is enough: the user sees the next one after that. */
	const char *other = o->confirm                         ? "confirm"
			    : o->finals                        ? "finals"
			    : o->cover_text                    ? "cover"
			    : o->table                         ? "table"
			    : o->known                         ? "known"
			    : o->with                          ? "with"
			    : o->shard.number                  ? "shard"
			    : o->resume                        ? "resume"
			    : o->strategy                      ? "strategy"
			    : o->budget_given                  ? "budget"
			    : patience_is_wanted(&o->patience) ? "patience"
							       : NULL;

	if (o->config && other)
		command_refuse(state, "--config is for one configuration: --%s does not go with it",
			       other);
	if (o->config)
		o->budget = (struct loop_budget){.trials = 1};
}

/* Refuses what does not go with --shard, --by and --with. */
static void check_shard(struct argp_state *state, const struct run_options *o)
{
	/* These are about all problems, which are together behind a merge alone. */
	if (o->shard.number && (o->confirm || o->cover_text || o->table))
		command_refuse(state,
			       "--shard has a part of the problems: --%s does not go with "
			       "it",
			       o->confirm ? "confirm"
			       : o->table ? "table"
					  : "cover");
	if (o->by_given && !o->shard.number)
		command_refuse(state, "--by says what --shard deals out, which is not "
				      "given");
	if (o->by_configurations && (o->default_bits || o->objective != OBJECTIVE_TIME))
		command_refuse(state,
			       "--by configurations holds no finals: --%s does not go with "
			       "it",
			       o->default_bits ? "bits" : "objective");
	if (o->with && (o->confirm || o->known || o->no_history))
		command_refuse(state, "--with has the history: --%s does not go with it",
			       o->confirm ? "confirm"
			       : o->known ? "known"
					  : "no-history");
}

/* Refuses options of searches beside --finals. */
static void check_finals(struct argp_state *state, const struct run_options *o)
{
	const char *other = o->confirm                         ? "confirm"
			    : o->shard.number                  ? "shard"
			    : o->cover_text                    ? "cover"
			    : o->table                         ? "table"
			    : o->known                         ? "known"
			    : o->with                          ? "with"
			    : o->resume                        ? "resume"
			    : o->strategy                      ? "strategy"
			    : patience_is_wanted(&o->patience) ? "patience"
			    : o->policy.finals.ratio <= 0      ? "repeats"
							       : NULL;

	if (o->finals && other)
		command_refuse(state, "--finals searches nothing: --%s does not go with it", other);
}

static error_t parse_argument(struct run_options *o, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_NO_ARGS:
		command_refuse(state, "a workload FILE or FOLDER is needed");
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			command_refuse(state, "one FILE or FOLDER at a time");
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (o->confirm && o->resume)
			command_refuse(state,
				       "--confirm measures again: --resume does not go with it");
		if (o->confirm && (o->cover_text || o->table))
			command_refuse(state,
				       "--confirm measures what was chosen: --%s does not go with "
				       "it",
				       o->cover_text ? "cover" : "table");
		check_shard(state, o);
		if (o->confirm && (o->dims || o->dtype))
			command_refuse(state, "--confirm measures histories: --dims and --dtype do "
					      "not go with it");
		if (o->objective != OBJECTIVE_TIME &&
		    (o->config || o->confirm || o->cover_text || o->table))
			command_refuse(state, "--objective %s chooses: --%s does not go with it",
				       objective_name(o->objective),
				       o->config    ? "config"
				       : o->confirm ? "confirm"
				       : o->table   ? "table"
						    : "cover");
		if (o->default_bits &&
		    (o->config || o->confirm || o->table || o->policy.finals.ratio <= 0))
			command_refuse(state,
				       "--bits chooses among finalists: --%s does not go with it",
				       o->config    ? "config"
				       : o->confirm ? "confirm"
				       : o->table   ? "table"
						    : "repeats");
		check_finals(state, o);
		if (o->trust && o->untrusted)
			command_refuse(state, COMMAND_TRUST_FAULT);
		check_config(state, o);
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

/* Options that are a member of struct run_options. */
static const struct {
	int key;
	size_t offset;
} flags[] = {{'j', offsetof(struct run_options, json)},
	     {'v', offsetof(struct run_options, verbose)},
	     {KEY_RESUME, offsetof(struct run_options, resume)},
	     {KEY_NO_HISTORY, offsetof(struct run_options, no_history)},
	     {KEY_CONFIRM, offsetof(struct run_options, confirm)},
	     {KEY_FINALS, offsetof(struct run_options, finals)},
	     {KEY_UNTRUSTED, offsetof(struct run_options, untrusted)},
	     {KEY_TRUST, offsetof(struct run_options, trust)},
	     {KEY_DURABLE, offsetof(struct run_options, durable)}},
  texts[] = {{'D', offsetof(struct run_options, device)},
	     {'i', offsetof(struct run_options, implementation)},
	     {'d', offsetof(struct run_options, db)},
	     {KEY_CONFIG, offsetof(struct run_options, config)},
	     {KEY_KNOWN, offsetof(struct run_options, known)},
	     {KEY_WITH, offsetof(struct run_options, with)},
	     {KEY_DIMS, offsetof(struct run_options, dims)},
	     {KEY_DTYPE, offsetof(struct run_options, dtype)},
	     {KEY_TABLE, offsetof(struct run_options, table)}};

static bool set_member(struct run_options *o, int key, const char *arg)
{
	char *const base = (char *)o;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (flags[i].key == key) {
			*(bool *)(base + flags[i].offset) = true;
			return true;
		}
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].key == key) {
			*(const char **)(base + texts[i].offset) = arg;
			return true;
		}
	return false;
}

static error_t parse_measuring(struct run_options *o, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case KEY_PROBE: parse_probes(state, arg, o); return 0;
	case KEY_METRICS: profile_options_add_file(&o->profile, state, arg); return 0;
	case KEY_PROFILE:
		o->profile.wanted = true;
		o->profile.set = arg;
		return 0;
	case KEY_OBJECTIVE: command_parse_objective(state, arg, &o->objective); return 0;
	case KEY_LIMIT: parse_limit(state, arg, &o->policy); return 0;
	case KEY_CACHE:
		if (!cache_policy_parse(arg, &o->policy.cache))
			command_refuse(state, "--cache: \"%s\" is neither cold nor hot", arg);
		o->cache_given = true;
		return 0;
	case KEY_NO_RACE: policy_stop_racing(&o->policy); return 0;
	case KEY_BITS:
		if (strcmp(arg, "default") != 0)
			command_refuse(state, "--bits: \"%s\" is not default", arg);
		o->default_bits = true;
		return 0;
	case KEY_RACES: o->policy.races = parse_launches(state, "races", arg, 0); return 0;
	case KEY_WARMUP:
	case KEY_REPEATS: parse_policy(state, key, arg, &o->policy); return 0;
	default: return parse_argument(o, key, arg, state);
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;
	uint64_t n = 0;

	if (set_member(o, key, arg))
		return 0;
	switch (key) {
	case 'p': problem_choice_add(&o->problems, state, arg); return 0;
	case 's': command_parse_strategy(state, arg, &o->strategy); return 0;
	case 'b':
		parse_budget(state, arg, &o->budget);
		o->budget_given = true;
		return 0;
	case 'J':
		command_parse_count(state, "jobs", arg, 1, &n);
		o->jobs = n < 1024 ? n : 1024;
		return 0;
	case KEY_SEED: parse_seed(state, arg, &o->seed); return 0;
	case KEY_INPUTS_SEED: parse_inputs_seed(state, arg, &o->inputs); return 0;
	case KEY_PATIENCE: command_parse_patience(state, arg, &o->patience); return 0;
	case KEY_BY:
		o->by_given = true;
		o->by_configurations = strcmp(arg, "configurations") == 0;
		if (!o->by_configurations && strcmp(arg, "problems") != 0)
			command_refuse(state, "--by: \"%s\" is neither problems nor configurations",
				       arg);
		return 0;
	case KEY_SHARD: parse_shard(state, arg, &o->shard); return 0;
	case KEY_COVER:
		o->cover = command_parse_part(state, "cover", arg);
		o->cover_text = arg;
		return 0;
	case KEY_PYTHON:
		command_parse_python(state, arg);
		o->python = arg;
		return 0;
	case KEY_PYTHON_NPU: command_parse_python_npu(state, arg); return 0;
	case KEY_CANN: command_parse_cann(state, arg); return 0;
	case KEY_NO_REWRITE: command_parse_no_rewrite(state, arg, &o->rewrites_off); return 0;
	default: return parse_measuring(o, key, arg, state);
	}
}

const struct argp run_argp = {
	options,
	parse_option,
	"FILE|FOLDER",
	"Tunes the problems of a workload: builds, verifies and measures "
	"configurations, records every result, and "
	"prints the best one of each problem.\v"
	"SIGINT, SIGTERM or SIGHUP ends a run cleanly; --resume goes on where any earlier run "
	"of the same kernel on the same device ended.",
	0,
	0,
	0};

void run_options_parse(int argc, char **argv, struct run_options *o)
{
	*o = (struct run_options){.budget = default_budget, .seed = 1, .policy = policy_default};
	command_parse(&run_argp, argc, argv, o);
}

void run_options_fini(struct run_options *o)
{
	free(o->probes);
	profile_options_fini(&o->profile);
}
