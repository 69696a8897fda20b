/* Files that a command writes where its user says, again and again. */
#ifndef ASCTUNE_CMD_TERMINAL_OUTPUT_H
#define ASCTUNE_CMD_TERMINAL_OUTPUT_H

#include <stddef.h>

#include "tuner/base/err.h"

/* Writes a file as file_write() does, but replaces only what is empty or has `mark` within its
 * first 1,024 bytes, and removes what a process that was killed there has left. ASC_USAGE for
 * another file: a database, or a user's own text. */
enum asc_status output_write(const char *path, const char *mark, const void *data, size_t n,
			     struct asc_err *e);

#endif
