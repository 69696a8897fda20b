/* Completions of asctune's command lines by a shell, from the tables that --help is made of: the
 * text that stands for a value there says which values there are. */
#ifndef ASCTUNE_CMD_COMPLETION_COMPLETION_H
#define ASCTUNE_CMD_COMPLETION_COMPLETION_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/buf.h"

enum completion_paths { PATHS_NONE, PATHS_ANY, PATHS_WORKLOADS, PATHS_FOLDERS, PATHS_PROGRAMS };

struct completion {
	struct buf words; /* separated by blanks */
	enum completion_paths paths;
};

/* "none", "files", "workloads" (*.json and folders), "folders", "programs": kinds of paths, as the
 * scripts call them. */
const char *completion_paths_name(enum completion_paths p);

/* Finds the words and paths that may stand for the value of an option, and for the arguments of a
 * command, all of them together; the caller ends them with completion_take_words(). */
void completion_find_value(const struct argp_option *o, struct completion *out);
void completion_find_arguments(const struct argp *a, struct completion *out);

/* Appends `before` and the words, if there are any, and ends their storage. */
void completion_take_words(struct completion *c, const char *before, struct buf *out);

bool completion_has_letter(const struct argp_option *o); /* it has a short name, too */

/* Length of the first clause of a text: scripts have no room for more. */
size_t completion_clause(const char *text);

/* Append the script of one shell. */
void completion_write_bash(struct buf *out);
void completion_write_zsh(struct buf *out);
void completion_write_fish(struct buf *out);

#endif
