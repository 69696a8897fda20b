/* asctune check-workload: reads workloads whole and says the first thing wrong with each. */
#include <stdio.h>

#include "tuner/cmd/command.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/model/workload.h"

extern const struct command check_command;

struct check {
	int checked, bad;
};

static void check_one(struct check *c, const char *path)
{
	struct workload *w = NULL;
	struct asc_err e;

	c->checked++;
	if (workload_open(path, &w, &e)) {
		c->bad++;
		fprintf(stderr, "asctune: %s\n", e.text);
		return;
	}
	printf("%s: ok: %s, problems: %zu, tensors: %zu, implementations: %zu\n", path, w->name,
	       w->n_problems, w->n_tensors, w->n_implementations);
	workload_close(w);
}

static error_t parse_check(int key, char *arg, struct argp_state *state)
{
	struct workload_files files;
	struct asc_err e;

	if (key == ARGP_KEY_NO_ARGS)
		argp_error(state, "a workload FILE or FOLDER is needed");
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (workload_files_find(arg, &files, &e)) {
		command_fail(&e);
		((struct check *)state->input)->bad++;
		return 0;
	}
	for (size_t i = 0; i < files.n; i++)
		check_one(state->input, files.paths[i]);
	workload_files_fini(&files);
	return 0;
}

static const struct argp check_argp = {NULL,
				       parse_check,
				       "FILE|FOLDER...",
				       "Checks workloads: structure, names, expressions and "
				       "shapes, for every problem and implementation.",
				       0,
				       0,
				       0};

static int check_main(int argc, char **argv)
{
	struct check c = {0};

	command_parse(&check_argp, argc, argv, &c);
	return c.bad ? EXIT_USAGE : EXIT_DONE;
}

const struct command check_command = {"check-workload", "checks workload files", &check_argp,
				      check_main};
