/* Processes that asctune starts itself: `asctune worker` measures on a device, `asctune inspect`
 * says what a device or a vendor's library is, `asctune compile-nvrtc` compiles CUDA kernels. */
#include <stdio.h>
#include <unistd.h>

#include "tuner/build/nvrtc_compile.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/target.h"
#include "tuner/process/channel.h"
#include "tuner/tune/impl_identity.h"
#include "tuner/worker/worker_verbs.h"

extern const struct command worker_command, inspect_command, compile_command;

static int worker_main(int argc, char **argv)
{
	struct asc_err e;

	(void)argc, (void)argv;
	return worker_serve(CHANNEL_FD, &e) ? command_fail(&e) : EXIT_DONE;
}

static int inspect_main(int argc, char **argv)
{
	struct asc_err e;

	if (argc > 3)
		return impl_identity_answer(argv[1], argv[2], argv[3], &e) ? command_fail(&e)
									   : EXIT_DONE;
	return target_answer(argc > 1 ? argv[1] : "auto", &e) ? command_fail(&e) : EXIT_DONE;
}

static int compile_main(int argc, char **argv)
{
	(void)argc, (void)argv;
	return compile_serve(&nvrtc_service) ? EXIT_DONE : EXIT_USAGE;
}

const struct command worker_command = {"worker", "serves measurements to a coordinator", NULL,
				       worker_main};
const struct command inspect_command = {"inspect", "says to a coordinator what a device is", NULL,
					inspect_main};
const struct command compile_command = {NVRTC_COMMAND, "compiles CUDA kernels", NULL, compile_main};
