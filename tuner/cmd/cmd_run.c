/* asctune run: tunes the problems of workloads on one device. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "db/share.h"
#include "probes/probe.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/cmd/again/again.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/machine/machine_state.h"
#include "tuner/cmd/run/problem_sizes.h"
#include "tuner/cmd/run/run_cover.h"
#include "tuner/cmd/run/run_given.h"
#include "tuner/cmd/run/run_known.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_proof.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_shard.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/sources/sources.h"

extern const struct command run_command;

struct command_run {
	const struct run_options *options;
	const volatile sig_atomic_t *stop;
	struct run_session on;
	struct profile_wanted profile;
	struct problem_choice problems;
	struct problem_sizes sizes; /* of --dims and --dtype */
	struct db *db;
	struct run_known known;
	struct db *with;        /* of --with */
	struct run_shard shard; /* what this share has; count 0: the whole run */
	int64_t share_id;       /* of its row; 0: none yet */
	const char *library;    /* that --table names; NULL: none */
	bool foreign;           /* a workload's kernels are not of its compiler */
	struct run_show show;
	struct workload_files files;
	size_t file;                     /* index of the file being tuned */
	const struct workload *workload; /* of that file, and the problem being tuned */
	size_t problem;
	size_t all, number; /* problems: of the command, of the one being tuned */
	int64_t first_run;  /* of this command; 0: none yet */
	bool by_energy;     /* it decided of a problem */
	bool fresh;         /* a trial was no resumed one */
	int tuned, passed;
	struct buf noted;    /* see loop_options.noted */
	int uncovered;       /* problems that no implementation can run here */
	int unknown;         /* without a result that --finals could compare */
	int late;            /* that took more than their time before anything was tuned */
	bool unrecorded;     /* the database cannot be used */
	bool unwanted;       /* the workload has nothing for this device or these options */
	int skipped, failed; /* exit status for the first of a folder that was unwanted, or that
				could not be tuned; 0: none */
};

/* Prints the first line: the device, how busy it is, where kernels and compilers may do more than
 * they should, and how much is to be done. */
static void say_start(const struct command_run *s)
{
	const struct loop_budget *b = &s->options->budget;
	const unsigned missing = sandbox_missing();
	const char *before = "; the sandbox lacks ";
	char load[128], time[UNITS_TEXT_SIZE];
	const bool idle = machine_is_idle(load, sizeof load);
	struct prose p;

	prose_open(&p, stderr);
	prose_put(&p, INK_PLAIN, "%s", s->on.target.why);
	prose_put(&p, INK_PLAIN, "; ");
	prose_put(&p, idle ? INK_PLAIN : INK_WARN, "%s", load);
	if (sandbox_is_off())
		prose_put(&p, INK_WARN, "; no sandbox (--trust)");
	for (enum sandbox_part part = 0; part < SANDBOX_N_PARTS; part++) {
		if (!(missing & 1U << part))
			continue;
		prose_put(&p, INK_WARN, "%s%s", before, sandbox_part_name(part));
		before = ", ";
	}
	if (missing)
		prose_put(&p, INK_WARN, " (%s doctor)", shell_program());
	if (!s->options->config) {
		prose_put(&p, INK_PLAIN, "; ");
		if (b->trials)
			prose_put(&p, INK_PLAIN, "%llu trial%s", (unsigned long long)b->trials,
				  b->trials == 1 ? "" : "s");
		if (b->ns)
			prose_put(&p, INK_PLAIN, "%s%s", b->trials ? " or " : "",
				  units_print_duration((double)b->ns, time));
		if (!b->trials && !b->ns)
			prose_put(&p, INK_PLAIN, "every configuration");
		prose_put(&p, INK_PLAIN, " per problem%s",
			  b->trials && b->ns ? ", whichever ends first" : "");
		if (s->shard.place.count)
			prose_put(&p, INK_PLAIN, "; share %llu/%llu: %zu of %zu problems%s",
				  (unsigned long long)s->shard.place.number,
				  (unsigned long long)s->shard.place.count, s->shard.own,
				  s->shard.n,
				  s->shard.by_configurations ? ", a part of each space" : "");
		else if (s->all > 1)
			prose_put(&p, INK_PLAIN, "; %zu problems", s->all);
		/* A cover, and the proof of a table, take at most a quarter more each. */
		const double more =
			0.25 * ((s->options->cover_text != NULL) + (s->options->table != NULL));

		if (s->all > 1 && b->ns)
			prose_put(&p, INK_PLAIN, ", about %s at most",
				  units_print_duration((double)s->all * (double)b->ns * (1 + more),
						       time));
	}
	prose_end(&p, 2);
	prose_close(&p);
}

/* Records that this share begins. */
static enum asc_status begin_share(struct command_run *s, struct asc_err *e)
{
	const struct run_shard *h = &s->shard;
	const struct db_share row = {.number = (int64_t)h->place.number,
				     .count = (int64_t)h->place.count,
				     .way = h->by_configurations ? "configurations" : "problems",
				     .dealt = h->dealt,
				     .problems = (int64_t)h->own,
				     .all_problems = (int64_t)h->n,
				     .seed = s->options->seed,
				     .version = ASCTUNE_VERSION,
				     .history = *h->history ? h->history : NULL};

	return db_begin_share(s->db, &row, &s->share_id, e);
}

/* The first problem that can be tuned: a workload that is refused leaves no empty database behind,
 * and a database that is refused costs no time. */
static enum asc_status open_db(struct command_run *s, struct asc_err *e)
{
	const struct run_options *o = s->options;
	enum db_mode mode = o->durable ? DB_WRITE_DURABLE : DB_WRITE;

	if (s->db)
		return ASC_OK;
	if (db_open(command_db_path(o->db), mode, &s->db, e) ||
	    (s->shard.place.count && begin_share(s, e))) {
		s->unrecorded = true;
		return e->status;
	}
	if (!o->json)
		say_start(s);
	return ASC_OK;
}

static void show_progress(void *user, const struct loop_summary *so_far,
			  const struct loop_event *last)
{
	run_show_progress(&((struct command_run *)user)->show, so_far, last);
}

static void show_waiting(void *user, const struct loop_summary *so_far)
{
	run_show_waiting(&((struct command_run *)user)->show, so_far);
}

/* A problem that was asked for by name may be one for a larger machine. */
static void warn_of_device(const struct command_run *s, const struct workload *w,
			   const struct problem *p)
{
	struct buf kinds = {0};

	if (!problem_choice_names(&s->problems, p) || s->on.target.info.simulated ||
	    name_list_has(&p->devices, s->on.target.ops->name))
		return;
	for (size_t i = 0; i < p->devices.n; i++)
		buf_print(&kinds, "%s%s", i ? ", " : "", p->devices.names[i]);
	log_print(LOG_WARN, "%s/%s is meant for %s, not for %s", w->name, p->name, buf_str(&kinds),
		  s->on.target.ops->name);
	buf_fini(&kinds);
}

/* Counts a problem by its outcome. True when it could not be tuned and the others go on: nothing
 * covers it, or it took all the time. */
static bool count_problem(struct command_run *s, const struct loop_summary *sum,
			  enum asc_status status)
{
	const bool uncovered = status == ASC_ABSENT && sum->run_id == 0;
	const bool late = status == ASC_TIMEOUT && sum->trials == 0;

	s->tuned += !uncovered && !late;
	s->uncovered += uncovered;
	s->late += late;
	s->passed +=
		sum->best.found && sum->by_status[RESULT_OK] > 0 && sum->sure.sure != SURE_UNUSABLE;
	return uncovered || late;
}

/* Part of each space that this share searches. */
static struct strategy_part part_of(const struct command_run *s)
{
	const struct shard_place *p = &s->shard.place;

	return s->shard.by_configurations ? (struct strategy_part){p->number, p->count}
					  : (struct strategy_part){0};
}

/* The options of the command and what is known of the problem, as the loop takes them. */
static struct loop_options ask_for(struct command_run *s, const struct workload *w,
				   const struct problem *p)
{
	const struct run_options *o = s->options;

	return (struct loop_options){.workload = w,
				     .problem = p,
				     .implementation = o->implementation,
				     .session = &s->on.session,
				     .strategy = o->strategy,
				     .config = o->config,
				     .budget = o->budget,
				     .patience = o->patience,
				     .seed = o->seed,
				     .version = ASCTUNE_VERSION,
				     .first = s->known.list,
				     .n_first = s->known.n,
				     .known = s->with ? s->with : s->known.db,
				     .with = s->with,
				     .part = part_of(s),
				     .share_id = s->share_id,
				     .history = !o->no_history && !o->config,
				     .resume = o->resume,
				     .rewrites_off = o->rewrites_off,
				     .noted = &s->noted,
				     .peaks = !o->config || s->profile.probes,
				     .profiles = true,
				     .profile = s->profile,
				     .objective = o->objective,
				     .default_bits = o->default_bits,
				     .stop = s->stop,
				     .progress = show_progress,
				     .waiting = show_waiting,
				     .user = s};
}

/* Opens a workload of the command, unless its files are of a stranger and the options trust all. */
static enum asc_status open_workload(const struct command_run *s, const char *path,
				     struct workload **out, struct asc_err *e)
{
	const struct run_options *o = s->options;
	enum asc_status status =
		workload_file_open(path, o->untrusted, s->on.target.info.simulated, out, e);

	if (status == ASC_OK && o->trust) {
		status = trusted_check(*out, e);
		if (status) {
			workload_close(*out);
			*out = NULL;
		}
	}
	return status;
}

/* True for a problem of file number `file` that is wanted, and is this share's. */
static bool wants(const struct command_run *s, size_t file, const struct problem *p)
{
	return target_wants(&s->on.target, p, &s->problems) &&
	       run_shard_has(&s->shard, file, p->name);
}

/* Begins the builds of the first problem of `w`, file number `file`, from index `i` on that is
 * wanted; false: none is. A failure shows again, and is an error, when that problem's turn comes.
 */
static bool build_wanted(struct command_run *s, size_t file, const struct workload *w, size_t i)
{
	struct asc_err e;

	while (i < w->n_problems && !wants(s, file, &w->problems[i]))
		i++;
	if (i == w->n_problems)
		return false;
	struct loop_options lo = ask_for(s, w, &w->problems[i]);

	lo.n_first = 0; /* s->known has the configurations of the current problem */
	lo.quiet = true;
	if (builds_ahead(&lo, s->db, &e))
		log_print(LOG_DEBUG, "%s/%s: %s", w->name, w->problems[i].name, e.text);
	return true;
}

/* Begins the builds of the problem behind the one being tuned, while that is measured. */
static void build_next(void *user)
{
	struct command_run *s = user;
	struct workload *next;
	struct asc_err e;

	if (!session_builds_ahead(&s->on.session) || s->options->finals)
		return;
	/* An edit of its sources says nothing of the problem that is measured meanwhile. */
	sources_note(false);
	bool found = build_wanted(s, s->file, s->workload, s->problem + 1);

	for (size_t i = s->file + 1; i < s->files.n && !found; i++) {
		if (!run_shard_has(&s->shard, i, NULL) ||
		    open_workload(s, s->files.paths[i], &next, &e))
			continue;
		found = build_wanted(s, i, next, 0);
		workload_close(next);
	}
	sources_note(true);
}

/* Finds what --finals compares. The database is that of the results, and has to be there. */
static enum asc_status find_contenders(struct command_run *s, const struct workload *w,
				       const struct problem *p, struct asc_err *e)
{
	const char *path = command_db_path(s->options->db);
	struct db *probe = NULL;

	if (!s->db && (db_open(path, DB_READ, &probe, e) || open_db(s, e))) {
		db_close(probe);
		s->unrecorded = true;
		return e->status;
	}
	db_close(probe);
	return run_known_contend(&s->known, s->db, &s->on, w, p, e);
}

static enum asc_status run_problem(struct command_run *s, const struct workload *w,
				   const struct problem *p, struct asc_err *e)
{
	const struct run_options *o = s->options;
	struct loop_summary sum;
	struct loop *l;

	enum asc_status status = o->finals ? find_contenders(s, w, p, e)
					   : run_known_find(&s->known, &s->on, o, w, p, e);

	if (status)
		return status;
	struct loop_options lo = ask_for(s, w, p);

	if (o->finals) {
		if (s->known.n == 0) {
			s->unknown++;
			log_print(LOG_NOTE, "%s/%s: %s has no result on %s to compare", w->name,
				  p->name, command_db_path(o->db), s->on.target.info.model);
			return ASC_OK;
		}
		lo.given = s->known.list;
		lo.n_given = s->known.n;
		lo.given_for = "finals";
		lo.n_first = 0;
		lo.history = false;
	}

	lo.asked = build_next;
	loop_summary_init(&sum);
	warn_of_device(s, w, p);
	run_show_begin(&s->show, &lo, ++s->number, s->all);
	status = loop_open(&lo, &sum, &l, e);

	/* The database is opened between the two: not for a workload that is refused, and before
	 * anything takes time. */
	if (status == ASC_OK)
		status = open_db(s, e);
	lo.share_id = s->share_id;
	if (status == ASC_OK)
		status = loop_go(l, s->db, e);
	loop_close(l);
	/* Trials are shown, also where the loop failed behind them. */
	if (sum.trials > 0 || status == ASC_OK)
		run_show_end(&s->show, &sum);
	run_show_clear(&s->show);
	if (s->first_run == 0)
		s->first_run = sum.run_id;
	s->fresh |= sum.trials > sum.resumed;
	s->by_energy |= sum.energy.objective != OBJECTIVE_TIME;
	const bool left = count_problem(s, &sum, status);

	loop_summary_fini(&sum);
	if (status && !s->unrecorded)
		asc_err_wrap(e, "%s/%s", w->name, p->name);
	if (!left)
		return status;
	(void)command_fail(e); /* said, and the next problem is tuned */
	return ASC_OK;
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

/* Replaces the chosen problems by the sizes and types that --dims and --dtype ask for. */
static enum asc_status choose_sizes(struct command_run *s, struct workload *w, struct asc_err *e)
{
	if (!problem_sizes_wanted(&s->sizes))
		return ASC_OK;
	s->problems = s->options->problems;
	return problem_sizes_choose(&s->sizes, w, &s->on.target, &s->problems, e);
}

/* Refuses to decide by energy where there will be none (energy_probe.c says why), before anything
 * is measured. */
static enum asc_status check_objective(const struct command_run *s, const struct workload *w,
				       struct asc_err *e)
{
	for (size_t i = 0; s->options->objective != OBJECTIVE_TIME && i < w->n_tensors; i++)
		if (w->tensors[i].role == ROLE_INOUT)
			return asc_err_set(e, ASC_ABSENT,
					   "%s: --objective %s: kernels change the tensor \"%s\" "
					   "that they read, and launches that follow each other "
					   "would find other inputs",
					   w->name, objective_name(s->options->objective),
					   w->tensors[i].name);
	return ASC_OK;
}

static enum asc_status run_workload(struct command_run *s, const char *path, struct asc_err *e)
{
	const struct run_options *o = s->options;
	struct workload *w = NULL;
	enum asc_status status = open_workload(s, path, &w, e);

	if (problem_sizes_wanted(&s->sizes))
		s->problems = o->problems; /* counting has replaced them */
	s->unwanted = status == ASC_OK &&
		      target_check(&s->on.target, w, &s->problems, o->implementation, e);
	if (s->unwanted)
		status = e->status;
	if (status == ASC_OK)
		status = target_use_verdicts(&s->on.target, w, e);
	if (status == ASC_OK)
		status = choose_sizes(s, w, e);
	if (status == ASC_OK)
		status = check_objective(s, w, e);
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
		if (wants(s, s->file, &w->problems[i]))
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

	/* Memory, a disk and a database are the same for all: these failures end the command. */
	if (status == ASC_OK || s->unrecorded || status == ASC_NOMEM || status == ASC_IO ||
	    status == ASC_FULL || status == ASC_BUSY || status == ASC_NEWER)
		return status;
	int *first = s->unwanted ? &s->skipped : &s->failed;
	int failed = command_fail(e);

	if (!*first)
		*first = failed;
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
			      choose_sizes(s, w, &why) == ASC_OK;

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
	return *empty ? open_db(s, e) : ASC_OK;
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
		status = run_session_open(s->options, &s->on, e);
	if (status == ASC_OK && profile->wanted)
		status = profile_options_open(profile, s->on.target.ops->name, &s->profile, e);
	if (status == ASC_OK && s->options->objective != OBJECTIVE_TIME)
		profile_options_add_probe(profile, probe_energy.name, &s->profile);
	if (status == ASC_OK)
		status = run_known_open(s->options, &s->known, e);
	if (status == ASC_OK && s->options->with &&
	    db_open(s->options->with, DB_STILL, &s->with, e))
		status = asc_err_wrap(e, "--with");
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
	s->problems = s->options->problems;
	s->problems.of_folder = files->n > 1;
	/* How many there are stands in progress and budget; JSON on its own needs neither. */
	const bool shown = !s->options->json || s->show.screen.live || s->shard.place.count;
	for (size_t i = 0; status == ASC_OK && shown && i < files->n; i++)
		status = count_problems(s, i, e);
	if (status == ASC_OK)
		status = deal_out(s, &empty, e);
	for (; status == ASC_OK && !*s->stop && !empty && s->file < files->n; s->file++)
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
		int confirmed = run_confirm(&o, s.stop);

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
	run_session_close(&s.on);
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
