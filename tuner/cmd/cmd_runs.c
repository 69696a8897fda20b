/* asctune runs: how far the run of each problem came, or each share of a run. */
#include <stdio.h>
#include <stdlib.h>

#include "db/db.h"
#include "reports/track/track_runs.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_shard.h"
#include "tuner/cmd/run/share_states.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"

extern const struct command runs_command;

struct runs {
	const char *db, *device, *markdown;
	uint64_t shares; /* of --shards; 0: problems are asked for */
	struct problem_choice problems;
	bool json;
	const char **files;
	size_t n_files;
	struct target target;
	struct db *opened; /* NULL: nothing was recorded */
	struct buf table;
	size_t complete, incomplete;
};

enum { KEY_SHARDS = 256 };

static error_t parse_runs(int key, char *arg, struct argp_state *state)
{
	struct runs *o = state->input;

	switch (key) {
	case 'd': o->db = arg; break;
	case 'D': o->device = arg; break;
	case 'p': problem_choice_add(&o->problems, state, arg); break;
	case 'm': o->markdown = arg; break;
	case 'j': o->json = true; break;
	case KEY_SHARDS:
		command_parse_count(state, "shards", arg, 1, &o->shares);
		if (o->shares > SHARD_MOST)
			command_refuse(state, "--shards: \"%s\" is more than %d", arg, SHARD_MOST);
		break;
	case ARGP_KEY_ARG: o->files[o->n_files++] = arg; break;
	case ARGP_KEY_NO_ARGS:
		command_refuse(state, o->shares ? "at least one DB is needed"
						: "a workload FILE or FOLDER is needed");
		break;
	case ARGP_KEY_END:
		if (o->shares && (o->db || o->device || o->markdown || o->problems.n))
			command_refuse(state, "--shards asks databases: --%s does not go with it",
				       o->db         ? "db"
				       : o->device   ? "device"
				       : o->markdown ? "markdown"
						     : "problem");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_option runs_options[] = {
	{"db", 'd', "FILE", 0, COMMAND_DB_HELP, 0},
	{"device", 'D', "DEVICE", 0, TARGET_DEVICE_HELP, 0},
	{"problem", 'p', "NAME", COMMAND_REPEATABLE, TARGET_PROBLEM_HELP, 0},
	{"markdown", 'm', "FILE", 0,
	 "writes also the problems that are not complete, as Markdown for CI", 0},
	{"shards", KEY_SHARDS, "N", 0,
	 "says instead of each of N shares of a run whether the databases DB... have it "
	 "(`asctune run --shard` makes them): whole, torn (killed, stopped, failed or going on), "
	 "or missing; and which are there twice, or of other problems, another seed, version or "
	 "history than most",
	 0},
	{"json", 'j', NULL, 0, "prints one JSON object for each problem, or share", 0},
	{0}};
static const struct argp runs_argp = {
	runs_options,
	parse_runs,
	"FILE|FOLDER...\n--shards N DB...",
	"Says of every problem that `asctune run` would tune here how far its newest run "
	"in the database came: complete, stopped (interrupted, or out of time), cut "
	"short (killed), missing, or uncovered (no implementation can run it here).\vA "
	"run that was killed after its end was recorded is complete; one that was killed "
	"before is cut short, and `track` does not compare it. Exit status: 0 all are "
	"complete or whole, 3 something was not measured.",
	0,
	0,
	0};

static enum asc_status show(struct runs *o, const struct track_run *r, struct asc_err *e)
{
	struct buf line = {0};

	if (o->json)
		track_run_write_json(r, &line);
	else
		track_run_write(r, &line);
	if (r->reached != TRACK_COMPLETE && r->reached != TRACK_UNCOVERED)
		track_run_write_markdown(r, o->incomplete++, &o->table);
	o->complete += r->reached == TRACK_COMPLETE;
	if (!o->json && !line.failed) {
		prose_print(stdout, 2, buf_str(&line));
		buf_fini(&line);
		return buf_check(&o->table, e);
	}
	return command_print_line(&line, e) ? e->status : buf_check(&o->table, e);
}

static enum asc_status is_covered(const struct runs *o, const struct workload *w,
				  const struct problem *p, bool *covered, struct asc_err *e)
{
	struct binding b = {0};
	char reason[256];
	enum asc_status status =
		binding_init(&b, w, p, o->target.ops->name, &o->target.info.facts, e);

	*covered = false;
	b.limits = target_limits(&o->target);
	for (size_t i = 0; status == ASC_OK && !*covered && i < w->n_implementations; i++)
		status = binding_covers(&b, &w->implementations[i], covered, reason, sizeof reason,
					e);
	binding_fini(&b);
	return status;
}

static enum asc_status show_problem(struct runs *o, const struct workload *w,
				    const struct problem *p, struct asc_err *e)
{
	struct track_run r = {.workload = w->name,
			      .problem = p->name,
			      .device = o->target.ops->name,
			      .simulated = o->target.info.simulated};
	bool covered = true;

	if (track_run_find(o->opened, &r, e))
		return e->status;
	/* A measured implementation is covered; coverage is asked only of missing ones, since that
	 * is slow. */
	if (r.reached == TRACK_MISSING && is_covered(o, w, p, &covered, e))
		return e->status;
	if (!covered)
		r.reached = TRACK_UNCOVERED;
	return show(o, &r, e);
}

/* Reports a file that cannot be read as a state of its own. */
static enum asc_status show_workload(struct runs *o, const char *path, struct asc_err *e)
{
	struct workload *w = NULL;
	struct asc_err why;
	enum asc_status status = ASC_OK;

	if (workload_open(path, &w, &why))
		return show(o,
			    &(struct track_run){.workload = path,
						.problem = "",
						.device = o->target.ops->name,
						.reached = TRACK_UNREADABLE,
						.reason = why.text},
			    e);
	if (o->problems.n && !o->problems.of_folder)
		status = target_check(&o->target, w, &o->problems, NULL, e);
	for (size_t i = 0; status == ASC_OK && i < w->n_problems; i++)
		if (target_wants(&o->target, &w->problems[i], &o->problems))
			status = show_problem(o, w, &w->problems[i], e);
	workload_close(w);
	return status;
}

static enum asc_status show_files(struct runs *o, const char *path, struct asc_err *e)
{
	struct workload_files files;
	enum asc_status status = workload_files_find(path, &files, e);

	if (status)
		return status;
	/* --problem need not name a problem of each of several workloads. */
	o->problems.of_folder = o->n_files > 1 || files.n > 1;
	for (size_t i = 0; status == ASC_OK && i < files.n; i++)
		status = show_workload(o, files.paths[i], e);
	workload_files_fini(&files);
	return status;
}

static enum asc_status show_all(struct runs *o, struct asc_err *e)
{
	enum asc_status status = target_open(o->device, &o->target, e);

	if (status == ASC_OK)
		status = db_open(command_db_path(o->db), DB_READ, &o->opened, e);
	if (status == ASC_NOTFOUND) { /* nothing was recorded */
		prose_say(stderr, 2, "asctune: %s; nothing is recorded", e->text);
		status = ASC_OK;
	}
	for (size_t i = 0; status == ASC_OK && i < o->n_files; i++)
		status = show_files(o, o->files[i], e);
	if (status == ASC_OK && o->incomplete == 0)
		buf_print(&o->table, "%zu problem%s measured to the end\n", o->complete,
			  o->complete == 1 ? "" : "s");
	if (status == ASC_OK && o->markdown)
		status = buf_check(&o->table, e);
	/* CI runs this again and again: what a killed process has left goes. */
	if (status == ASC_OK && o->markdown) {
		file_remove_left(o->markdown);
		status = file_write(o->markdown, o->table.data, o->table.len, e);
	}
	return status;
}

static int runs_main(int argc, char **argv)
{
	struct runs o = {.files = calloc((size_t)argc, sizeof *o.files)};
	struct asc_err e;

	if (!o.files) {
		asc_err_nomem(&e);
		return command_fail(&e);
	}
	command_parse(&runs_argp, argc, argv, &o);
	const struct share_question q = {o.files, o.n_files, o.shares, o.json};
	bool lacking = false;
	enum asc_status status = o.shares ? share_states_show(&q, &lacking, &e) : show_all(&o, &e);

	db_close(o.opened);
	buf_fini(&o.table);
	free(o.files);
	if (status)
		return command_fail(&e);
	return lacking || o.incomplete ? EXIT_NOTHING : EXIT_DONE;
}

const struct command runs_command = {"runs", "says which problems were measured to the end",
				     &runs_argp, runs_main};
