/* The problems of all files are listed first, with what is expected of each (run_deal.h). Each
 * device then goes on in a fiber of its own (run_lane): it takes a problem, tunes it as a command
 * on one device would, and takes the next. Where none is left it is idle, and the problems of the
 * others may use it (evaluator_several.c). What has ended waits to be printed for those before it.
 */
#include "tuner/cmd/run/run_several.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/history.h"
#include "tuner/base/array.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/build/pool.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/machine/survey.h"
#include "tuner/cmd/run/run_deal.h"
#include "tuner/cmd/run/run_known.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_problem.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/device/device_names.h"
#include "tuner/process/fiber.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/sources/sources.h"

/* Begins the builds of the problem that a device would take next. */
static void build_next_of(void *user)
{
	struct run_lane *lane = user;
	struct run_several *m = &lane->run->several;
	const size_t i = run_deal_find(&m->deal, (size_t)(lane - m->lanes));

	if (i == DEAL_NONE || !session_builds_ahead(&lane->on->session))
		return;
	sources_note(false);
	run_problem_build(lane, m->items[i].workload, m->items[i].problem);
	sources_note(true);
}

/* Prints what has come of the items whose turn it is; `all`: of those behind one that is left,
 * too. */
static void print_ended(struct command_run *s, bool all)
{
	struct run_several *m = &s->several;

	for (; m->printed < m->deal.n; m->printed++) {
		if (m->deal.items[m->printed].state != DEAL_DONE && all)
			continue;
		if (m->deal.items[m->printed].state != DEAL_DONE)
			return;
		struct run_item *it = &m->items[m->printed];
		struct asc_err e = it->why;

		it->options.session = &it->session;
		if (it->options.workload && !s->options->json) {
			run_show_begin(&s->show, &it->options, m->printed + 1, s->all);
			it->status = run_problem_take(s, it, &s->show, it->status, &e);
		}
		it->why = e;
		loop_summary_fini(&it->sum);
		if (it->status && !m->fatal &&
		    (s->files.n == 1 || run_problem_ends_all(s, it->status))) {
			m->fatal = it->status;
			m->why = e;
		} else if (it->status && s->files.n > 1) {
			run_problem_note_failed(s, false, &e);
		}
	}
}

/* True where a failure may be the device's, and the device does not answer any more. */
static bool has_fallen_out(const struct run_lane *lane, enum asc_status status)
{
	const struct run_several *m = &lane->run->several;
	const size_t i = (size_t)(lane - m->lanes);
	struct target now;
	struct asc_err e;

	if (status != ASC_CHILD && status != ASC_ABSENT && status != ASC_TIMEOUT &&
	    status != ASC_PROTOCOL)
		return false;
	if (target_open(m->names.list[i].text, &now, &e) == ASC_OK)
		return false;
	log_print(LOG_WARN, "%s has fallen out: %s; the other devices go on",
		  m->names.list[i].shown, e.text);
	return true;
}

static const int64_t LOOK_NS = INT64_C(100000000); /* interval at which an idle device looks */

/* Takes an item for a device, which another problem may still have: that lets it go. */
static void take_item(struct run_lane *lane, struct deal_item *item)
{
	struct session *session = &lane->on->session;
	const struct command_run *s = lane->run;

	item->state = DEAL_TAKEN;
	session->idle = false;
	while (session->lent_to && !*s->stop && !s->several.fatal)
		(void)fiber_poll(NULL, 0, LOOK_NS / 10);
}

/* A device's flow: problem after problem. */
static void run_lane(void *user)
{
	struct run_lane *lane = user;
	struct command_run *s = lane->run;
	struct run_several *m = &s->several;

	while (!*s->stop && !m->fatal) {
		const size_t i = run_deal_find(&m->deal, (size_t)(lane - m->lanes));

		/* A problem that is being measured comes back where its device falls out. */
		if (i == DEAL_NONE && run_deal_count(&m->deal, DEAL_TAKEN) == 0)
			return;
		if (i == DEAL_NONE) {
			struct asc_err none;

			/* Its worker is there when it joins; a failure shows again then. */
			if (!lane->on->session.idle)
				(void)session_start(&lane->on->session, &none);
			lane->on->session.idle = true;
			(void)fiber_poll(NULL, 0, LOOK_NS);
			continue;
		}
		struct run_item *it = &m->items[i];

		if (!m->opened[it->file]) { /* an earlier problem has failed */
			m->deal.items[i].state = DEAL_DONE;
			print_ended(s, false);
			continue;
		}
		take_item(lane, &m->deal.items[i]);
		if (lane->on->session.lent_to) /* interrupted */
			return;
		run_session_take_caches(lane->on, s->options, it->workload);
		it->status = run_problem_tune(lane, it, build_next_of, i + 1, &it->why);
		lane->show->now = NULL;
		it->session = lane->on->session;
		it->options.n_first = 0; /* which the next problem replaces */
		if (it->status && has_fallen_out(lane, it->status)) {
			loop_summary_fini(&it->sum);
			it->resume = true;
			it->options.workload = NULL;
			m->deal.items[i].state = DEAL_OPEN;
			lane->lost = true;
			return;
		}
		m->deal.items[i].state = DEAL_DONE;
		if (s->options->json)
			it->status = run_problem_take(s, it, lane->show, it->status, &it->why);
		else if (it->sum.trials == 0 && it->status)
			run_show_clear(lane->show);
		/* The others of a workload that fails are not begun, as on one device. */
		const bool late = it->status == ASC_TIMEOUT && it->sum.trials == 0;
		const bool uncovered = it->status == ASC_ABSENT && it->sum.run_id == 0;

		if (it->status && !late && !uncovered)
			m->opened[it->file] = NULL;
		print_ended(s, false);
	}
}

/* Fiber hooks: the sources of a device's problem are watched while it goes on. */
static void enter_lane(void *user)
{
	sources_watch_again(((struct run_lane *)user)->watch);
}

static void leave_lane(void *user)
{
	((struct run_lane *)user)->watch = sources_watches();
}

/* Finds how long a problem took on record, where there is a database, and what its work is. */
static void expect(struct command_run *s, struct db *db, const struct run_item *it,
		   struct deal_item *out)
{
	const struct run_several *m = &s->several;
	const struct target *t = &s->on.target;
	const struct loop_options lo = run_problem_options(&m->lanes[0], it->workload, it->problem);
	struct db_run_time time = {0};
	struct binding b;
	struct asc_err e;

	*out = (struct deal_item){.begun = DEAL_NONE};
	if (db && db_find_run_time(db, t->ops->name, t->info.model, it->workload->name,
				   it->problem->name, &time, &e))
		log_print(LOG_DEBUG, "%s", e.text);
	out->took = (double)time.took_ms;
	for (size_t i = 0; s->options->resume && *time.begun_on && i < m->names.n; i++)
		if (strcmp(m->lanes[i].on->target.info.fingerprint, time.begun_on) == 0 &&
		    out->begun == DEAL_NONE)
			out->begun = i;
	/* A problem that cannot be bound is refused when its turn comes. */
	if (loop_bind(&lo, false, &b, &e))
		return;
	out->work = b.flops > 0 ? b.flops : b.bytes;
	binding_fini(&b);
}

/* Lists the problems of all workloads, which stay open. */
static enum asc_status list_items(struct command_run *s, struct asc_err *e)
{
	struct run_several *m = &s->several;
	struct asc_err none;
	struct db *db = NULL;

	m->opened = calloc(s->files.n, sizeof(struct workload *));
	if (!m->opened)
		return asc_err_nomem(e);
	for (size_t f = 0; f < s->files.n; f++) {
		struct workload *w = NULL;

		if (run_problem_prepare(s, s->files.paths[f], &w, e)) {
			workload_close(w);
			if (s->files.n == 1 || run_problem_ends_all(s, e->status))
				return e->status;
			run_problem_note_failed(s, s->unwanted, e);
			continue;
		}
		m->opened[f] = w;
		for (size_t i = 0; i < w->n_problems; i++) {
			if (!run_problem_wants(s, f, &w->problems[i]))
				continue;
			if (!array_room(&m->items, m->deal.n, &m->room, sizeof *m->items))
				return asc_err_nomem(e);
			m->items[m->deal.n++] = (struct run_item){
				.workload = w, .problem = &w->problems[i], .file = f};
		}
	}
	m->deal.items = calloc(m->deal.n + 1, sizeof *m->deal.items);
	if (!m->deal.items)
		return asc_err_nomem(e);
	/* A database that cannot be read is reported by the first problem. */
	(void)db_open(command_db_path(s->options->db), DB_READ, &db, &none);
	for (size_t i = 0; i < m->deal.n; i++)
		expect(s, db, &m->items[i], &m->deal.items[i]);
	db_close(db);
	run_deal_begin(&m->deal);
	return ASC_OK;
}

enum asc_status run_several_tune(struct command_run *s, struct asc_err *e)
{
	struct run_several *m = &s->several;
	struct fibers *fibers = NULL;
	enum asc_status status = list_items(s, e);
	struct workload **all = NULL;

	if (status == ASC_OK) {
		all = calloc(s->files.n, sizeof(struct workload *));
		status = all ? fibers_new(&fibers, e) : asc_err_nomem(e);
	}
	if (all)
		memcpy(all, m->opened, s->files.n * sizeof(struct workload *));
	for (size_t i = 0; status == ASC_OK && i < m->names.n; i++)
		status = fibers_add(fibers,
				    &(struct fiber_start){.run = run_lane,
							  .enter = enter_lane,
							  .leave = leave_lane,
							  .user = &m->lanes[i]},
				    e);
	if (status == ASC_OK)
		fibers_run(fibers);
	if (status == ASC_OK)
		print_ended(s, true);
	fibers_free(fibers);
	sources_watch_again(0);
	if (status == ASC_OK && m->fatal) {
		*e = m->why;
		status = m->fatal;
	} else if (status == ASC_OK && !*s->stop && run_deal_count(&m->deal, DEAL_OPEN) > 0) {
		status = asc_err_set(e, ASC_ABSENT,
				     "every device has fallen out: %zu problems are left",
				     run_deal_count(&m->deal, DEAL_OPEN));
	}
	for (size_t f = 0; f < s->files.n; f++)
		workload_close(all ? all[f] : m->opened ? m->opened[f] : NULL);
	free(all);
	free(m->opened);
	m->opened = NULL;
	return status;
}

/* A device_count_fn. */
static int count_devices(const struct device_ops *ops)
{
	return survey_devices(ops)->count;
}

/* Opens a lane for each device, with one pool for all. The first has the command's session. */
static enum asc_status open_several(struct command_run *s, struct asc_err *e)
{
	struct run_several *m = &s->several;
	const struct run_options *o = s->options;
	const struct device_names *names = &m->names;
	const struct target *first = &s->on.target;
	char *cache = NULL;

	if (o->config || o->cover_text || o->table || o->finals)
		return asc_err_set(e, ASC_USAGE, "--%s is for one device, --device names %zu",
				   o->config       ? "config"
				   : o->cover_text ? "cover"
				   : o->finals     ? "finals"
						   : "table",
				   names->n);
	m->lanes = calloc(names->n, sizeof *m->lanes);
	m->shows = calloc(names->n, sizeof(struct run_show *));
	m->sessions = calloc(names->n, sizeof(struct session *));
	if (!m->lanes || !m->shows || !m->sessions)
		return asc_err_nomem(e);
	if (places_cache(&cache, e) ||
	    pool_open(cache, run_session_jobs(o), KERNEL_BUILD_LIMIT_NS, &m->pool, e)) {
		free(cache);
		return e->status;
	}
	free(cache);
	for (size_t i = 0; i < names->n; i++) {
		struct run_lane *l = &m->lanes[i];

		*l = (struct run_lane){.run = s, .on = i ? &l->own : &s->on, .show = &l->part};
		if (run_session_open_one(o, names->list[i].text, m->pool, l->on, e))
			return e->status;
		const struct target *t = &l->on->target;

		if (strcmp(t->info.model, first->info.model) != 0 ||
		    strcmp(t->info.arch, first->info.arch) != 0)
			return asc_err_set(e, ASC_USAGE,
					   "--device %s: devices of two models, %s is %s and %s is "
					   "%s: a run is for one",
					   o->device, names->list[0].shown, first->info.model,
					   names->list[i].shown, t->info.model);
		l->on->session.name = names->list[i].shown;
		l->on->session.peers = &m->peers;
		m->sessions[i] = &l->on->session;
		m->shows[i] = &l->part;
		if (run_known_open(o, &l->known, e))
			return e->status;
	}
	m->peers = (struct session_peers){m->sessions, names->n};
	return ASC_OK;
}

void run_several_close(struct run_several *m)
{
	for (size_t i = 0; m->lanes && i < m->names.n; i++) {
		run_known_close(&m->lanes[i].known);
		run_session_close(m->lanes[i].on ? m->lanes[i].on : &m->lanes[i].own);
	}
	pool_close(m->pool);
	free(m->lanes);
	free(m->shows);
	free(m->sessions);
	free(m->items);
	free(m->deal.items);
	device_names_fini(&m->names);
}

enum asc_status run_several_open(struct command_run *s, struct asc_err *e)
{
	const struct run_options *o = s->options;
	const bool twice = getenv("ASCTUNE_DEVICE_TWICE") != NULL;

	s->one = (struct run_lane){.run = s, .on = &s->on, .show = &s->show};
	if (o->device && device_names_parse(o->device, count_devices, twice, &s->several.names, e))
		return e->status;
	if (s->several.names.n > 1)
		return open_several(s, e);
	if (run_session_open_one(o, o->device ? s->several.names.list[0].text : NULL, NULL, &s->on,
				 e))
		return e->status;
	return run_known_open(o, &s->one.known, e);
}
