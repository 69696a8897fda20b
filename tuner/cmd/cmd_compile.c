/* asctune compile-nvrtc: the process that compiles one CUDA kernel; started by `asctune run`, not
 * by people. What the compiler says goes to stderr. */
#include <stdio.h>

#include "tuner/base/buf.h"
#include "tuner/build/builder.h"
#include "tuner/build/nvrtc_compile.h"
#include "tuner/cmd/command.h"

extern const struct command compile_command;

static int compile_main(int argc, char **argv)
{
	const char *arguments[BUILD_MAX_ARGV];
	size_t n = argc - 1 < BUILD_MAX_ARGV ? (size_t)(argc - 1) : BUILD_MAX_ARGV;
	struct buf log = {0};
	struct asc_err e;

	/* A `char **` does not convert to `const char *const *` by itself, in C. */
	for (size_t i = 0; i < n; i++)
		arguments[i] = argv[i + 1];
	enum asc_status s = nvrtc_compile(arguments, n, &log, &e);
	fputs(buf_str(&log), stderr);
	buf_fini(&log);
	return s == ASC_OK ? EXIT_DONE : command_fail(&e);
}

const struct command compile_command = {NVRTC_COMMAND, "compiles a CUDA kernel", NULL,
					compile_main};
