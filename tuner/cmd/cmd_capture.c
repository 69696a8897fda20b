/* asctune capture: workloads of the Triton kernels that a program launches. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "reports/exchange/capture.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/cmd/capture/capture_folder.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/table.h"

extern const struct command capture_command;

enum {
	KEY_KERNEL = 256,
	KEY_SHAPES,
	KEY_SAVE,
	KEY_WIDEN,
	KEY_REFERENCE,
	/* Problems of a workload: each is tuned, and those behind take next to no time. */
	DEFAULT_SHAPES = 16
};
#define DEFAULT_SAVE_BYTES (UINT64_C(2) << 30)

/* Parses a size: digits, then K, M, G or T for powers of 1024. */
static void parse_bytes(struct argp_state *state, const char *arg, uint64_t *out)
{
	static const char units[] = "KMGT";
	char *end;
	const uint64_t n = strtoull(arg, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;
	const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (end == arg || *arg == '-' || (*end && (!unit || end[1])) ||
	    n > (uint64_t)INT64_MAX >> shift)
		command_refuse(state, "--save: \"%s\" is no size, expected for example 500M or 2G",
			       arg);
	*out = n << shift;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct capture_options *o = state->input;

	switch (key) {
	case 'o': o->folder = arg; break;
	case 'j': o->json = true; break;
	case KEY_KERNEL: o->kernel = arg; break;
	case KEY_SHAPES: command_parse_count(state, "shapes", arg, 1, &o->shapes); break;
	case KEY_SAVE: parse_bytes(state, arg, &o->save_bytes); break;
	case KEY_WIDEN: o->widen = true; break;
	case KEY_REFERENCE:
		if (!strchr(arg, ':') || *arg == ':' || arg[strlen(arg) - 1] == ':')
			command_refuse(state, "--reference: \"%s\" is no MODULE:FUNCTION", arg);
		o->reference = arg;
		break;
	case ARGP_KEY_ARG:
		/* The rest is the command's own. */
		o->command = state->argv + state->next - 1;
		state->next = state->argc;
		break;
	case ARGP_KEY_END:
		if (!o->command && !o->folder)
			command_refuse(state, "-- COMMAND is needed, or the -o FOLDER of one that "
					      "has run");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option options[] = {
	{"output", 'o', "FOLDER", 0,
	 "folder of the records and workloads, which has none yet (default asctune-capture)", 0},
	{"kernel", KEY_KERNEL, "GLOB", 0,
	 "only kernels whose name, or MODULE:NAME, matches, for example 'fla.*'", 0},
	{"shapes", KEY_SHAPES, "N", 0,
	 "problems of a workload, those that take most time (default 16)", 0},
	{"save", KEY_SAVE, "SIZE", 0,
	 "inputs and outputs that are saved, 500M or 2G (default 2G); 0: only what describes them",
	 0},
	{"widen", KEY_WIDEN, NULL, 0,
	 "parameters beyond the autotuner's list, which is tried first: powers of two to one step "
	 "further, warps, stages, registers",
	 0},
	{"reference", KEY_REFERENCE, "MODULE:FUNCTION", 0,
	 "function that computes outputs in float64, as the program's Python imports it", 0},
	{"json", 'j', NULL, 0, "prints the summary as one JSON object", 0},
	{0}};
static const struct argp argp = {
	options,
	parse,
	"[-- COMMAND [ARGUMENT...]]",
	"Runs a command unchanged and writes a workload of each Triton kernel that it launches: "
	"with "
	"the shapes, inputs and outputs that it had, the configurations of its autotuner, and its "
	"source, cut out of its module. `asctune run FOLDER` tunes them as they are.\vEvery Python "
	"that the command starts is seen, but those that leave out PYTHONPATH (-I, -E, -S). The "
	"table says what takes the time, and what could not be captured and why; it goes to "
	"standard "
	"error, behind what the command prints. The exit status is the command's. Without a "
	"command "
	"the workloads are written from what FOLDER has: after a command that was killed, or with "
	"other --shapes. A workload that was edited stays as it is; others go when their kernel "
	"is in no record any more.",
	0,
	0,
	0};

/* ---- the table ---- */

static double form_calls(const struct capture_form *form)
{
	double sum = 0;

	for (size_t i = 0; i < form->n_problems; i++)
		sum += form->problems[i]->calls;
	return sum;
}

static void add_row(struct table *t, const struct capture_form *form, bool first, double all_ns)
{
	char text[UNITS_TEXT_SIZE];
	double ns = 0;

	for (size_t i = 0; i < form->n_problems; i++)
		ns += capture_problem_ns(form->problems[i]);
	table_add(t, "%s", form->kernel->name);
	table_add(t, "%.0f", form_calls(form));
	if (*form->reason || form->n_kept == form->n_problems)
		table_add(t, "%zu", form->n_problems);
	else
		table_add(t, "%zu of %zu", form->n_kept, form->n_problems);
	table_add(t, ns > 0 ? "%.1f %%" : "", 100 * ns / all_ns);
	/* All forms of a kernel have one autotuner. */
	table_add(t, "%s",
		  first && form->kernel->tuned_s > 0
			  ? units_print_duration(form->kernel->tuned_s * 1e9, text)
			  : "");
	if (*form->reason)
		table_add_inked(t, INK_WARN, "no: %s", form->reason);
	else if (*form->doubt)
		table_add_inked(t, INK_WARN, "%s.json%s: %s", form->name,
				form->edited ? ", edited, kept" : "", form->doubt);
	else
		table_add(t, "%s.json%s", form->name, form->edited ? ", edited, kept" : "");
}

/* Adds the cells of a line without shapes and times, up to the last one. */
static void add_skipped(struct table *t, const char *name, double calls)
{
	table_add(t, "%s", name);
	table_add(t, "%.0f", calls);
	for (int k = 0; k < 3; k++)
		table_add(t, "%s", "");
}

static enum asc_status show_table(const struct capture *c, const struct capture_forms *forms,
				  FILE *to, struct asc_err *e)
{
	struct table t;
	char name[40];
	double all_ns = 0, unasked_calls = 0;
	size_t n_unasked = 0;
	enum asc_status s;

	for (size_t i = 0; i < c->n_kernels; i++)
		all_ns += capture_kernel_ns(&c->kernels[i]);
	table_init(&t, "kernel|>calls|>shapes|>GPU time|>autotuner|workload");
	for (size_t i = 0; i < forms->n; i++)
		add_row(&t, &forms->list[i],
			i == 0 || forms->list[i - 1].kernel != forms->list[i].kernel, all_ns);
	for (size_t i = 0; i < c->n_skipped; i++) {
		const struct capture_skipped *k = &c->skipped[i];

		if (strcmp(k->reason, CAPTURE_UNASKED) == 0) {
			unasked_calls += k->calls;
			n_unasked++;
			continue;
		}
		add_skipped(&t, k->name, k->calls);
		table_add_inked(&t, INK_WARN, "no: %s", k->reason);
	}
	/* Kernels that --kernel leaves out are one line, however many there are. */
	if (n_unasked > 0) {
		snprintf(name, sizeof name, "%zu other kernel%s", n_unasked,
			 n_unasked == 1 ? "" : "s");
		add_skipped(&t, name, unasked_calls);
		table_add(&t, "%s", CAPTURE_UNASKED);
	}
	s = table_print(&t, to, e);
	table_fini(&t);
	return s;
}

/* Says the command that tunes what was captured, with the Python whose Triton has compiled it. */
static enum asc_status say_next(const struct capture *c, FILE *to, struct asc_err *e)
{
	const char *python = NULL;
	struct buf words = {0};
	struct prose p;

	if (json_find(c->process, "python") &&
	    json_get_string(json_find(c->process, "python"), &python, e))
		return e->status;
	shell_add_program(&words);
	shell_add_argument(&words, "run");
	shell_add_argument(&words, c->folder);
	shell_add_option(&words, "--python", python);
	if (buf_check(&words, e))
		return e->status;
	prose_open(&p, to);
	prose_put(&p, INK_PLAIN, "next: ");
	prose_put(&p, INK_COMMAND, "%s", buf_str(&words));
	prose_end_command(&p, 2);
	prose_close(&p);
	buf_fini(&words);
	return ASC_OK;
}

static enum asc_status show(const struct capture *c, const struct capture_forms *forms,
			    const struct capture_options *o, struct asc_err *e)
{
	/* The command's own output stays whole. */
	FILE *to = o->command ? stderr : stdout;
	struct buf line = {0};
	bool any = false;

	for (size_t i = 0; i < forms->n; i++)
		any |= !*forms->list[i].reason;
	if (o->json) {
		capture_print(c, forms, &line);
		return command_print_line(&line, e);
	}
	if (c->n_torn > 0)
		prose_say(stderr, 2,
			  "asctune: %zu record%s not whole, as where a process is killed or a "
			  "disk is full, and left out",
			  c->n_torn, c->n_torn == 1 ? " is" : "s are");
	for (size_t i = 0; i < forms->n_left; i++)
		prose_say(stderr, 2,
			  "asctune: %s/%s was edited, and no record has its kernel any more: it "
			  "stays, and `asctune run %s` takes it",
			  c->folder, forms->left[i].file, c->folder);
	if (!c->process)
		prose_say(stderr, 2,
			  "asctune: nothing was captured: no Python of the command imported "
			  "Triton, or it was started with -I, -E or -S");
	else if (forms->n + c->n_skipped == 0)
		prose_say(stderr, 2, "asctune: nothing was captured: no kernel%s was launched",
			  o->kernel ? " of that name" : "");
	else if (show_table(c, forms, to, e) || (any && say_next(c, to, e)))
		return e->status;
	return ASC_OK;
}

/* Writes and shows what the folder has; *any: some kernel has a workload. */
static enum asc_status write_all(const struct capture_options *o, bool *any, struct asc_err *e)
{
	struct capture *c = NULL;
	struct capture_forms forms = {0};
	enum asc_status s = capture_open(o->folder, &c, e);

	if (s == ASC_OK)
		s = capture_find_forms(c, &forms, e);
	if (s == ASC_OK)
		s = capture_write(c, &forms, o->shapes, e);
	if (s == ASC_OK)
		s = show(c, &forms, o, e);
	for (size_t i = 0; s == ASC_OK && i < forms.n; i++)
		*any |= !*forms.list[i].reason;
	capture_forms_fini(&forms);
	capture_close(c);
	return s;
}

static int capture_main(int argc, char **argv)
{
	struct capture_options o = {.shapes = DEFAULT_SHAPES, .save_bytes = DEFAULT_SAVE_BYTES};
	int status = 0, exit_status = EXIT_DONE;
	bool any = false;
	struct asc_err e;

	command_parse(&argp, argc, argv, &o);
	if (!o.folder)
		o.folder = "asctune-capture";
	/* What is written beside the recorder's files is as private as these; what the command
	 * writes is its own business. */
	const mode_t before = umask(077);

	if (o.command && capture_folder_make(&o, &e))
		return command_fail(&e);
	umask(before);
	if (o.command && capture_folder_run(&o, &status, &e))
		return command_fail(&e);
	/* Shells give 128 and the signal's number for a command that a signal ended. */
	if (o.command)
		exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	umask(077);
	if (write_all(&o, &any, &e)) {
		(void)command_fail(&e);
		return exit_status ? exit_status : EXIT_USAGE;
	}
	return o.command || any ? exit_status : EXIT_NOTHING;
}

const struct command capture_command = {
	"capture", "writes workloads of the Triton kernels that a program launches", &argp,
	capture_main};
