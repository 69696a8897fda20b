/* asctune manual: the manual page, from the same tables as --help. The build writes it to
 * asctune.1. */
#include <stdio.h>
#include <string.h>

#include "tuner/cmd/command.h"

extern const struct command manual_command;

/* Writes a text, escaped for roff. */
static void put(const char *text, size_t n)
{
	bool line_start = true;

	for (size_t i = 0; i < n; i++) {
		/* At the head of a line these begin a request. */
		if (line_start && (text[i] == '.' || text[i] == '\''))
			fputs("\\&", stdout);
		line_start = text[i] == '\n';
		if (text[i] == '\\')
			fputs("\\e", stdout);
		else if (text[i] == '-')
			fputs("\\-", stdout);
		else
			putchar(text[i]);
	}
}

static void put_line(const char *text, size_t n)
{
	put(text, n);
	putchar('\n');
}

static void put_option(const struct argp_option *o)
{
	fputs(".TP\n.B ", stdout);
	if (o->key > ' ' && o->key < 0x7F)
		printf("\\-%c, ", o->key);
	fputs("\\-\\-", stdout);
	put(o->name, strlen(o->name));
	if (o->arg)
		printf(o->flags & OPTION_ARG_OPTIONAL ? "[=\\fI%s\\fR]" : "=\\fI%s\\fR", o->arg);
	putchar('\n');
	put_line(o->doc, strlen(o->doc));
}

static void put_command(const struct command *c)
{
	const struct argp *a = c->argp;
	size_t before = strcspn(a->doc, "\v"); /* argp puts the options between the parts */

	printf(".SS asctune %s ", c->name);
	put_line(a->options ? "[OPTION...] " : "", a->options ? 12 : 0);
	if (a->args_doc) {
		fputs(".I ", stdout);
		put_line(a->args_doc, strlen(a->args_doc));
		puts(".PP");
	}
	put_line(a->doc, before);
	for (const struct argp_option *o = a->options; o && (o->name || o->doc); o++)
		if (o->name)
			put_option(o);
	if (a->doc[before] == '\v') {
		puts(".PP");
		put_line(a->doc + before + 1, strlen(a->doc + before + 1));
	}
}

static const char head[] =
	".TH ASCTUNE 1 \"\" \"asctune " ASCTUNE_VERSION "\" \"User Commands\"\n"
	".SH NAME\nasctune \\- autotuning and profiling of accelerator kernels\n"
	".SH SYNOPSIS\n.B asctune\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n"
	".SH DESCRIPTION\n"
	"asctune reads a workload (an operator, its problems, its kernels and their tunable "
	"parameters), enumerates the\n"
	"configurations that a device can run, builds, verifies and measures them, records every "
	"result in an SQLite\n"
	"database, and answers with the best configuration of each problem.\n"
	".PP\nResults go to standard output, progress and messages to standard error.\n"
	".SH COMMANDS\n";

static const char tail[] =
	".SH EXIT STATUS\n"
	".TP\n.B 0\ndone\n"
	".TP\n.B 1\nno usable result (nothing passed, or the answer is slower than its default); "
	"track: a new or confirmed regression, or a broken kernel; compare: the second side is "
	"slower or failed; reproduce: the recorded time does not hold; export \\-\\-check: a file "
	"is "
	"stale; space \\-\\-explain: the configuration is not valid; doctor: the sandbox lacks "
	"files, "
	"network or signals; with \\-\\-device, a test fails\n"
	".TP\n.B 2\nusage or bad input\n"
	".TP\n.B 3\nnothing to measure with; runs: something was not measured\n"
	".TP\n.B 4\nundecided (compare, track \\-\\-strict, reproduce)\n"
	".TP\n.B 130\ninterrupted; everything measured is recorded\n"
	".SH ENVIRONMENT\n"
	".TP\n.B ASCTUNE_DB\nresults database when \\-\\-db is not given (default asctune.db in "
	"the current folder)\n"
	".TP\n.B ASCTUNE_CACHE_DIR\nfolder of compiled kernels and references (default: asctune in "
	"the XDG cache folder)\n"
	".TP\n.B ASCTUNE_REFERENCES_MB\nmegabytes that references in that folder take at most "
	"(default 10000): those that were used least recently go first\n"
	".TP\n.B ASCTUNE_OPENBLAS, ASCTUNE_NVRTC, ASCTUNE_CUBLASLT, ASCTUNE_CUPTI\nfiles of these "
	"libraries (default: as the loader finds them, else, of the last three, in CUDA_HOME, "
	"CUDA_PATH or /usr/local/cuda)\n"
	".TP\n.B ASCTUNE_CUDA_CLOCK\nwhat times launches on a GPU: activity, event\\-blocked or "
	"event (default: the first that is usable)\n"
	".TP\n.B ASCTUNE_NPU_CLOCK\nwhat times launches on an NPU: mspti or event (default: the "
	"first that is usable)\n"
	".TP\n.B ASCTUNE_CANN\nfolder of CANN in whose lib64 its libraries are looked for\n"
	".TP\n.B ASCTUNE_BUSY_TIMEOUT_MS\nhow long another process may hold the lock of the "
	"database (default 10000); run says so then and goes on waiting\n"
	".TP\n.B CC\nC compiler of kernels, with leading arguments\n"
	".SH FILES\nWorkloads are described by\n.I workloads/schema.json\nof the source tree.\n";

static int manual_main(int argc, char **argv)
{
	(void)argc, (void)argv;
	fputs(head, stdout);
	for (size_t i = 0; command_list[i]; i++)
		if (command_list[i]->argp)
			put_command(command_list[i]);
	fputs(tail, stdout);
	return EXIT_DONE;
}

const struct command manual_command = {"manual", "prints the manual page", NULL, manual_main};
