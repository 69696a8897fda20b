/* Sub-commands: one table entry each, with an argp parser that --help, the manual page and the
 * completion of shells are made from; the latter knows values by the text that stands for them
 * there (completion.c). */
#ifndef ASCTUNE_CMD_COMMAND_H
#define ASCTUNE_CMD_COMMAND_H

#include <argp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/objective.h"

struct buf;
struct db;
struct strategy_ops;

/* The command line's contract. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_NEGATIVE = 1,     /* a negative verdict: no usable result, a new regression */
	EXIT_USAGE = 2,        /* usage or bad input */
	EXIT_NOTHING = 3,      /* nothing to measure with */
	EXIT_UNDECIDED = 4,    /* something could not be decided, nothing is worse */
	EXIT_INTERRUPTED = 130 /* SIGINT; everything measured is recorded */
};

struct command {
	const char *name;
	const char *summary;     /* one line, for the list of commands */
	const struct argp *argp; /* NULL: hidden, takes no options */
	int (*run)(int argc, char **argv);
};

extern const struct command *const command_list[]; /* NULL-terminated, in the order of --help */

/* A flag of an option that may be given more than once. */
#define COMMAND_REPEATABLE 0x1000

/* Parses with argp; errors of usage end the program with EXIT_USAGE. Refuses an option with a value
 * that is given twice, unless it is COMMAND_REPEATABLE. */
void command_parse(const struct argp *argp, int argc, char **argv, void *input);

/* States an error of usage in one line and ends the program with EXIT_USAGE. argp's own functions
 * add two lines of advice. */
void command_refuse(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
#pragma GCC poison argp_error argp_failure argp_usage

/* Parses a number of at least `least` for the option --NAME; anything else is an error of usage. */
void command_parse_count(struct argp_state *state, const char *name, const char *arg,
			 uint64_t least, uint64_t *out);

/* Parses --strategy NAME: NULL for `auto`; an unknown name is an error of usage. */
void command_parse_strategy(struct argp_state *state, const char *arg,
			    const struct strategy_ops **out);

/* Parses --patience PCT%|N. */
struct patience_wanted;
void command_parse_patience(struct argp_state *state, const char *arg, struct patience_wanted *out);

/* Parses --objective time|energy|edp. */
void command_parse_objective(struct argp_state *state, const char *arg, enum objective *out);

/* Parses --NAME PCT%, from 0 to 100, as a part of one. */
double command_parse_part(struct argp_state *state, const char *name, const char *arg);

#define COMMAND_UNTRUSTED_HELP                                                                     \
	"for a workload of a stranger: refuses links, files outside of its folder, and flags "     \
	"that make a compiler do more than compile"

#define COMMAND_TRUST_HELP                                                                         \
	"leaves the sandbox off: kernels and compilers read, write and connect as the user may"
#define COMMAND_TRUST_FAULT "--untrusted needs the sandbox: --trust does not go with it"

/* --python PROGRAM and --python-npu PROGRAM: set the interpreters of this process
 * (build/triton_python). */
#define COMMAND_PYTHON_HELP                                                                        \
	"interpreter whose Triton compiles kernels and which calls Python functions (default "     \
	"$ASCTUNE_PYTHON, else python3)"
void command_parse_python(struct argp_state *state, const char *arg);
#define COMMAND_PYTHON_NPU_HELP                                                                    \
	"interpreter whose triton-ascend and bishengir-compile plan kernels for NPUs (default "    \
	"$ASCTUNE_PYTHON_NPU, else python3)"
void command_parse_python_npu(struct argp_state *state, const char *arg);

/* --cann DIR: the installation of CANN, or of its stand-in, for this process and its children. */
#define COMMAND_CANN_HELP                                                                          \
	"folder of the CANN whose libraries are opened (default: $ASCTUNE_CANN, else where the "   \
	"loader or $ASCEND_HOME_PATH finds them)"
void command_parse_cann(struct argp_state *state, const char *arg);

/* --no-rewrite NAME: adds the rewrite, or all, to those in *off (rewrite_bit()s). */
#define COMMAND_NO_REWRITE_HELP                                                                    \
	"leaves out this rewrite, or all (`asctune list rewrites`); may be repeated"
void command_parse_no_rewrite(struct argp_state *state, const char *arg, unsigned *off);

/* Prints "asctune: TEXT" and gives the exit status of an error. */
int command_fail(const struct asc_err *e);

/* Prints a line to stdout and ends its storage; ASC_NOMEM where an append to it has failed. */
enum asc_status command_print_line(struct buf *line, struct asc_err *e);

/* Catches SIGINT, SIGTERM and SIGHUP from now on; the second signal has its usual effect, and what
 * nohup ignores stays ignored. Returns the flag that the first signal sets, for the program's whole
 * life. */
const volatile sig_atomic_t *command_watch_signals(void);

/* Options that several commands share: key, and how the value is kept. */
#define COMMAND_DB_HELP "results database (default $ASCTUNE_DB, else asctune.db)"
const char *command_db_path(const char *option); /* option, environment or default */

/* Opens a database for reading, which then knows the peaks in the user's cache, too. */
enum asc_status command_open_results(const char *path, struct db **out, struct asc_err *e);

#endif
