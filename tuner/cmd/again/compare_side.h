/* The two sides of `asctune compare`: what their texts name, opened, and the problem,
 * implementation and configuration that are measured of each. */
#ifndef ASCTUNE_CMD_AGAIN_COMPARE_SIDE_H
#define ASCTUNE_CMD_AGAIN_COMPARE_SIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/cmd/again/again.h"
#include "tuner/cmd/again/claim.h"
#include "tuner/tune/source_commit.h"

struct buf;
struct run_session;

enum { COMPARE_SIDES = 2 };

extern const char *const compare_names[COMPARE_SIDES]; /* "A", "B" */

struct compare_choice { /* options, NULL where not given; borrowed */
	const char *workload, *problem, *implementation, *config, *device, *cache, *db;
	bool trust;
};

/* Kinds of things that the text of a side names. */
enum compare_kind {
	COMPARE_FILE,   /* a workload's file */
	COMPARE_CONFIG, /* a configuration of it */
	COMPARE_COMMIT, /* the file as a commit has it */
	COMPARE_TRIAL,  /* a recorded trial */
	COMPARE_RUN     /* what a recorded run chose */
};

struct compare_side {     /* the caller's storage, zeroed but for the text */
	const char *text; /* as it was given */
	enum compare_kind kind;
	int64_t run_id; /* of a run */
	struct json_doc
		*row; /* of a trial, that of a run too, with the claim that borrows from it */
	struct claim claim;
	struct source_commit commit;
	struct scratch_workload past; /* of the commit */
	struct workload *own;         /* any other */
	char *file;                   /* path of the workload's file today; heap */
	bool gone;                    /* the recorded artifact is gone: another build is measured */
	struct asc_err why;           /* why not from its commit, status ASC_OK: from its commit */

	struct workload *workload; /* one of those two */
	const struct problem *problem;
	const char *implementation;
	char *config; /* key of the whole configuration; heap */
};

/* Finds what each text names, and opens its workload. ASC_INPUT for workloads that have nothing in
 * common. The caller closes both sides, also after a failure. */
enum asc_status compare_side_open(struct compare_side sides[COMPARE_SIDES],
				  const struct compare_choice *o, struct asc_err *e);
void compare_side_close(struct compare_side *s);

/* Chooses a value for both sides: the option's, else that of the first recorded side; `first` and
 * `second` are the values in the records. NULL: no side was recorded. */
const char *compare_side_wanted(const struct compare_side sides[COMPARE_SIDES], const char *option,
				const char *first, const char *second);

/* Finds problem, implementation and configuration of each side. ASC_INPUT if the two compute
 * different things. */
enum asc_status compare_side_settle(struct compare_side sides[COMPARE_SIDES],
				    const struct compare_choice *o, struct run_session *on,
				    struct asc_err *e);

/* Replaces a recorded artifact that is gone by sources: the recorded ones, if git has exactly
 * these, else today's. The caller settles both sides again. */
void compare_side_rebuild(struct compare_side *s);

/* Appends what stands before the file: "trial 3: "; nothing for files and configurations. */
void compare_side_name(const struct compare_side *s, struct buf *out);

#endif
