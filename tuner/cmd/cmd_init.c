/* asctune init: the skeleton of a workload, which runs at once and is there to be changed. */
#include <stdio.h>
#include <stdlib.h>

#include "reports/exchange/reader_kernel.h"
#include "reports/exchange/reader_workload.h"
#include "tuner/base/axes.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/skeleton.h"

extern const struct command init_command;

#define LANGUAGES SKELETON_LIST(SKELETON_LANGUAGE)

#define KERNELS "vllm:moe, vllm:block-fp8, sglang:moe or sglang:block-fp8"

enum { KEY_FROM = 256, KEY_SET, KEY_ROUTING, KEY_PACKAGE, KEY_PYTHON, IMPORT_LIMIT_S = 60 };

struct init_options {
	const char *name;
	const struct skeleton *skeleton;    /* NULL with a kernel */
	const struct reader_kernel *kernel; /* NULL with a skeleton */
	const char *sizes;                  /* of the kernel; NULL: not given */
	struct reader_files files;          /* likewise */
};

static const struct reader_kernel *find_kernel(struct argp_state *state, const char *name)
{
	const struct reader_kernel *k = reader_kernel_find(name);
	const char *nearest = k ? NULL : str_nearest(name, reader_kernel_names);

	if (nearest)
		command_refuse(state, "--from: no kernel of \"%s\" (did you mean \"%s\"?)", name,
			       nearest);
	if (!k)
		command_refuse(state, "--from: no kernel of \"%s\", expected " KERNELS, name);
	return k;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct init_options *o = state->input;

	switch (key) {
	case 'l':
		o->skeleton = skeleton_find(arg);
		if (!o->skeleton)
			command_refuse(state, "--lang: \"%s\" is none of " LANGUAGES, arg);
		break;
	case KEY_FROM: o->kernel = find_kernel(state, arg); break;
	case KEY_SET: o->sizes = arg; break;
	case KEY_ROUTING: o->files.routing = arg; break;
	case KEY_PACKAGE: o->files.package = arg; break;
	case KEY_PYTHON: command_parse_python(state, arg); break;
	case ARGP_KEY_ARG:
		if (o->name)
			command_refuse(state, "one NAME at a time");
		o->name = arg;
		break;
	case ARGP_KEY_END:
		if (!o->name || (!o->skeleton && !o->kernel))
			command_refuse(state, "NAME and --lang, or --from, are needed");
		if (o->skeleton && o->kernel)
			command_refuse(state, "--lang and --from exclude each other");
		if (!o->kernel && (o->sizes || o->files.routing || o->files.package))
			command_refuse(state, "%s is for --from",
				       o->sizes           ? "--set"
				       : o->files.routing ? "--routing"
							  : "--package");
		if (o->kernel && !o->sizes)
			command_refuse(state, "--from needs the sizes of a layer, --set");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option init_options[] = {
	{"lang", 'l', LANGUAGES, 0,
	 "language of the kernel; c runs on the CPU, the others on a GPU", 0},
	{"from", KEY_FROM, "READER", 0,
	 "instead: the kernel whose tables a library reads (" KERNELS "), launched as the library "
	 "launches it",
	 0},
	{"set", KEY_SET, "NAME=VALUE,...", 0,
	 "with --from: sizes and type: of a layer E, N, K, top_k and dtype (bf16, f16, fp8_w8a8; "
	 "this with block_n and block_k for scales of blocks), of a product N, K, block_n, block_k "
	 "and dtype (of the result); several values of M make several problems (default: those of "
	 "the files that the library ships)",
	 0},
	{"routing", KEY_ROUTING, "FILE", 0,
	 "with --from, for a layer: tokens of each expert, or their shares, as a list of JSON or "
	 "as "
	 "numbers between blanks (default: all as many)",
	 0},
	{"package", KEY_PACKAGE, "FILE|FOLDER", 0,
	 "with --from: a wheel, a source archive or a folder that has the kernel (default: what is "
	 "installed)",
	 0},
	{"python", KEY_PYTHON, "PROGRAM", 0,
	 "the Python interpreter (default $ASCTUNE_PYTHON, else python3)", 0},
	{0}};
static const struct argp init_argp = {
	init_options,
	parse,
	"NAME",
	"Begins a workload: makes the folder NAME with a small one that runs at once, NAME.json, "
	"its kernel with two or three tunable parameters, and the reference that says what is "
	"right. Each file says what to change. With --from the kernel is the library's, and "
	"nothing "
	"has to be filled in. Nothing that is there is overwritten.",
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

/* Writes the folder, and appends what is in it. */
static enum asc_status write_folder(const struct init_options *o, struct buf *said,
				    struct asc_err *e)
{
	struct axes sizes = {0};
	enum asc_status s;

	if (o->skeleton) {
		buf_print(said,
			  "%s: %s.json, %s and reference.c, which add two vectors: change them",
			  o->name, o->name, o->skeleton->files[1].name);
		return skeleton_write(o->skeleton, o->name, NULL, e);
	}
	s = axes_read(&sizes, "set", o->sizes, NULL, "E=8,N=3584,...", e);
	if (s == ASC_OK)
		s = reader_workload_write(o->kernel, &sizes, &o->files, o->name, said, e);
	axes_fini(&sizes);
	return s;
}

static int init_main(int argc, char **argv)
{
	struct init_options o = {.files.limit_s = IMPORT_LIMIT_S};
	struct buf said = {0};
	struct asc_err e;

	command_parse(&init_argp, argc, argv, &o);
	enum asc_status s = write_folder(&o, &said, &e);

	if (s == ASC_OK)
		prose_say(stdout, 2, "%s", buf_str(&said));
	if (s == ASC_OK)
		s = say_next("check-workload", &o, NULL, &e);
	if (s == ASC_OK)
		s = say_next("run", &o, o.skeleton ? o.skeleton->device : "cuda", &e);
	buf_fini(&said);
	return s ? command_fail(&e) : EXIT_DONE;
}

const struct command init_command = {"init", "begins a workload that runs, to be changed",
				     &init_argp, init_main};
