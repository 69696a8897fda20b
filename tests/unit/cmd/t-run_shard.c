/* Shares: what engines say in the environment, and who has which problem.
 * covers: run_shard.c */
#include "tuner/cmd/run/run_shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/workload/workload.h"

static const char *const variables[] = {"SLURM_ARRAY_TASK_ID",   "SLURM_ARRAY_TASK_COUNT",
					"SLURM_ARRAY_TASK_MIN",  "SLURM_ARRAY_TASK_MAX",
					"SLURM_ARRAY_TASK_STEP", "SLURM_PROCID",
					"SLURM_NTASKS",          "CI_NODE_INDEX",
					"CI_NODE_TOTAL",         "JOB_COMPLETION_INDEX",
					"PBS_ARRAY_INDEX",       "LSB_JOBINDEX",
					"LSB_JOBINDEX_END",      "SGE_TASK_ID",
					"SGE_TASK_FIRST",        "SGE_TASK_LAST",
					"SGE_TASK_STEPSIZE",     "OMPI_COMM_WORLD_RANK",
					"OMPI_COMM_WORLD_SIZE"};

static struct asc_err e;

/* Sets the variables of "A=1 B=2" alone. */
static void set_environment(const char *text)
{
	char copy[512], *at = NULL;

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	snprintf(copy, sizeof copy, "%s", text);
	for (char *word = strtok_r(copy, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
		char *equals = strchr(word, '=');

		*equals = '\0';
		setenv(word, equals + 1, 1);
	}
}

/* The share "K/N" that `text` means, "" where it is refused. */
static const char *place_of(const char *environment, const char *text)
{
	static char out[64];
	struct shard_place p;

	set_environment(environment);
	*out = '\0';
	if (shard_place_parse(text, &p, &e) == ASC_OK)
		snprintf(out, sizeof out, "%llu/%llu", (unsigned long long)p.number,
			 (unsigned long long)p.count);
	return out;
}

static void test_engines(void)
{
	/* Each line as the engine's documentation has it. */
	static const struct {
		const char *environment, *text, *place;
	} rows[] = {
		{"", "1/1", "1/1"},
		{"", "3/8", "3/8"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=0 "
		 "SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1",
		 "auto", "4/8"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=1 "
		 "SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_STEP=1 SLURM_PROCID=0 SLURM_NTASKS=1",
		 "auto", "3/8"},
		{"SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=10 "
		 "SLURM_ARRAY_TASK_MAX=16 SLURM_ARRAY_TASK_STEP=2",
		 "auto", "3/4"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=3 "
		 "SLURM_ARRAY_TASK_MAX=3 SLURM_ARRAY_TASK_STEP=1",
		 "auto/8", "4/8"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=3 "
		 "SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1",
		 "auto/8", "8/8"},
		/* As in a batch script of Slurm 22.05. */
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=0 "
		 "SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1 SLURM_PROCID=0",
		 "auto/8", "2/8"},
		{"SLURM_PROCID=2 SLURM_NTASKS=4", "auto", "3/4"},
		{"CI_NODE_INDEX=2 CI_NODE_TOTAL=5", "auto", "2/5"},
		{"CI_NODE_INDEX=2 CI_NODE_TOTAL=5", "auto/5", "2/5"},
		{"JOB_COMPLETION_INDEX=0", "auto/6", "1/6"},
		{"PBS_ARRAY_INDEX=6", "auto/6", "6/6"},
		{"LSB_JOBINDEX=2 LSB_JOBINDEX_END=3", "auto", "2/3"},
		{"SGE_TASK_ID=5 SGE_TASK_FIRST=1 SGE_TASK_LAST=7 SGE_TASK_STEPSIZE=2", "auto",
		 "3/4"},
		{"SGE_TASK_ID=undefined OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3", "auto",
		 "2/3"},
		/* Two that agree. */
		{"SLURM_PROCID=1 SLURM_NTASKS=3 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3",
		 "auto", "2/3"},
		/* A job of one task within a row of another engine. */
		{"SLURM_PROCID=0 SLURM_NTASKS=1 JOB_COMPLETION_INDEX=4", "auto/6", "5/6"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *place = place_of(rows[i].environment, rows[i].text);

		tap_ok(strcmp(place, rows[i].place) == 0, "%s of \"%s\" is %s (%s)", rows[i].text,
		       rows[i].environment, rows[i].place, *place ? place : e.text);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *environment, *text, *why;
	} rows[] = {
		{"", "0/4", "shares 1 to 4"},
		{"", "5/4", "shares 1 to 4"},
		{"", "1/0", "there are 1 to"},
		{"", "1/2000000", "there are 1 to"},
		{"", "1", "neither K/N"},
		{"", "-1/4", "neither K/N"},
		{"", "1/4x", "neither K/N"},
		{"", "1/", "neither K/N"},
		{"", "automatic", "neither K/N"},
		{"", "auto", "no engine says"},
		{"", "auto/4", "no engine says"},
		{"JOB_COMPLETION_INDEX=2", "auto", "auto/N"},
		{"JOB_COMPLETION_INDEX=4", "auto/4", "JOB_COMPLETION_INDEX is 4"},
		{"PBS_ARRAY_INDEX=0", "auto/4",
		 "PBS_ARRAY_INDEX is 0, and no share of 4 that begin with 1: give K/N"},
		{"PBS_ARRAY_INDEX=0", "auto",
		 "PBS_ARRAY_INDEX is 0, and no share of N that begin with 1: give K/N"},
		{"LSB_JOBINDEX=0", "auto/4", "no engine says"}, /* a job that is no array */
		{"CI_NODE_INDEX=2 CI_NODE_TOTAL=5", "auto/4", "CI_NODE_TOTAL says"},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=0 "
		 "SLURM_ARRAY_TASK_MAX=7 CI_NODE_INDEX=1 CI_NODE_TOTAL=8",
		 "auto", "SLURM_ARRAY_TASK_ID says share 2/8, CI_NODE_INDEX says 1/8"},
		{"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=3 "
		 "SLURM_ARRAY_TASK_MAX=3",
		 "auto", "part of a row"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 "
		 "SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1",
		 "auto", "part of a row"},
		{"CI_NODE_INDEX=6 CI_NODE_TOTAL=5", "auto", "CI_NODE_INDEX is 6"},
		{"CI_NODE_INDEX=x CI_NODE_TOTAL=5", "auto", "no engine says"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *place = place_of(rows[i].environment, rows[i].text);

		tap_ok(!*place && e.status == ASC_USAGE && strstr(e.text, rows[i].why),
		       "%s of \"%s\" is refused: %s%s", rows[i].text, rows[i].environment, place,
		       *place ? "" : e.text);
	}
	set_environment("");
}

/* Every problem has one share, no share has two more than another, and no problem moves when
 * another order of files is given. */
static void test_dealing(void)
{
	enum { PROBLEMS = 10, SHARES = 4, MORE = 16 };
	char names[PROBLEMS][8];
	struct workload w = {.name = "w", .hash = "0123"};
	struct problem problems[PROBLEMS] = {{0}};
	size_t all = 0;
	char dealt[HASH_TEXT_SIZE] = "";

	for (size_t i = 0; i < PROBLEMS; i++) {
		snprintf(names[i], sizeof names[i], "p%zu", i);
		problems[i].name = names[i];
	}
	bool same = true, even = true, moved = false;

	for (uint64_t k = 1; k <= SHARES; k++) {
		struct run_shard there = {.place = {k, SHARES}}, back = {.place = {k, SHARES}};

		for (size_t i = 0; i < PROBLEMS; i++) {
			tap_int(run_shard_add(&there, 0, &w, &problems[i], &e), ASC_OK, "added");
			(void)run_shard_add(&back, 0, &w, &problems[PROBLEMS - 1 - i], &e);
		}
		if (run_shard_deal(&there, NULL, "cpu", &e) ||
		    run_shard_deal(&back, NULL, "cpu", &e))
			tap_ok(false, "dealt out: %s", e.text);
		for (size_t i = 0; i < PROBLEMS; i++) {
			all += run_shard_has(&there, 0, names[i]);
			moved |= run_shard_has(&there, 0, names[i]) !=
				 run_shard_has(&back, 0, names[i]);
		}
		even &= there.own == PROBLEMS / SHARES || there.own == PROBLEMS / SHARES + 1;
		same &= k == 1 || strcmp(dealt, there.dealt) == 0;
		memcpy(dealt, there.dealt, sizeof dealt);
		same &= strcmp(dealt, back.dealt) == 0;
		run_shard_fini(&there);
		run_shard_fini(&back);
	}
	tap_int((long long)all, PROBLEMS, "each problem has one share");
	tap_ok(even, "shares are even");
	tap_ok(same && !moved, "in whatever order problems come");

	struct run_shard last = {.place = {MORE, MORE}};

	for (size_t i = 0; i < PROBLEMS; i++)
		(void)run_shard_add(&last, 0, &w, &problems[i], &e);
	tap_int(run_shard_deal(&last, NULL, "cpu", &e), ASC_OK, "more shares than problems");
	tap_int((long long)last.own, 0, "the last share has none");
	tap_int((long long)run_shard_count(&last, PROBLEMS), 1, "share 10 has one");
	tap_ok(!run_shard_has(&last, 0, names[0]), "a problem of another share is none of its own");
	run_shard_fini(&last);
}

int main(void)
{
	test_engines();
	test_refused();
	test_dealing();
	return tap_done();
}
