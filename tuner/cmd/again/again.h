/* Measuring again: two kernels, or one as it was and as it is, in the same rounds. `asctune
 * reproduce`, `asctune compare` and `asctune run --confirm` take this path, and differ in what they
 * compare and in words:
 *
 * 1. A claim (claim.h) is what was recorded: configuration, artifact, sources, policy.
 * 2. A session (run/run_session.h) opens the device.
 * 3. Both sides are measured in three processes (tune/measure_again.h), a recorded side by its
 *    recorded artifact while the cache has it, each from its own copy of the workload.
 * 4. Where that artifact is gone and today's sources are no substitute, scratch_open_commit() gets
 *    the sources of its commit from git, and both sides are measured once more.
 * 5. The verb judges: result/reproduction, the ratio itself, or track/track_confirm. */
#ifndef ASCTUNE_CMD_AGAIN_AGAIN_H
#define ASCTUNE_CMD_AGAIN_AGAIN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/confirmation.h"

struct json_node;
struct json_writer;
struct run_options;
struct workload;

/* A workload's file in a scratch folder, opened, which children may read. The caller's storage,
 * zeroed at first, and closed by the caller whatever comes of opening it. */
struct scratch_workload {
	char *folder, *path;
	struct workload *workload;
};

/* Opens a workload's file as it is in a commit, with the sources that it names. `path`: the file
 * today; `commit`, `sources` and ASC_ABSENT: as for source_commit_write(). ASC_NOTFOUND where it
 * lacks the implementation; NULL: none is needed. */
enum asc_status scratch_open_commit(const char *path, const char *commit,
				    const struct json_node *sources, const char *implementation,
				    struct scratch_workload *out, struct asc_err *e);

void scratch_close(struct scratch_workload *f);

/* Writes the median of one side in each process, an array; empty where no process was timed. */
void again_write_medians(const struct confirmation *c, enum confirmation_side side, const char *key,
			 struct json_writer *w);

/* `asctune run --confirm` (run_confirm.c): measures again the suspects
 * (reports/track/track_confirm.h) in the database for this device and the wanted workloads,
 * problems and implementations; records and prints the results. Returns the exit status: 1 if one
 * is slower. */
int run_confirm(const struct run_options *o, const volatile sig_atomic_t *stop);

#endif
