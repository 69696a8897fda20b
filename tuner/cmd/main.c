/* asctune: dispatches to the sub-commands. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/build/triton_python.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/terminal/screen.h"
#include "tuner/device/libs/cann.h"
#include "tuner/device/libs/library.h"
#include "tuner/tune/search/patience.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/rewrite.h"

extern const struct command run_command, profile_command, code_command, space_command, list_command,
	doctor_command, best_command, export_command, import_command, init_command,
	import_triton_command, capture_command, replay_command, merge_command, prune_command,
	runs_command, track_command, report_command, reproduce_command, compare_command,
	gate_command, show_command, check_command, build_command, worker_command, inspect_command,
	examine_command, compile_command, manual_command, completion_command;

const struct command *const command_list[] = {&init_command,
					      &run_command,
					      &profile_command,
					      &code_command,
					      &space_command,
					      &build_command,
					      &list_command,
					      &doctor_command,
					      &best_command,
					      &show_command,
					      &reproduce_command,
					      &compare_command,
					      &gate_command,
					      &export_command,
					      &import_command,
					      &import_triton_command,
					      &capture_command,
					      &replay_command,
					      &merge_command,
					      &prune_command,
					      &runs_command,
					      &track_command,
					      &report_command,
					      &check_command,
					      &completion_command,
					      &examine_command,
					      &worker_command,
					      &inspect_command,
					      &compile_command,
					      &manual_command,
					      NULL};

static void print_log(void *user, enum log_level level, const char *text)
{
	static const char *const prefix[] = {"asctune: warning: ", "asctune: ", "asctune: debug: "};

	(void)user;
	if (level == LOG_DEBUG && !getenv("ASCTUNE_DEBUG"))
		return;
	screen_print_message(prefix[level], text);
}

enum {
	MAX_KEY = 1024,
	LEAST_HELP = 45, /* argp's columns of options and texts overlap below it */
	HELP_COLUMNS = 80
};

struct parse {
	const struct argp *argp;
	void *input;
	bool seen[MAX_KEY];
};

static const struct argp_option *find_option(const struct argp *argp, int key)
{
	const struct argp_option *o = argp->options;

	while (o && (o->name || o->key) && o->key != key)
		o++;
	return o && (o->name || o->key) ? o : NULL;
}

/* Passes a key on to the command's parser, and refuses a value that is given twice: the last one
 * would win without a word. */
static error_t parse_once(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;
	const struct argp_option *o = key > 0 && key < MAX_KEY ? find_option(p->argp, key) : NULL;

	if (o && o->arg && !(o->flags & COMMAND_REPEATABLE)) {
		if (p->seen[key])
			command_refuse(state, "--%s is given twice", o->name);
		p->seen[key] = true;
	}
	if (key == ARGP_KEY_INIT)
		state->err_stream = NULL; /* argp adds no advice to what getopt says */
	/* The command's parser has its own input; argp knows this one's. */
	state->input = p->input;
	error_t result = p->argp->parser(key, arg, state);

	if (key == ARGP_KEY_ARG && result == ARGP_ERR_UNKNOWN)
		command_refuse(state, "takes no argument \"%s\"", arg);
	state->input = p;
	return result;
}

/* Copies a message, in which a command in backquotes begins as the program was started. */
static void name_program(const char *text, char *out, size_t size)
{
	static const char quoted[] = "`asctune ";
	size_t n = 0;

	for (const char *next; (next = strstr(text, quoted)); text = next + strlen(quoted)) {
		(void)snprintf(out + n, size - n, "%.*s`%s ", (int)(next - text), text,
			       shell_program());
		n += strlen(out + n);
	}
	(void)snprintf(out + n, size - n, "%s", text);
}

/* Prints a message; needs no memory. */
static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	char text[4096], named[sizeof text + PATH_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	name_program(text, named, sizeof named);
	prose_print(stderr, 2, named);
}

void command_refuse(const struct argp_state *state, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) >= 0)
		say("%s: %s", state->name, text);
	va_end(args);
	exit(EXIT_USAGE);
}

void command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const size_t columns = prose_columns(stdout);
	struct parse p = {.argp = argp, .input = input};
	struct argp once = *argp;
	char name[64], format[32];

	snprintf(name, sizeof name, "asctune %s", argv[0]);
	argv[0] = name;
	once.parser = parse_once;
	/* --help fits a narrow terminal, unless the user has set a format. */
	(void)snprintf(format, sizeof format, "rmargin=%zu", columns - 1);
	if (columns > LEAST_HELP && columns < HELP_COLUMNS)
		setenv("ARGP_HELP_FMT", format, 0);
	error_t failure = argp_parse(&once, argc, argv, 0, NULL, &p);

	if (failure == ENOMEM)
		say("%s: cannot read the options: %s", name, strerror(failure));
	if (failure) /* else getopt has said what is wrong */
		exit(EXIT_USAGE);
}

void command_parse_count(struct argp_state *state, const char *name, const char *arg,
			 uint64_t least, uint64_t *out)
{
	*out = 0; /* units_parse_count() takes positive numbers alone */
	if (strcmp(arg, "0") != 0 && !units_parse_count(arg, out))
		command_refuse(state, "--%s: \"%s\" is not a count", name, arg);
	if (*out < least || *out > INT64_MAX)
		command_refuse(state, "--%s: \"%s\" is not a count of at least %d", name, arg,
			       (int)least);
}

void command_parse_strategy(struct argp_state *state, const char *arg,
			    const struct strategy_ops **out)
{
	struct asc_err e;

	if (strategy_parse(arg, out, &e))
		command_refuse(state, "--strategy: %s", e.text);
}

void command_parse_patience(struct argp_state *state, const char *arg, struct patience_wanted *out)
{
	if (!patience_parse(arg, out))
		command_refuse(
			state,
			"--patience: \"%s\" is neither a part of the best time (1%%) nor a count "
			"of trials (50)",
			arg);
}

void command_parse_objective(struct argp_state *state, const char *arg, enum objective *out)
{
	if (!objective_parse(arg, out))
		command_refuse(state, "--objective: \"%s\" is none of time, energy and edp", arg);
}

double command_parse_part(struct argp_state *state, const char *name, const char *arg)
{
	const size_t n = strlen(arg), digits = n > 0 && arg[n - 1] == '%' ? n - 1 : n;
	struct value v;

	if (!value_parse(arg, digits, &v) || v.kind == VALUE_BOOL || value_as_real(v) < 0 ||
	    value_as_real(v) > 100)
		command_refuse(state, "--%s %s: expected 0%% to 100%%", name, arg);
	return value_as_real(v) / 100;
}

void command_parse_python(struct argp_state *state, const char *arg)
{
	if (setenv(TRITON_PYTHON_VARIABLE, arg, 1) != 0)
		command_refuse(state, "out of memory");
}

void command_parse_python_npu(struct argp_state *state, const char *arg)
{
	if (setenv(TRITON_PYTHON_NPU_VARIABLE, arg, 1) != 0)
		command_refuse(state, "out of memory");
}

void command_parse_cann(struct argp_state *state, const char *arg)
{
	char *libraries = NULL, *folder;
	struct asc_err e;

	if (cann_libraries(arg, &libraries, &e))
		command_refuse(state, "--cann: %s", e.text);
	free(libraries);
	/* Absolute: workers and compilers run in other folders. */
	folder = path_absolute(arg, &e);
	if (!folder || setenv(toolkit_cann.variable, folder, 1) != 0)
		command_refuse(state, "out of memory");
	free(folder);
}

void command_parse_no_rewrite(struct argp_state *state, const char *arg, unsigned *off)
{
	const struct rewrite_ops *r = rewrite_find(arg);

	if (!r && strcmp(arg, "all") != 0)
		command_refuse(
			state,
			"--no-rewrite: no rewrite \"%s\"; `asctune list rewrites` names them", arg);
	*off |= r ? rewrite_bit(r) : ~0U;
}

int command_fail(const struct asc_err *e)
{
	/* A child that crashed is a device or compiler that cannot be used. */
	const bool nothing = e->status == ASC_ABSENT || e->status == ASC_CHILD;

	say("asctune: %s", e->text);
	if (e->status == ASC_INTERRUPTED)
		return EXIT_INTERRUPTED;
	return nothing ? EXIT_NOTHING : EXIT_USAGE;
}

enum asc_status command_print_line(struct buf *line, struct asc_err *e)
{
	const enum asc_status status = buf_check(line, e);

	if (status == ASC_OK)
		puts(buf_str(line));
	buf_fini(line);
	return status;
}

static volatile sig_atomic_t stop_asked;

static void on_signal(int sig)
{
	stop_asked = 1;
	screen_leave(); /* a message that comes now begins on a line of its own */
	signal(sig, SIG_DFL);
}

const volatile sig_atomic_t *command_watch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN) /* nohup has asked for that */
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN); /* a reader that has gone does not end a run: finish() sees it */
	return &stop_asked;
}

const char *command_db_path(const char *option)
{
	const char *path = getenv("ASCTUNE_DB");

	if (option)
		return option; /* "" is refused when it is opened */
	return path && *path ? path : "asctune.db";
}

enum asc_status command_open_results(const char *path, struct db **out, struct asc_err *e)
{
	char *cache = NULL;
	enum asc_status status = db_open(path, DB_READ, out, e);

	if (status == ASC_OK)
		status = places_find_cache(&cache, e);
	if (status == ASC_OK && cache)
		status = db_use_peaks(*out, cache, e);
	free(cache);
	return status;
}

static void print_help(FILE *to)
{
	struct prose p;

	prose_open(&p, to);
	fputs("Usage: asctune COMMAND [OPTION...] [ARGUMENT...]\n"
	      "Autotuning and profiling of accelerator kernels.\n\nCommands:\n",
	      to);
	for (size_t i = 0; command_list[i]; i++)
		if (command_list[i]->argp) {
			prose_put(&p, INK_PLAIN, "  %-16s %s", command_list[i]->name,
				  command_list[i]->summary);
			prose_end(&p, 19);
		}
	fputc('\n', to);
	p.columns = p.columns && p.columns < HELP_COLUMNS ? p.columns : HELP_COLUMNS;
	prose_put(
		&p, INK_PLAIN,
		"`asctune COMMAND --help` explains a command; `asctune --version` prints the "
		"version. Results go to stdout, messages to stderr. "
		"Exit status: 0 done; 1 no usable result (nothing passed, or the answer is "
		"slower than its default), a new regression, a broken kernel, a slower side "
		"(compare, gate), a kernel that fails (profile) or does not build (code), a time "
		"that is "
		"not reproduced, a stale table, a configuration that is "
		"not valid (space --explain), a check that fails (doctor); 2 usage or bad input; 3 "
		"nothing to measure with; 4 undecided (compare, gate and track --strict, "
		"reproduce); 130 "
		"interrupted (everything measured is "
		"recorded).");
	prose_end(&p, 0);
	prose_close(&p);
}

static int refuse_command(const char *name)
{
	const char *names[32] = {0};
	size_t n = 0;

	for (size_t i = 0; command_list[i] && n < 31; i++)
		if (command_list[i]->argp)
			names[n++] = command_list[i]->name;
	const char *nearest = str_nearest(name, names);

	if (nearest)
		say("asctune: unknown command \"%s\" (did you mean \"%s\"?)", name, nearest);
	else
		say("asctune: unknown command \"%s\"; `asctune --help` lists them", name);
	return EXIT_USAGE;
}

/* True for a pipe whose reader has gone, which is no fault: `asctune list | head`. */
static bool is_unread(int fd)
{
	struct pollfd p = {.fd = fd};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR) != 0;
}

/* A result that could not be written is no result: a full disk or a closed pipe must not look like
 * success. */
static int finish(int status)
{
	const int error = fflush(stdout) == 0 ? 0 : errno; /* 0: or an earlier flush has failed */

	/* A negative verdict outweighs a lost line; success does not. */

	if (prose_was_lost()) {
		say("asctune: out of memory: some output is missing");
		return status ? status : EXIT_USAGE;
	}
	if (!error && !ferror(stdout))
		return status;
	if (!is_unread(STDOUT_FILENO))
		say("asctune: cannot write the result to stdout%s%s", error ? ": " : "",
		    error ? strerror(error) : "");
	return EXIT_USAGE;
}

/* Takes the place of a standard stream that is closed, which a file would have else, with all that
 * is written to the stream. Writing fails as it does on one that is closed, which it is for a
 * command that this one starts. */
static bool hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", O_RDONLY | O_CLOEXEC) != fd)
			return false;
	return true;
}

int main(int argc, char **argv)
{
	const char *script = getenv("ASCTUNE_STARTED_AS");

	if (!hold_streams())
		return EXIT_USAGE;
	/* A script that starts the program says how it was started itself. */
	shell_set_program(script && *script ? script : argc > 0 ? argv[0] : NULL);
	/* An ignored SIGCHLD is inherited, and children would have no status. A write beyond the
	 * limit on the size of files is to fail as one to a full disk does, with a message. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
	log_set_sink(print_log, NULL);
	db_set_up_process();
	json_set_up_process();
	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return finish(EXIT_DONE);
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("asctune " ASCTUNE_VERSION);
		return finish(EXIT_DONE);
	}
	for (size_t i = 0; command_list[i]; i++)
		if (strcmp(command_list[i]->name, argv[1]) == 0)
			return finish(command_list[i]->run(argc - 1, argv + 1));
	return refuse_command(argv[1]);
}
