/* asctune compile-nvrtc: a process that compiles CUDA kernels; started by `asctune run`, not by
 * people. */
#include "tuner/build/nvrtc_compile.h"
#include "tuner/cmd/command.h"

extern const struct command compile_command;

static int compile_main(int argc, char **argv)
{
	(void)argc, (void)argv;
	return compile_serve(&nvrtc_service) ? EXIT_DONE : EXIT_USAGE;
}

const struct command compile_command = {NVRTC_COMMAND, "compiles CUDA kernels", NULL, compile_main};
