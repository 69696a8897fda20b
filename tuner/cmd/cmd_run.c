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
#include "tuner/cmd/run/run_cover.h"
#include "tuner/cmd/run/run_given.h"
#include "tuner/cmd/run/run_known.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_problem.h"
#include "tuner/cmd/run/run_proof.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_several.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/device/device_names.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/sources/sources.h"

extern const struct command run_command;

/* Begins the builds of the first problem of `w`, file number `file`, from index `i` on that is
 * wanted; false: none is. */
static bool build_wanted(struct command_run *s, size_t file, const struct workload *w, size_t i)
{
	while (i < w->n_problems && !run_problem_wants(s, file, &w->problems[i]))
		i++;
	if (i == w->n_problems)
		return false;
	run_problem_build(&s->one, w, &w->problems[i]);
	return true;
}

/* Begins the builds of the problem behind the one being tuned, while that is measured. */
static void build_next(void *user)
{
	struct command_run *s = ((struct run_lane *)user)->run;
	struct workload *next;
	struct asc_err e;

	if (!session_builds_ahead(&s->on.session) || s->options->finals)
		return;
	/* An edit of its sources says nothing of the problem that is measured meanwhile. */
	sources_note(false);
	bool found = build_wanted(s, s->file, s->workload, s->problem + 1);

	for (size_t i = s->file + 1; i < s->files.n && !found; i++) {
		if (!run_shard_has(&s->shard, i, NULL) ||
		    run_problem_open_workload(s, s->files.paths[i], &next, &e))
			continue;
		found = build_wanted(s, i, next, 0);
		workload_close(next);
	}
	sources_note(true);
}

static enum asc_status run_problem(struct command_run *s, const struct workload *w,
				   const struct problem *p, struct asc_err *e)
{
	struct run_item it = {.workload = w, .problem = p};
	const enum asc_status status = run_problem_tune(&s->one, &it, build_next, ++s->number, e);
	const enum asc_status taken =
		it.options.workload ? run_problem_take(s, &it, &s->show, status, e) : status;

	loop_summary_fini(&it.sum);
	return taken;
}

/* Refuses several problems, for --config. */
static enum asc_status check_one_problem(const struct command_run *s, const struct workload *w,
					 struct asc_err *e)
{
	struct buf names = {0};
	size_t n = 0;

	for (size_t i = 0; i < w->n_problems; i++)
		if (target_wants(&s->on.target, &w->problems[i], &s->problems))
			buf_print(&names, "%s%s", n++ ? ", " : "", w->problems[i].name);
	if (n > 1)
		asc_err_set(e, ASC_USAGE, "--config needs one problem, --problem NAME of %s",
			    buf_str(&names));
	buf_fini(&names);
	return n > 1 ? e->status : ASC_OK;
}

static struct run_given given_of(struct command_run *s, struct workload *w)
{
	return (struct run_given){.options = s->options,
				  .problems = &s->problems,
				  .stop = s->stop,
				  .on = &s->on,
				  .db = s->db,
				  .show = &s->show,
				  .workload = w,
				  .what = "cover"};
}

/* Covers the problems that were tuned, and proves their table. With --resume, a cover counts what
 * any run has measured. */
static enum asc_status measure_given(struct command_run *s, struct workload *w, struct asc_err *e)
{
	const struct run_options *o = s->options;
	struct run_given on = given_of(s, w);
	enum asc_status status = ASC_OK;

	if (!s->db || *s->stop)
		return ASC_OK;
	if (o->cover_text) {
		run_given_limit(&on);
		status = run_cover(&on, o->resume ? 0 : s->first_run, s->fresh, e);
	}
	if (status == ASC_OK && s->library && !*s->stop) {
		on.what = "table";
		run_given_limit(&on);
		status = run_proof(&on, s->library, e);
	}
	return status;
}

static enum asc_status run_workload(struct command_run *s, const char *path, struct asc_err *e)
{
	const struct run_options *o = s->options;
	struct workload *w = NULL;
	enum asc_status status = run_problem_prepare(s, path, &w, e);

	if (status == ASC_OK && o->config)
		status = check_one_problem(s, w, e);
	if (status == ASC_OK && o->table)
		status = run_proof_check(o->table, w, &s->library, e);
	if (status == ASC_OK && o->table) {
		const struct run_given on = given_of(s, w);

		status = run_proof_check_problems(&on, s->library, e);
	}
	s->foreign |= status == ASC_OK && o->table && run_proof_is_foreign(w);
	s->workload = w;
	if (status == ASC_OK)
		run_session_take_caches(&s->on, o, w);
	for (size_t i = 0; status == ASC_OK && !*s->stop && i < w->n_problems; i++) {
		s->problem = i;
		if (run_problem_wants(s, s->file, &w->problems[i]))
			status = run_problem(s, w, &w->problems[i], e);
	}
	if (status == ASC_OK)
		status = measure_given(s, w, e);
	workload_close(w);
	return status;
}

/* One workload of a folder that cannot be tuned does not keep the others from it. */
static enum asc_status run_one_of(struct command_run *s, const char *path, struct asc_err *e)
{
	enum asc_status status = run_workload(s, path, e);

	if (status == ASC_OK || run_problem_ends_all(s, status))
		return status;
	run_problem_note_failed(s, s->unwanted, e);
	return ASC_OK;
}

/* Counts the problems of file number `file`, and adds them to those that are dealt out: none of a
 * workload that cannot be read, which is said when its turn comes. */
static enum asc_status count_problems(struct command_run *s, size_t file, struct asc_err *e)
{
	struct workload *w = NULL;
	struct asc_err why;
	enum asc_status status = ASC_OK;

	if (workload_open(s->files.paths[file], &w, &why))
		return ASC_OK;
	const bool readable = target_add_problems(w, &s->options->problems, &why) == ASC_OK &&
			      run_problem_choose_sizes(s, w, &why) == ASC_OK;

	for (size_t i = 0; readable && status == ASC_OK && i < w->n_problems; i++) {
		if (!target_wants(&s->on.target, &w->problems[i], &s->problems))
			continue;
		s->all++;
		if (s->shard.place.count)
			status = run_shard_add(&s->shard, file, w, &w->problems[i], e);
	}
	workload_close(w);
	return status;
}

/* Finds this share's problems. One that has none is recorded all the same: its database says that
 * nothing is missing. *empty: there is nothing to do. */
static enum asc_status deal_out(struct command_run *s, bool *empty, struct asc_err *e)
{
	struct run_shard *h = &s->shard;

	*empty = false;
	if (h->place.count == 0 || run_shard_deal(h, s->with, s->on.target.ops->name, e))
		return h->place.count == 0 ? ASC_OK : e->status;
	s->all = h->own;
	*empty = h->n > 0 && h->own == 0;
	return *empty ? run_problem_open_db(s, e) : ASC_OK;
}

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
		status = run_several_open(s, e);
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
	for (size_t i = 0; status == ASC_OK && s->several.lanes && i < s->several.names.n; i++)
		run_show_init_device(&s->several.lanes[i].part, &s->show,
				     s->several.names.list[i].shown);
	s->show.devices = s->several.shows;
	s->show.n_devices = s->several.lanes ? s->several.names.n : 0;
	s->problems = s->options->problems;
	s->problems.of_folder = files->n > 1;
	/* How many there are stands in progress and budget; JSON on its own needs neither. */
	const bool shown = !s->options->json || s->show.screen.live || s->shard.place.count;
	for (size_t i = 0; status == ASC_OK && shown && i < files->n; i++)
		status = count_problems(s, i, e);
	if (status == ASC_OK)
		status = deal_out(s, &empty, e);
	if (status == ASC_OK && s->several.lanes && !empty)
		status = run_several_tune(s, e);
	for (; status == ASC_OK && !s->several.lanes && !*s->stop && !empty && s->file < files->n;
	     s->file++)
		/* Without a problem for this device at all, each file says why. */
		if (s->shard.n == 0 || run_shard_has(&s->shard, s->file, NULL))
			status = (files->n == 1 ? run_workload
						: run_one_of)(s, files->paths[s->file], e);
	workload_files_fini(files);
	return status;
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
 * 2. run_files(): the session is opened, then each workload, and of it each problem that is wanted,
 * is tuned and its answer printed; the database is opened by the first that can be tuned.
 * 3. With --cover, few configurations are chosen for each workload (run_cover); with --table, each
 * answer of a library's table is measured beside what the library takes without it (run_proof).
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
	run_known_close(&s.one.known);
	run_shard_fini(&s.shard);
	db_close(s.with);
	db_close(s.db);
	buf_fini(&s.noted);
	if (!s.several.lanes)
		run_session_close(&s.on);
	run_several_close(&s.several);
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
