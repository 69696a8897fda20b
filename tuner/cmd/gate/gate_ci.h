/* A gate's findings for a pull request and a CI system (reports/track/ci_text.h). */
#ifndef ASCTUNE_CMD_GATE_GATE_CI_H
#define ASCTUNE_CMD_GATE_GATE_CI_H

#include <stdint.h>

#include "tuner/base/err.h"

struct buf;
struct gate;

#define GATE_MARK "asctune gate" /* near the beginning of each file */

/* Writes a summary of at most 60 lines, for a comment or $GITHUB_STEP_SUMMARY: counts, base, a row
 * for each kernel that is not unchanged, the worst first, totals. Of more kernels than fit, the
 * last ones are counted. `spent_ns`: time of the whole gate. */
void gate_write_markdown(const struct gate *g, int64_t spent_ns, struct buf *out);

/* Writes a test case for each kernel: what gives exit status 1 fails, and what is undecided, fails
 * on both sides, or is gone is skipped. */
void gate_write_junit(const struct gate *g, struct buf *out);

/* Writes workflow commands for GitHub, one a line: the counts, then the kernels that give exit
 * status 1, one for each place, nine at most (GitHub shows ten of a kind); nothing where there is
 * none. A place is the first line of the kernel's source that names its entry; the workload's file
 * where the source is none of the checkout. Fails where memory runs out. */
enum asc_status gate_write_annotations(const struct gate *g, struct buf *out, struct asc_err *e);

/* Writes a code quality report as GitLab reads it, an array of JSON: an issue for each kernel that
 * is broken ("critical") or slower ("major", "minor" where it is let through), at its place.
 * Source of the format: docs.gitlab.com/ci/testing/code_quality. */
enum asc_status gate_write_quality(const struct gate *g, struct buf *out, struct asc_err *e);

#endif
