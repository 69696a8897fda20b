/* Commands as text for a shell: what a person pastes to measure something again, or to accept a
 * change. The only writer of such commands, for terminal and page. */
#ifndef ASCTUNE_TRACK_REPEAT_H
#define ASCTUNE_TRACK_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct track_series;

struct repeat_run {          /* `asctune run`; all borrowed, NULL: not said */
	const char *command; /* another one with these options; NULL: run */
	const char *file;    /* the workload's; NULL: FILE */
	const char *device, *problem, *implementation;
	const char *config;  /* NAME=VALUE,... */
	const char *against; /* as config; "default" */
	const char *cache;   /* name of a cache policy */
	const char *python;  /* interpreter */
	const char *db;
	int64_t limit_ns;      /* 0: not said */
	unsigned rewrites_off; /* rewrite_bit()s */
	char budget[24];       /* as --budget takes it; "": not said */
	bool confirm, resume;
};

void repeat_add_run(struct buf *out, const struct repeat_run *r);

struct repeat_ending { /* how a run ended; as in struct db_run_record */
	const char *outcome, *budget;
	int64_t trials;
	bool finals;    /* finals were held */
	bool unranked;  /* time ran out before them */
	bool undecided; /* they were too noisy: all is to be measured again */
};

/* True for a run that was killed, interrupted or failed, or goes on. */
bool repeat_is_unfinished(const struct repeat_ending *r);

/* Appends "not finished: 7 of 12 trials, no finals". */
void repeat_add_ending(struct buf *out, const struct repeat_ending *r);

/* Sets budget and resume to what continues an unfinished run, or gives a run more time. */
void repeat_go_on(const struct repeat_ending *ending, struct repeat_run *r);

/* Chooses how a series is best measured again: sets budget, implementation and confirm, and returns
 * words for that: "see it". */
const char *repeat_choose(const struct track_series *s, struct repeat_run *r);

/* Appends the command that shows how the sources in the folder of the workload's file changed with
 * a series; false: they did not, or commits were not recorded. */
bool repeat_add_diff(struct buf *out, const struct track_series *s, const char *file);

/* Appends the command that accepts the regression of a series. */
void repeat_add_acknowledgement(struct buf *out, const struct track_series *s, const char *db);

#endif
