/* asctune runs: how far the run of each problem came, or each share of a run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/share.h"
#include "reports/track/track_runs.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_shard.h"
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
	 "(`asctune run --shard` makes them): whole, torn (killed, stopped or failed), or missing; "
	 "and which are there twice, or of other problems, another seed, version or history than "
	 "most",
	 0},
	{"json", 'j', NULL, 0, "prints one JSON object for each problem", 0},
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

/* ---- shares ---- */

struct share {
	char *uid, *db; /* db: the first that has it */
	struct db_share v;
	char *outcome;  /* NULL: killed, or in progress */
	char *texts[4]; /* of `v` */
	size_t group;   /* index of the first share that it belongs together with */
};

struct shares {
	const char *db;
	struct share *list;
	size_t n, room;
};

static char *copy(struct share *s, size_t i, const char *text)
{
	return s->texts[i] = text ? str_dup(text) : NULL;
}

/* A db_share_fn. A share may be in several databases, in one as it was before its end. */
static enum asc_status add_share(void *user, const struct db_share_state *state, struct asc_err *e)
{
	struct shares *a = user;
	size_t i = 0;

	while (i < a->n && strcmp(a->list[i].uid, state->uid) != 0)
		i++;
	if (i == a->n) {
		if (!array_room(&a->list, a->n, &a->room, sizeof *a->list))
			return asc_err_nomem(e);
		struct share *new = &a->list[a->n++];

		*new = (struct share){
			.uid = str_dup(state->uid), .db = str_dup(a->db), .v = state->share};
		new->v.way = copy(new, 0, state->share.way);
		new->v.dealt = copy(new, 1, state->share.dealt);
		new->v.version = copy(new, 2, state->share.version);
		new->v.history = copy(new, 3, state->share.history);
		if (!new->uid || !new->db || !new->v.way || !new->v.dealt)
			return asc_err_nomem(e);
	}
	if (!a->list[i].outcome && state->outcome) {
		a->list[i].outcome = str_dup(state->outcome);
		if (!a->list[i].outcome)
			return asc_err_nomem(e);
	}
	return ASC_OK;
}

/* Says what two shares do not have in common; "": they belong together. */
static const char *find_difference(const struct db_share *a, const struct db_share *b)
{
	return a->count != b->count                   ? "another number of shares"
	       : strcmp(a->way, b->way) != 0          ? "another way (--by)"
	       : strcmp(a->dealt, b->dealt) != 0      ? "other problems or files"
	       : a->seed != b->seed                   ? "another seed"
	       : !str_is_same(a->version, b->version) ? "another version"
	       : !str_is_same(a->history, b->history) ? "another history (--with)"
						      : "";
}

/* Finds those that belong together and are most: they are what was meant. a->n: none. */
static size_t find_group(struct shares *a, uint64_t count)
{
	size_t best = a->n, most = 0;

	for (size_t i = 0; i < a->n; i++) {
		size_t n = 0;

		a->list[i].group = 0;
		while (a->list[i].group < i &&
		       *find_difference(&a->list[a->list[i].group].v, &a->list[i].v))
			a->list[i].group++;
		if (a->list[i].group < i || (uint64_t)a->list[i].v.count != count)
			continue;
		for (size_t k = i; k < a->n; k++)
			n += !*find_difference(&a->list[i].v, &a->list[k].v);
		if (n > most) {
			best = i;
			most = n;
		}
	}
	return best;
}

static enum asc_status show_share(const struct runs *o, uint64_t number, const char *state,
				  const struct share *s, const char *more, struct asc_err *e)
{
	struct buf line = {0};
	struct json_writer w = {&line, false};
	const bool utf8 = columns_utf8_wanted();

	if (o->json) {
		json_write_begin(&w, NULL, '{');
		json_write_int(&w, "share", (int64_t)number);
		json_write_int(&w, "of", s ? s->v.count : (int64_t)o->shares);
		json_write_string(&w, "state", state);
		json_write_string(&w, "reason", *more ? more : NULL);
		json_write_string(&w, "db", s ? s->db : NULL);
		if (s)
			json_write_int(&w, "problems", s->v.problems);
		json_write_end(&w, '}');
	} else {
		buf_print(&line, "share %" PRIu64 "/%" PRId64 "  %s", number,
			  s ? s->v.count : (int64_t)o->shares, state);
		buf_add_str(&line, *more ? ": " : "");
		columns_add(&line, more, SIZE_MAX, utf8);
		if (s) {
			buf_print(&line, "  (%" PRId64 " problem%s, ", s->v.problems,
				  s->v.problems == 1 ? "" : "s");
			columns_add(&line, s->db, SIZE_MAX, utf8);
			buf_add_str(&line, ")");
		}
	}
	return command_print_line(&line, e);
}

/* Shows one share by the commands of it: one that ended is enough. */
static enum asc_status judge_share(struct runs *o, const struct shares *a, size_t group,
				   uint64_t number, struct asc_err *e)
{
	const struct share *whole = NULL, *torn = NULL;
	char more[80] = "";
	size_t n = 0;

	for (size_t i = group; i < a->n; i++) {
		const struct share *s = &a->list[i];

		if (s->group != group || (uint64_t)s->v.number != number)
			continue;
		if (s->outcome && strcmp(s->outcome, "done") == 0) {
			whole = whole ? whole : s;
			n++;
		} else {
			torn = s;
		}
	}
	/* As many shares as problems have one each: the others need not have come. */
	const bool empty = !whole && !torn && group < a->n &&
			   strcmp(a->list[group].v.way, "problems") == 0 &&
			   number > (uint64_t)a->list[group].v.all_problems;

	o->complete += whole || empty;
	o->incomplete += !whole && !empty;
	if (n > 1)
		(void)snprintf(more, sizeof more, "run %zu times", n);
	else if (!whole && torn)
		(void)snprintf(more, sizeof more, "%.60s",
			       torn->outcome ? torn->outcome : "killed");
	return show_share(o, number,
			  whole   ? "whole"
			  : empty ? "empty"
			  : torn  ? "torn"
				  : "missing",
			  whole ? whole : torn, more, e);
}

static enum asc_status show_strangers(const struct runs *o, const struct shares *a, size_t group,
				      struct asc_err *e)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct share *s = &a->list[i];
		char more[80] = "";

		if (s->group == group)
			continue;
		if (group < a->n)
			(void)snprintf(more, sizeof more, "%s",
				       find_difference(&a->list[group].v, &s->v));
		if (show_share(o, (uint64_t)s->v.number, "of another run", s, more, e))
			return e->status;
	}
	return ASC_OK;
}

/* A database that is not there, or cannot be read, is a share that is missing. */
static enum asc_status show_shares(struct runs *o, struct asc_err *e)
{
	struct shares a = {0};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < o->n_files; i++) {
		struct db *d = NULL;

		a.db = o->files[i];
		status = db_open(a.db, DB_READ, &d, e);
		if (status == ASC_OK)
			status = db_each_share(d, add_share, &a, e);
		db_close(d);
		if (status && status != ASC_NOMEM) {
			prose_say(stderr, 2, "asctune: %s", e->text);
			status = ASC_OK;
		}
	}
	const size_t group = find_group(&a, o->shares);

	for (uint64_t k = 1; status == ASC_OK && k <= o->shares; k++)
		status = judge_share(o, &a, group, k, e);
	if (status == ASC_OK)
		status = show_strangers(o, &a, group, e);
	for (size_t i = 0; i < a.n; i++) {
		for (size_t k = 0; k < sizeof a.list[i].texts / sizeof *a.list[i].texts; k++)
			free(a.list[i].texts[k]);
		free(a.list[i].uid);
		free(a.list[i].db);
		free(a.list[i].outcome);
	}
	free(a.list);
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
	enum asc_status status = o.shares ? show_shares(&o, &e) : show_all(&o, &e);

	db_close(o.opened);
	buf_fini(&o.table);
	free(o.files);
	if (status)
		return command_fail(&e);
	return o.incomplete ? EXIT_NOTHING : EXIT_DONE;
}

const struct command runs_command = {"runs", "says which problems were measured to the end",
				     &runs_argp, runs_main};
