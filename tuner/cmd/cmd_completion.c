/* asctune completion: scripts that complete asctune's command lines in a shell. */
#include <stdio.h>
#include <string.h>

#include "tuner/cmd/command.h"
#include "tuner/cmd/completion/completion.h"

extern const struct command completion_command;

/* Text between names in a list of them, name, writer. */
#define SHELL_LIST(X)                                                                              \
	X("", "bash", completion_write_bash)                                                       \
	X("|", "zsh", completion_write_zsh)                                                        \
	X("|", "fish", completion_write_fish)
#define SHELL_NAME(between, name, write)  between name
#define SHELL_ENTRY(between, name, write) {name, write},
#define SHELLS                            SHELL_LIST(SHELL_NAME)

static const struct {
	const char *name;
	void (*write)(struct buf *out);
} shells[] = {SHELL_LIST(SHELL_ENTRY)};

enum { N_SHELLS = sizeof shells / sizeof *shells };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	size_t *shell = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			command_refuse(state, "one shell at a time");
		while (*shell < N_SHELLS && strcmp(shells[*shell].name, arg) != 0)
			++*shell;
		if (*shell == N_SHELLS)
			command_refuse(state, "\"%s\" is none of " SHELLS, arg);
		return 0;
	case ARGP_KEY_NO_ARGS: command_refuse(state, "a shell is needed: " SHELLS); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp completion_argp = {
	NULL,
	parse,
	SHELLS,
	"Prints the script with which a shell completes asctune's commands, options and the "
	"values that they have.\vIt is installed where shells look for it. Without that: `source "
	"<(asctune completion bash)` in bash; in zsh the same after `compinit`; `asctune "
	"completion fish | source` in fish.",
	0,
	0,
	0};

static int completion_main(int argc, char **argv)
{
	size_t shell = 0;
	struct buf script = {0};
	struct asc_err e;

	command_parse(&completion_argp, argc, argv, &shell);
	shells[shell].write(&script);
	const enum asc_status status = buf_check(&script, &e);

	if (status == ASC_OK)
		fwrite(script.data, 1, script.len, stdout);
	buf_fini(&script);
	return status ? command_fail(&e) : EXIT_DONE;
}

const struct command completion_command = {"completion",
					   "prints a script that completes commands in a shell",
					   &completion_argp, completion_main};
