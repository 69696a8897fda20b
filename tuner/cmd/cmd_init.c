/* asctune init: the skeleton of a workload, which runs at once and is there to be changed. */
#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/shell.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/skeleton.h"

extern const struct command init_command;

#define LANGUAGES SKELETON_LIST(SKELETON_LANGUAGE)

struct init_options {
	const char *name;
	const struct skeleton *skeleton;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct init_options *o = state->input;

	switch (key) {
	case 'l':
		o->skeleton = skeleton_find(arg);
		if (!o->skeleton)
			command_refuse(state, "--lang: \"%s\" is none of " LANGUAGES, arg);
		break;
	case ARGP_KEY_ARG:
		if (o->name)
			command_refuse(state, "one NAME at a time");
		o->name = arg;
		break;
	case ARGP_KEY_END:
		if (!o->name || !o->skeleton)
			command_refuse(state, "NAME and --lang are needed");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option init_options[] = {
	{"lang", 'l', LANGUAGES, 0,
	 "language of the kernel; c runs on the CPU, the others on a GPU", 0},
	{0}};
static const struct argp init_argp = {
	init_options,
	parse,
	"NAME",
	"Begins a workload: makes the folder NAME with a small one that runs at once, NAME.json, "
	"its kernel with two or three tunable parameters, and the reference that says what is "
	"right. Each file says what to change. Nothing that is there is overwritten.",
	0,
	0,
	0};

/* Says a command that takes the workload; `device` NULL: it needs none. */
static enum asc_status say_next(const char *command, const struct init_options *o,
				const char *device, struct asc_err *e)
{
	char *file = str_print("%s/%s.json", o->name, o->name);
	struct buf words = {0};
	struct prose p;

	if (!file)
		return asc_err_nomem(e);
	shell_add_program(&words);
	shell_add_argument(&words, command);
	shell_add_argument(&words, file);
	shell_add_option(&words, "--device", device);
	buf_add_str(&words, device ? " --budget 20" : ""); /* a first run ends within seconds */
	prose_open(&p, stdout);
	prose_put(&p, INK_PLAIN, "next: ");
	prose_put(&p, INK_COMMAND, "%s", buf_str(&words));
	const enum asc_status status = buf_check(&words, e);

	prose_end_command(&p, 2);
	prose_close(&p);
	buf_fini(&words);
	free(file);
	return status;
}

static int init_main(int argc, char **argv)
{
	struct init_options o = {0};
	struct asc_err e;

	command_parse(&init_argp, argc, argv, &o);
	if (skeleton_write(o.skeleton, o.name, &e))
		return command_fail(&e);
	prose_say(stdout, 2, "%s: %s.json, %s and reference.c, which add two vectors: change them",
		  o.name, o.name, o.skeleton->kernel_name);
	if (say_next("check-workload", &o, NULL, &e) || say_next("run", &o, o.skeleton->device, &e))
		return command_fail(&e);
	return EXIT_DONE;
}

const struct command init_command = {"init", "begins a workload that runs, to be changed",
				     &init_argp, init_main};
