/* `asctune run` on several devices: a fiber for each, which takes one problem after another. They
 * share the database, the pool of compilers and this process. */
#ifndef ASCTUNE_CMD_RUN_RUN_SEVERAL_H
#define ASCTUNE_CMD_RUN_RUN_SEVERAL_H

#include "tuner/base/err.h"

struct command_run;
struct run_several;

/* Opens the device of the options, or each of several: then s->several.lanes is set. */
enum asc_status run_several_open(struct command_run *s, struct asc_err *e);

/* Tunes all problems of the command's files, and prints the answers in their order. */
enum asc_status run_several_tune(struct command_run *s, struct asc_err *e);
void run_several_close(struct run_several *m); /* of one device, too */

#endif
