/* The system's C compiler: which one, and what it says it is. */
#ifndef ASCTUNE_BUILD_COMPILER_H
#define ASCTUNE_BUILD_COMPILER_H

#include "tuner/base/err.h"

struct buf;
struct build_command;

/* Adds the words that start a command: $CC split at spaces, else the first of cc, gcc, clang in
 * PATH; the program as an absolute path. The command fails with ASC_ABSENT when there is none. */
void compiler_add(struct build_command *c);

/* Appends those words and the first line of what `--version` prints; asked once for each $CC and
 * PATH. */
enum asc_status compiler_identity(struct buf *out, struct asc_err *e);

/* Appends the folders where it looks for headers, each in a line ` FOLDER`; asked once likewise. */
enum asc_status compiler_folders(struct buf *out, struct asc_err *e);

#endif
