#include "tuner/cmd/run/run_problem.h"

#include <stdio.h>

#include "db/db.h"
#include "db/share.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/machine/machine_state.h"
#include "tuner/cmd/run/problem_sizes.h"
#include "tuner/cmd/run/run_cover.h"
#include "tuner/cmd/run/run_given.h"
#include "tuner/cmd/run/run_known.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_proof.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/workload_open.h"

/* Prints the first line: the device, how busy it is, where kernels and compilers may do more than
 * they should, and how much is to be done. */
static void say_start(const struct command_run *s)
{
	const struct loop_budget *b = &s->options->budget;
	const size_t devices = s->lanes.names.n;
	const unsigned missing = sandbox_missing();
	const char *before = "; the sandbox lacks ";
	char load[128], time[UNITS_TEXT_SIZE];
	const bool idle = machine_is_idle(load, sizeof load);
	struct prose p;

	prose_open(&p, stderr);
	prose_put(&p, INK_PLAIN, "%s", s->on.target.why);
	for (size_t i = 0; devices > 1 && i < devices; i++)
		prose_put(&p, INK_PLAIN, "%s%s", i ? ", " : "; on ", s->lanes.names.list[i].shown);
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
		const size_t turns = (s->all + devices - 1) / devices;

		if (s->all > 1 && b->ns)
			prose_put(&p, INK_PLAIN, ", about %s at most",
				  units_print_duration((double)turns * (double)b->ns * (1 + more),
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
enum asc_status run_problem_open_db(struct command_run *s, struct asc_err *e)
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
	run_show_progress(((struct run_lane *)user)->show, so_far, last);
}

static void show_waiting(void *user, const struct loop_summary *so_far)
{
	run_show_waiting(((struct run_lane *)user)->show, so_far);
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

struct loop_options run_problem_options(struct run_lane *lane, const struct workload *w,
					const struct problem *p)
{
	struct command_run *s = lane->run;
	const struct run_options *o = s->options;

	return (struct loop_options){.workload = w,
				     .problem = p,
				     .implementation = o->implementation,
				     .session = &lane->on->session,
				     .strategy = o->strategy,
				     .config = o->config,
				     .budget = o->budget,
				     .patience = o->patience,
				     .seed = o->seed,
				     .version = ASCTUNE_VERSION,
				     .first = lane->first.list,
				     .n_first = lane->first.n,
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
				     .user = lane};
}

void run_problem_build(struct run_lane *lane, const struct workload *w, const struct problem *p)
{
	struct loop_options lo = run_problem_options(lane, w, p);
	struct asc_err e;

	lo.n_first = 0; /* lane->first has the configurations of the current problem */
	lo.quiet = true;
	if (builds_ahead(&lo, lane->run->db, &e))
		log_print(LOG_DEBUG, "%s/%s: %s", w->name, p->name, e.text);
}

/* Finds what --finals compares. The database is that of the results, and has to be there. */
static enum asc_status find_contenders(struct run_lane *lane, const struct workload *w,
				       const struct problem *p, struct asc_err *e)
{
	struct command_run *s = lane->run;
	const char *path = command_db_path(s->options->db);
	struct db *probe = NULL;
	enum asc_status status = s->db ? ASC_OK : db_open(path, DB_READ, &probe, e);

	db_close(probe); /* on a full disk a reader has the file for itself */
	if (status == ASC_OK)
		status = run_problem_open_db(s, e);
	if (status) {
		s->unrecorded = true;
		return status;
	}
	return known_list_contend(&lane->first, s->db, lane->on, w, p, e);
}

enum asc_status run_problem_tune(struct run_lane *lane, struct run_item *it,
				 void (*asked)(void *user), struct asc_err *e)
{
	struct command_run *s = lane->run;
	const struct run_options *o = s->options;
	const struct workload *w = it->workload;
	struct loop *l;

	loop_summary_init(&it->sum);
	enum asc_status status = o->finals ? find_contenders(lane, w, it->problem, e)
					   : known_list_find(&lane->first, &s->known, lane->on, o,
							     w, it->problem, e);

	if (status)
		return status;
	if (o->finals && lane->first.n == 0) {
		s->unknown++;
		log_print(LOG_NOTE, "%s/%s: %s has no result on %s with %s caches to compare",
			  w->name, it->problem->name, command_db_path(o->db),
			  lane->on->target.info.model,
			  cache_policy_name(lane->on->session.policy.cache));
		return ASC_OK;
	}
	it->options = run_problem_options(lane, w, it->problem);
	if (o->finals) {
		it->options.given = lane->first.list;
		it->options.n_given = lane->first.n;
		it->options.given_race = true;
		it->options.given_for = "finals";
		it->options.n_first = 0;
		it->options.history = false;
	}
	it->options.asked = asked;
	it->options.resume |= it->resume;
	warn_of_device(s, w, it->problem);
	run_show_begin(lane->show, &it->options, it->number, s->all);
	status = loop_open(&it->options, &it->sum, &l, e);

	/* The database is opened between the two: not for a workload that is refused, and before
	 * anything takes time. */
	if (status == ASC_OK)
		status = run_problem_open_db(s, e);
	it->options.share_id = s->share_id;
	if (status == ASC_OK)
		status = loop_go(l, s->db, e);
	loop_close(l);
	return status;
}

enum asc_status run_problem_take(struct command_run *s, struct run_item *it, struct run_show *show,
				 enum asc_status status, struct asc_err *e)
{
	const struct loop_summary *sum = &it->sum;

	/* Trials are shown, also where the loop failed behind them. */
	if (sum->trials > 0 || status == ASC_OK)
		run_show_end(show, sum);
	run_show_clear(show);
	if (s->first_run == 0)
		s->first_run = sum->run_id;
	s->fresh |= sum->trials > sum->resumed;
	s->by_energy |= sum->energy.objective != OBJECTIVE_TIME;
	const bool left = count_problem(s, sum, status);

	if (status && !s->unrecorded)
		asc_err_wrap(e, "%s/%s", it->workload->name, it->problem->name);
	if (!left)
		return status;
	(void)command_fail(e); /* said, and the next problem is tuned */
	return ASC_OK;
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

enum asc_status run_problem_prepare(struct command_run *s, const char *path, struct workload **out,
				    bool *unwanted, struct asc_err *e)
{
	const struct run_options *o = s->options;
	enum asc_status status =
		workload_file_open(path, o->untrusted, s->on.target.info.simulated, out, e);
	struct workload *const w = *out;

	/* Refused with --trust: files that belong to another user. */
	if (status == ASC_OK && o->trust)
		status = trusted_check(w, e);
	*unwanted = status == ASC_OK &&
		    target_check(&s->on.target, w, &s->problems, o->implementation, e);
	if (*unwanted)
		status = e->status;
	if (status == ASC_OK)
		status = target_use_verdicts(&s->on.target, w, e);
	if (status == ASC_OK && problem_sizes_wanted(&s->sizes))
		status = problem_sizes_choose(&s->sizes, w, &s->on.target, &s->problems, e);
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
	return status;
}

enum asc_status run_problem_measure_given(struct command_run *s, struct workload *w,
					  struct asc_err *e)
{
	const struct run_options *o = s->options;
	struct run_given on = given_of(s, w);
	enum asc_status status = ASC_OK;

	if (!s->db || *s->stop)
		return ASC_OK;
	if (o->cover_text) {
		/* With --resume, it counts what any run has measured. */
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

bool run_problem_ends_all(const struct command_run *s, enum asc_status status)
{
	return s->unrecorded || asc_status_is_machine(status) || status == ASC_BUSY ||
	       status == ASC_NEWER;
}

void run_problem_note_failed(struct command_run *s, bool unwanted, struct asc_err *e)
{
	int *first = unwanted ? &s->skipped : &s->failed;
	const int failed = command_fail(e);

	if (!*first)
		*first = failed;
}
