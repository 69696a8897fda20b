/* asctune import-triton: the draft of a workload from the autotuner of a Triton kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/autotune.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"

extern const struct command import_triton_command;

enum { KEY_PYTHON = 256, KEY_TIMEOUT, KEY_PACKAGE, TIMEOUT_S = 60, MOST_TIMEOUT_S = 86400 };

struct import_triton_options {
	const char *source, *output, *package;
	uint64_t timeout_s;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct import_triton_options *o = state->input;

	switch (key) {
	case 'o': o->output = arg; break;
	case KEY_PYTHON: command_parse_python(state, arg); break;
	case KEY_PACKAGE: o->package = arg; break;
	case KEY_TIMEOUT:
		command_parse_count(state, "timeout", arg, 1, &o->timeout_s);
		if (o->timeout_s > MOST_TIMEOUT_S)
			command_refuse(state, "--timeout %s: expected at most %d s", arg,
				       MOST_TIMEOUT_S);
		break;
	case ARGP_KEY_ARG:
		if (o->source)
			command_refuse(state, "one kernel at a time");
		if (!strchr(arg, ':') || arg[strlen(arg) - 1] == ':')
			command_refuse(state,
				       "\"%s\" names no kernel, expected FILE.py:KERNEL or "
				       "PACKAGE.MODULE:KERNEL",
				       arg);
		o->source = arg;
		break;
	case ARGP_KEY_NO_ARGS: command_refuse(state, "FILE.py:KERNEL is needed"); break;
	case ARGP_KEY_END:
		if (o->package && !o->output)
			command_refuse(state, "--package needs -o: the kernel's text is written "
					      "beside the workload");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "the workload file to write, which must not be there (default: "
	 "standard output)",
	 0},
	{"package", KEY_PACKAGE, "FILE|FOLDER", 0,
	 "a wheel, a source archive or a folder that has the module (default: what is installed)",
	 0},
	{"python", KEY_PYTHON, "PROGRAM", 0,
	 "the Python interpreter (default $ASCTUNE_PYTHON, else python3)", 0},
	{"timeout", KEY_TIMEOUT, "SECONDS", 0, "how long an import may take (default 60)", 0},
	{0}};
static const struct argp argp = {
	options,
	parse,
	"FILE.py:KERNEL|PACKAGE.MODULE:KERNEL",
	"Drafts a workload from a Triton kernel: parameters, conditions and default from the list "
	"of its @triton.autotune, sizes from the keys, tensors and arguments from its text and, if "
	"the file has one, from its launcher.\vA kernel KERNEL_npu beside it is its entry on "
	"NPUs. Heuristics are kept as text, and what the file does not tell is named under X-todo "
	"and refused by `asctune check-workload` until it is filled in. With -o, a kernel of a "
	"package is written out beside the workload, with all that it names. The file is only "
	"read, "
	"unless its list of configurations has to be worked out, or the kernel names what no text "
	"has: then it is imported, in the sandbox, as a module of its package if it is within one.",
	0,
	0,
	0};

/* The kernel's file as the workload at `output` names it: relative where it lies in the workload's
 * folder, and with a slash where a colon would make a module of it. */
static char *name_source(const struct autotune *a, const struct import_triton_options *o,
			 const char *beside, struct asc_err *e)
{
	char *file, *folder = NULL, *whole = NULL, *name = NULL;

	if (a->text && beside) {
		name = str_dup(path_name(beside));
		return name ? name : (asc_err_nomem(e), NULL);
	}
	/* A module of an installed package is found by its name, wherever the workload lies. */
	if (*a->module) {
		name = str_print("%s:%s", a->module, a->kernel.name);
		return name ? name : (asc_err_nomem(e), NULL);
	}
	file = path_absolute(a->file, e);
	if (file)
		folder = path_folder(o->output ? o->output : ".");
	if (folder)
		whole = path_absolute(o->output ? folder : ".", e);
	if (whole) {
		const size_t n = strlen(whole);
		const bool below = strncmp(file, whole, n) == 0 && file[n] == '/';
		const char *shown = below ? file + n + 1 : file;
		const bool plain = strchr(shown, '/') || !strchr(shown, ':');

		name = str_print("%s%s", plain ? "" : "./", shown);
		if (!name)
			asc_err_nomem(e);
	}
	free(file);
	free(folder);
	free(whole);
	return name;
}

/* `beside` is the file of the kernel's text, NULL without an output. */
static enum asc_status write_workload(const struct autotune *a,
				      const struct import_triton_options *o, const char *beside,
				      struct asc_err *e)
{
	struct buf text = {0};
	size_t todo = 0;
	char *source = name_source(a, o, beside, e);
	enum asc_status s =
		source ? autotune_write_workload(a, source, &text, &todo, e) : e->status;

	if (s == ASC_OK && a->text && beside)
		s = file_write(beside, a->text, strlen(a->text), e);
	if (s == ASC_OK && o->output)
		s = file_write(o->output, buf_str(&text), text.len, e);
	else if (s == ASC_OK)
		fwrite(buf_str(&text), 1, text.len, stdout);
	if (s == ASC_OK && a->reason)
		prose_say(stderr, 2, "%s: its module is imported for each build, since it %s",
			  o->source, a->reason);
	if (s == ASC_OK && a->kernel.has_tuner)
		prose_say(stderr, 2, "%s: %zu configurations; X-todo names %zu things to fill in",
			  o->output ? o->output : o->source, a->kernel.n_entries, todo);
	else if (s == ASC_OK)
		prose_say(stderr, 2, "%s: no autotuner; X-todo names %zu things to fill in",
			  o->output ? o->output : o->source, todo);
	free(source);
	buf_fini(&text);
	return s;
}

/* File of a kernel's text: matmul.py beside matmul.json. */
static char *name_beside(const char *output)
{
	const char *end = strrchr(output, '.');
	const bool has_end = end && strcmp(end, ".json") == 0;

	return str_print("%.*s.py", (int)(has_end ? (size_t)(end - output) : strlen(output)),
			 output);
}

static int import_triton_main(int argc, char **argv)
{
	struct import_triton_options o = {.timeout_s = TIMEOUT_S};
	struct autotune *a = NULL;
	struct asc_err e;

	command_parse(&argp, argc, argv, &o);
	enum asc_status s = ASC_OK;
	char *beside = o.output ? name_beside(o.output) : NULL;

	if (o.output && !beside)
		s = asc_err_nomem(&e);
	else if (o.output && file_exists(o.output))
		s = asc_err_set(&e, ASC_INPUT, "%s already exists; nothing was written", o.output);
	if (s == ASC_OK)
		s = autotune_open(o.source, o.package, o.timeout_s, &a, &e);
	if (s == ASC_OK && a->text && beside && file_exists(beside))
		s = asc_err_set(&e, ASC_INPUT, "%s already exists; nothing was written", beside);
	if (s == ASC_OK)
		s = write_workload(a, &o, beside, &e);
	autotune_close(a);
	free(beside);
	return s ? command_fail(&e) : EXIT_DONE;
}

const struct command import_triton_command = {
	"import-triton", "drafts a workload from the autotuner of a Triton kernel", &argp,
	import_triton_main};
