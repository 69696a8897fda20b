/* The devices of `asctune run`, one or several: each takes one problem after another, in a fiber of
 * its own where there are several. They share the database, the pool of compilers and this
 * process. */
#ifndef ASCTUNE_CMD_RUN_RUN_LANES_H
#define ASCTUNE_CMD_RUN_RUN_LANES_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct command_run;
struct run_lanes;

/* Opens the devices of the options, with a lane for each. */
enum asc_status run_lanes_open(struct command_run *s, struct asc_err *e);

/* Lists the problems of the command's files, of a share those that are its own. *empty: a share
 * that has none, while others do. */
enum asc_status run_lanes_list(struct command_run *s, bool *empty, struct asc_err *e);

/* Tunes the problems of the list, and prints the answers in their order. */
enum asc_status run_lanes_tune(struct command_run *s, struct asc_err *e);
void run_lanes_close(struct command_run *s);

#endif
