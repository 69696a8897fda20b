/* asctune init: the skeleton of a workload, which runs at once and is there to be changed. */
#include <stdio.h>

#include "tuner/cmd/command.h"
#include "tuner/workload/skeleton.h"

extern const struct command init_command;

#define LANGUAGES "c|cuda|triton" /* as `skeletons` has them */

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

static int init_main(int argc, char **argv)
{
	struct init_options o = {0};
	struct asc_err e;

	command_parse(&init_argp, argc, argv, &o);
	if (skeleton_write(o.skeleton, o.name, &e))
		return command_fail(&e);
	printf("%s: %s.json, %s and reference.c, which add two vectors: change them\n", o.name,
	       o.name, o.skeleton->kernel_name);
	printf("next: asctune check-workload %s/%s.json\n", o.name, o.name);
	printf("next: asctune run %s/%s.json --device %s --budget 20\n", o.name, o.name,
	       o.skeleton->device);
	return EXIT_DONE;
}

const struct command init_command = {"init", "begins a workload that runs, to be changed",
				     &init_argp, init_main};
