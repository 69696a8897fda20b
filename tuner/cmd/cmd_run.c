/* asctune run: tunes the problems of workloads on a device, or on several at once. */
#include <stdio.h>
#include <stdlib.h>

#include "db/db.h"
#include "db/share.h"
#include "probes/probe.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/shell.h"
#include "tuner/cmd/again/again.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/problem_sizes.h"
#include "tuner/cmd/run/run_known.h"
#include "tuner/cmd/run/run_lanes.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_problem.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/device/device_names.h"

extern const struct command run_command;

/* Ends this share's row, if it was begun. */
static enum asc_status end_share(const struct command_run *s, enum asc_status status,
				 struct asc_err *e)
{
	const char *outcome = status      ? asc_status_name(status)
			      : *s->stop  ? "interrupted"
			      : s->failed ? "failed"
					  : "done";
	struct asc_err second;

	if (!s->share_id)
		return status;
	const enum asc_status ended =
		db_end_share(s->db, s->share_id, outcome, status ? &second : e);

	return status ? status : ended;
}

/* Opens the history as a file that nobody changes, which the one that results go to is not. */
static enum asc_status open_with(struct command_run *s, struct asc_err *e)
{
	const char *path = s->options->with, *own = command_db_path(s->options->db);

	if (file_is_same(path, own))
		return asc_err_set(e, ASC_USAGE,
				   "--with: results go to %s, which has its history anyway", own);
	return db_open(path, DB_STILL, &s->with, e) ? asc_err_wrap(e, "--with") : ASC_OK;
}

static enum asc_status run_files(struct command_run *s, struct profile_options *profile,
				 struct asc_err *e)
{
	struct workload_files *const files = &s->files;
	enum asc_status status = workload_files_find(s->options->file, files, e);
	bool empty = false;

	if (status)
		return status;
	s->shard.place = s->options->shard;
	s->shard.by_configurations = s->options->by_configurations;
	if (s->options->config && files->n > 1)
		status = asc_err_set(e, ASC_USAGE, "--config needs one workload FILE");
	else if (problem_sizes_wanted(&s->sizes) && files->n > 1)
		status = asc_err_set(e, ASC_USAGE, "--dims and --dtype need one workload FILE");
	else
		status = run_lanes_open(s, e);
	if (status == ASC_OK && profile->wanted)
		status = profile_options_open(profile, s->on.target.ops->name, &s->profile, e);
	if (status == ASC_OK && s->options->objective != OBJECTIVE_TIME)
		profile_options_add_probe(profile, probe_energy.name, &s->profile);
	if (status == ASC_OK && s->options->with)
		status = open_with(s, e);
	if (status == ASC_OK && s->options->table && !(s->options->policy.finals.ratio > 0))
		status = asc_err_set(e, ASC_USAGE,
				     "--table compares in rounds, and --repeats takes none");
	if (status == ASC_OK && (s->options->cover_text || s->options->table) &&
	    s->on.target.info.simulated)
		status = asc_err_set(e, ASC_USAGE,
				     "--%s is for times that are measured, those of %s are "
				     "simulated",
				     s->options->cover_text ? "cover" : "table",
				     s->on.target.info.model);
	if (status == ASC_OK)
		run_show_init(&s->show, s->options);
	for (size_t i = 0; status == ASC_OK && s->lanes.names.n > 1 && i < s->lanes.names.n; i++)
		run_show_init_device(&s->lanes.list[i].part, &s->show,
				     s->lanes.names.list[i].shown);
	s->show.devices = s->lanes.shows;
	s->show.n_devices = s->lanes.shows ? s->lanes.names.n : 0;
	s->problems = s->options->problems;
	s->problems.of_folder = files->n > 1;
	if (status == ASC_OK)
		status = run_lanes_list(s, &empty, e);
	if (status || *s->stop)
		return status;
	/* A share without a problem is recorded all the same: its database says that nothing is
	 * missing. */
	return empty ? run_problem_open_db(s, e) : run_lanes_tune(s, e);
}

/* Appends the command that shows the results: the page also has problems without an answer. */
static void add_next(const struct command_run *s, struct buf *next)
{
	const bool page = s->show.answers > 1 || s->show.found == 0;

	shell_add_program(next);
	const bool table = s->library || s->options->cover_text;

	shell_add_argument(next, table ? "export" : page ? "report" : "best");
	if (table)
		shell_add_argument(next, s->library ? s->library : "json");
	if (s->foreign)
		shell_add_argument(next, "--foreign-kernel");
	if (s->options->cover_text) {
		shell_add_argument(next, "--cover");
		shell_add_argument(next, s->options->cover_text);
	} else if (s->on.target.info.simulated && !page && !table) {
		shell_add_argument(next, "--simulated");
	} else if (s->by_energy && !page && !table) {
		shell_add_argument(next, "--objective");
		shell_add_argument(next, objective_name(s->options->objective));
	}
	shell_add_option(next, "--db", s->options->db);
}

/* Prints where the results are, and the command that shows them. */
static void say_next(const struct command_run *s)
{
	const char *path = command_db_path(s->options->db);
	struct buf next = {0};
	struct prose p;

	if (!s->db || s->options->json || (s->share_id && s->shard.own == 0))
		return;
	prose_open(&p, stderr);
	if (*s->stop) {
		prose_put(&p, INK_PLAIN,
			  "stopped; what was measured is in %s: the same command with --resume "
			  "goes on",
			  path);
	} else if (s->options->config) {
		prose_put(&p, INK_PLAIN, "recorded in %s", path);
	} else {
		add_next(s, &next);
		prose_put(&p, INK_PLAIN, "results in %s; next: ", path);
		prose_put(&p, INK_COMMAND, "%s", buf_str(&next));
	}
	if (next.len)
		prose_end_command(&p, 2);
	else
		prose_end(&p, 2);
	prose_close(&p);
	buf_fini(&next);
}

/* 1. Options are read; --confirm is a command of its own (again/run_confirm).
 * 2. run_lanes_open() opens the devices, run_lanes_list() each workload, and finds the share of a
 *    --shard; run_lanes_tune() deals the problems out, each of which is tuned and its answer
 *    printed; the first that can be tuned opens the database.
 * 3. With --cover, few configurations are chosen for each workload (run_cover); with --table, each
 *    answer of a library's table is measured beside what the library takes without it (run_proof).
 * 4. What was left out, the table of several answers, and the command that shows the results. */
static int run_main(int argc, char **argv)
{
	struct run_options o;
	struct command_run s = {.options = &o};
	struct asc_err e;

	run_options_parse(argc, argv, &o);
	s.sizes = (struct problem_sizes){.dims = o.dims, .dtype = o.dtype};
	s.stop = command_watch_signals();
	db_wait_until(s.stop);
	if (o.confirm) {
		const bool several = o.device && device_names_are_several(o.device);
		const int confirmed =
			several ? command_fail((asc_err_set(&e, ASC_USAGE,
							    "--confirm is for one device, "
							    "--device %s may be several",
							    o.device),
						&e))
				: run_confirm(&o, s.stop);

		run_options_fini(&o);
		return confirmed;
	}
	enum asc_status status = run_files(&s, &o.profile, &e);

	/* A problem that is alone has said so by its error. */
	if (!status && !*s.stop && s.uncovered && s.tuned + s.uncovered > 1)
		prose_say(stderr, 2, "%d problem%s of %d %s covered by no implementation on %s%s",
			  s.uncovered, s.uncovered == 1 ? "" : "s", s.tuned + s.uncovered,
			  s.uncovered == 1 ? "is" : "are", s.on.target.ops->name,
			  o.device ? "" : "; --device names another device");
	if (!status)
		status = run_show_table(&s.show, s.db, &e);
	status = end_share(&s, status, &e);
	if (!status)
		say_next(&s);
	run_show_fini(&s.show);
	run_known_close(&s.known);
	run_shard_fini(&s.shard);
	db_close(s.with);
	db_close(s.db);
	buf_fini(&s.noted);
	run_lanes_close(&s);
	workload_files_fini(&s.files);
	problem_sizes_fini(&s.sizes);
	run_options_fini(&o);
	if (status)
		return command_fail(&e);
	/* The worst first: a workload that could not be tuned outweighs one without an answer. */
	if (*s.stop)
		return EXIT_INTERRUPTED;
	if (s.failed)
		return s.failed;
	if (s.tuned == 0)
		return s.uncovered || s.late || s.unknown ? EXIT_NOTHING : s.skipped;
	return s.passed == s.tuned && !s.late ? EXIT_DONE : EXIT_NEGATIVE;
}

const struct command run_command = {"run", "tunes a workload and records every result", &run_argp,
				    run_main};
