/* asctune worker: the process that touches a device; started by `asctune run`, not by people. */
#include <stdio.h>
#include <unistd.h>

#include "tuner/base/channel.h"
#include "tuner/cmd/command.h"
#include "tuner/run/worker_verbs.h"

extern const struct command worker_command;

static int worker_main(int argc, char **argv)
{
	struct asc_err e;

	(void)argc, (void)argv;
	return worker_serve(CHANNEL_FD, &e) ? command_fail(&e) : EXIT_DONE;
}

const struct command worker_command = {"worker", "serves measurements to a coordinator", NULL,
				       worker_main};
