/* Files that a command writes where its user says, again and again, and what it tells a CI. */
#ifndef ASCTUNE_CMD_TERMINAL_OUTPUT_H
#define ASCTUNE_CMD_TERMINAL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;

/* True for the path "-": standard output, which has that file and nothing else then. */
bool output_is_stdout(const char *path);

/* Fails for a file that output_write() would refuse, or that has no folder where it could be made:
 * for commands that work long before they write it. */
enum asc_status output_check(const char *path, const char *mark, struct asc_err *e);

/* Writes a file as file_write() does, but replaces only what is empty, `[]` or has `mark` within
 * its first 1,024 bytes, and removes what a process that was killed there has left. ASC_USAGE for
 * another file: a database, or a user's own text. */
enum asc_status output_write(const char *path, const char *mark, const void *data, size_t n,
			     struct asc_err *e);

/* Writes a text to a file as output_write() does, or to standard output. Fails where `text` has. */
enum asc_status output_put(const char *path, const char *mark, const struct buf *text,
			   struct asc_err *e);

/* Prints workflow commands to stderr where GitHub reads them, in its jobs, and nothing elsewhere.
 * Fails where `lines` has. */
enum asc_status output_annotate(const struct buf *lines, struct asc_err *e);
bool output_is_github(void);

/* Appends Markdown to the file that $GITHUB_STEP_SUMMARY names, if any; one that cannot be written
 * is a warning. `written`: a file that has it already, or NULL. */
void output_add_summary(const struct buf *markdown, const char *written);

#endif
