/* The problems of all files are listed first, with what is expected of each where several devices
 * take them (run_deal.h). Each device then goes on in a fiber of its own (run_lane): it takes a
 * problem, tunes it, and takes the next; one device needs no fiber, and takes them in their order.
 * Where none is left a device is idle, and the problems of the others may use it
 * (evaluator_several.c). What has ended on one of several waits to be printed for those before it.
 */
#include "tuner/cmd/run/run_lanes.h"

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
	struct run_lanes *m = &lane->run->lanes;
	const size_t i = run_deal_find(&m->deal, (size_t)(lane - m->list));

	if (i == DEAL_NONE || !session_builds_ahead(&lane->on->session) ||
	    lane->run->options->finals)
		return;
	/* An edit of its sources says nothing of the problem that is measured meanwhile. */
	sources_note(false);
	run_problem_build(lane, m->items[i].workload, m->items[i].problem);
	sources_note(true);
}

/* True where an item is not printed as soon as it has ended. */
static bool prints_later(const struct command_run *s)
{
	return s->lanes.names.n > 1 && !s->options->json;
}

/* Prints what has come of the items whose turn it is; `all`: of those behind one that is left,
 * too. */
static void print_ended(struct command_run *s, bool all)
{
	struct run_lanes *m = &s->lanes;

	for (; m->printed < m->deal.n; m->printed++) {
		const bool done = m->deal.items[m->printed].state == DEAL_DONE;
		struct run_item *it = &m->items[m->printed];
		struct asc_err e = it->why;

		/* A file that cannot be tuned has no turn where what is before it has none. */
		if (all && (!done || !it->problem))
			continue;
		if (!done)
			return;

		if (it->options.workload && prints_later(s)) {
			it->options.session = &it->session;
			run_show_begin(&s->show, &it->options, it->number, s->all);
			it->status = run_problem_take(s, it, &s->show, it->status, &e);
		}
		loop_summary_fini(&it->sum);
		if (it->status && !m->fatal &&
		    (s->files.n == 1 || run_problem_ends_all(s, it->status))) {
			m->fatal = it->status;
			m->why = e;
		} else if (it->status && s->files.n > 1) {
			/* A workload of a folder that cannot be tuned does not keep the others from
			 * it. */
			run_problem_note_failed(s, it->unwanted, &e);
		}
	}
}

/* True where a failure may be the device's, and the device does not answer any more. */
static bool has_fallen_out(const struct run_lane *lane, enum asc_status status)
{
	const struct run_lanes *m = &lane->run->lanes;
	const size_t i = (size_t)(lane - m->list);
	struct target now;
	struct asc_err e;

	if (m->names.n == 1 || (status != ASC_CHILD && status != ASC_ABSENT &&
				status != ASC_TIMEOUT && status != ASC_PROTOCOL))
		return false;
	if (target_open(m->names.list[i].text, &now, &e) == ASC_OK)
		return false;
	log_print(LOG_WARN, "%s has fallen out: %s; the other devices go on",
		  m->names.list[i].shown, e.text);
	return true;
}

static const int64_t LOOK_NS = INT64_C(100000000); /* interval at which an idle device looks */

/* Takes an item for a device; waits until a problem that it was lent to lets it go. */
static void take_item(struct run_lane *lane, struct deal_item *item)
{
	struct session *session = &lane->on->session;
	const struct command_run *s = lane->run;

	item->state = DEAL_TAKEN;
	session->idle = false;
	while (session->lent_to && !*s->stop && !s->lanes.fatal)
		(void)fiber_poll(NULL, 0, LOOK_NS / 10);
}

/* Takes what came of item `i`, and what follows the last problem of a file. */
static void end_item(struct run_lane *lane, size_t i)
{
	struct command_run *s = lane->run;
	struct run_lanes *m = &s->lanes;
	struct run_item *it = &m->items[i];

	m->deal.items[i].state = DEAL_DONE;
	if (prints_later(s)) {
		it->session = lane->on->session;
		it->options.n_first = 0; /* which the next problem replaces */
		if (it->sum.trials == 0 && it->status)
			run_show_clear(lane->show);
	} else if (it->options.workload) {
		it->status = run_problem_take(s, it, lane->show, it->status, &it->why);
	}
	const bool late = it->status == ASC_TIMEOUT && it->sum.trials == 0;
	const bool uncovered = it->status == ASC_ABSENT && it->sum.run_id == 0;

	/* The others of a workload that fails are not begun. */
	m->ended[it->file] |= it->status && !late && !uncovered;
	if (it->status == ASC_OK && (i + 1 == m->deal.n || m->items[i + 1].file != it->file))
		it->status = run_problem_measure_given(s, it->workload, &it->why);
	print_ended(s, false);
}

/* A device's flow: problem after problem. */
static void run_lane(void *user)
{
	struct run_lane *lane = user;
	struct command_run *s = lane->run;
	struct run_lanes *m = &s->lanes;

	while (!*s->stop && !m->fatal) {
		const size_t i = run_deal_find(&m->deal, (size_t)(lane - m->list));

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

		if (m->ended[it->file]) {
			m->deal.items[i].state = DEAL_DONE;
			print_ended(s, false);
			continue;
		}
		take_item(lane, &m->deal.items[i]);
		if (lane->on->session.lent_to) /* interrupted */
			return;
		run_session_take_caches(lane->on, s->options, it->workload);
		it->status = run_problem_tune(lane, it, build_next_of, &it->why);
		lane->show->now = NULL;
		if (it->status && has_fallen_out(lane, it->status)) {
			loop_summary_fini(&it->sum);
			it->resume = true;
			it->options.workload = NULL;
			m->deal.items[i].state = DEAL_OPEN;
			lane->lost = true;
			return;
		}
		end_item(lane, i);
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
	const struct run_lanes *m = &s->lanes;
	const struct target *t = &s->on.target;
	const struct loop_options lo = run_problem_options(&m->list[0], it->workload, it->problem);
	struct db_run_time time = {0};
	struct binding b;
	struct asc_err e;

	if (db && db_find_run_time(db, t->ops->name, t->info.model, it->workload->name,
				   it->problem->name, &time, &e))
		log_print(LOG_DEBUG, "%s", e.text);
	out->took = (double)time.took_ms;
	for (size_t i = 0; s->options->resume && *time.begun_on && i < m->names.n; i++)
		if (strcmp(m->list[i].on->target.info.fingerprint, time.begun_on) == 0 &&
		    out->begun == DEAL_NONE)
			out->begun = i;
	/* A problem that cannot be bound is refused when its turn comes. */
	if (loop_bind(&lo, false, &b, &e))
		return;
	out->work = b.flops > 0 ? b.flops : b.bytes;
	binding_fini(&b);
}

static enum asc_status add_item(struct run_lanes *m, const struct run_item *it, struct asc_err *e)
{
	if (!array_room(&m->items, m->deal.n, &m->room, sizeof *m->items))
		return asc_err_nomem(e);
	m->items[m->deal.n++] = *it;
	return ASC_OK;
}

/* Opens the workload of file number `f`, which stays open, and adds its problems. One that cannot
 * be tuned is an item that has failed: that is said when its turn comes. */
static enum asc_status list_file(struct command_run *s, size_t f, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	struct workload **w = &m->opened[f];
	struct run_item failed = {.file = f};

	failed.status = run_problem_prepare(s, s->files.paths[f], w, &failed.unwanted, &failed.why);
	if (failed.status)
		return add_item(m, &failed, e);
	for (size_t i = 0; i < (*w)->n_problems; i++) {
		const struct problem *p = &(*w)->problems[i];

		if (!target_wants(&s->on.target, p, &s->problems))
			continue;
		if (add_item(m, &(struct run_item){.workload = *w, .problem = p, .file = f}, e) ||
		    (s->shard.place.count && run_shard_add(&s->shard, f, *w, p, e)))
			return e->status;
	}
	return ASC_OK;
}

/* Leaves of the list what is this share's. A file that cannot be tuned is the first share's to say,
 * or, where there is no problem at all, every share's. */
static enum asc_status keep_own(struct command_run *s, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	struct run_shard *h = &s->shard;
	const size_t n = m->deal.n;

	if (run_shard_deal(h, s->with, s->on.target.ops->name, e))
		return e->status;
	m->deal.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct run_item *it = &m->items[i];

		if (it->problem ? run_shard_has(h, it->file, it->problem->name)
				: h->n == 0 || h->place.number == 1)
			m->items[m->deal.n++] = *it;
	}
	return ASC_OK;
}

enum asc_status run_lanes_list(struct command_run *s, bool *empty, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	struct asc_err none;
	struct db *db = NULL;

	*empty = false;
	m->opened = calloc(s->files.n, sizeof(struct workload *));
	m->ended = calloc(s->files.n, sizeof(bool));
	if (!m->opened || !m->ended)
		return asc_err_nomem(e);
	for (size_t f = 0; f < s->files.n; f++)
		if (list_file(s, f, e))
			return e->status;
	if (s->shard.place.count && keep_own(s, e))
		return e->status;
	m->deal.items = calloc(m->deal.n + 1, sizeof *m->deal.items);
	if (!m->deal.items)
		return asc_err_nomem(e);
	/* A database that cannot be read is reported by the first problem. */
	if (m->names.n > 1)
		(void)db_open(command_db_path(s->options->db), DB_READ, &db, &none);
	for (size_t i = 0; i < m->deal.n; i++) {
		struct deal_item *d = &m->deal.items[i];

		*d = (struct deal_item){.begun = DEAL_NONE};
		if (!m->items[i].problem)
			d->state = DEAL_DONE;
		else
			m->items[i].number = ++s->all;
		if (m->items[i].problem && m->names.n > 1)
			expect(s, db, &m->items[i], d);
	}
	db_close(db);
	/* One device takes them in their order. */
	if (m->names.n > 1)
		run_deal_begin(&m->deal);
	*empty = s->shard.n > 0 && s->shard.own == 0;
	return ASC_OK;
}

enum asc_status run_lanes_tune(struct command_run *s, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	struct fibers *fibers = NULL;
	enum asc_status status = m->names.n > 1 ? fibers_new(&fibers, e) : ASC_OK;

	for (size_t i = 0; status == ASC_OK && fibers && i < m->names.n; i++)
		status = fibers_add(fibers,
				    &(struct fiber_start){.run = run_lane,
							  .enter = enter_lane,
							  .leave = leave_lane,
							  .user = &m->list[i]},
				    e);
	if (status)
		goto out;
	/* Files that cannot be tuned before the first problem. */
	print_ended(s, false);
	if (fibers)
		fibers_run(fibers);
	else
		run_lane(&m->list[0]);
	print_ended(s, true);
	if (m->fatal) {
		*e = m->why;
		status = m->fatal;
	} else if (!*s->stop && run_deal_count(&m->deal, DEAL_OPEN) > 0) {
		status = asc_err_set(e, ASC_ABSENT,
				     "every device has fallen out: %zu problems are left",
				     run_deal_count(&m->deal, DEAL_OPEN));
	}
out:
	fibers_free(fibers);
	sources_watch_again(0);
	return status;
}

/* A device_count_fn. */
static int count_devices(const struct device_ops *ops)
{
	return survey_devices(ops)->count;
}

/* Has each of several devices inspected, for the sessions of their lanes. */
static enum asc_status inspect(struct command_run *s, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	const char **devices = calloc(m->names.n, sizeof *devices);
	struct target *found = calloc(m->names.n, sizeof *found);
	enum asc_status status =
		devices && found ? run_session_settle(s->options, e) : asc_err_nomem(e);

	for (size_t i = 0; status == ASC_OK && i < m->names.n; i++)
		devices[i] = m->names.list[i].text;
	if (status == ASC_OK)
		status = target_open_each(devices, m->names.n, found, e);
	for (size_t i = 0; status == ASC_OK && i < m->names.n; i++)
		(i ? &m->list[i].own : &s->on)->target = found[i];
	free(found);
	free(devices);
	return status;
}

/* Opens what several devices have in common. */
static enum asc_status open_common(struct command_run *s, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	const struct run_options *o = s->options;
	char *cache = NULL;

	if (o->config || o->cover_text || o->table || o->finals)
		return asc_err_set(e, ASC_USAGE, "--%s is for one device, --device names %zu",
				   o->config       ? "config"
				   : o->cover_text ? "cover"
				   : o->finals     ? "finals"
						   : "table",
				   m->names.n);
	m->shows = calloc(m->names.n, sizeof(struct run_show *));
	m->sessions = calloc(m->names.n, sizeof(struct session *));
	if (!m->shows || !m->sessions)
		return asc_err_nomem(e);
	if (places_cache(&cache, e) == ASC_OK)
		(void)pool_open(cache, run_session_jobs(o), KERNEL_BUILD_LIMIT_NS, &m->pool, e);
	free(cache);
	return m->pool ? inspect(s, e) : e->status;
}

/* Opens the lane of device `i`; the first has the command's session. */
static enum asc_status open_lane(struct command_run *s, size_t i, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	const struct device_name *name = &m->names.list[i];
	struct run_lane *l = &m->list[i];
	struct run_options o = *s->options;

	l->run = s;
	l->on = i ? &l->own : &s->on;
	l->show = &s->show;
	o.device = name->text; /* "cuda:all" may be one device, which has a name of its own */
	if (m->names.n == 1)
		return run_session_open(&o, l->on, e);
	if (run_session_open_one(&o, m->pool, l->on, e))
		return e->status;
	const struct target *t = &l->on->target, *first = &s->on.target;

	if (strcmp(t->info.model, first->info.model) != 0 ||
	    strcmp(t->info.arch, first->info.arch) != 0)
		return asc_err_set(e, ASC_USAGE,
				   "--device %s: devices of two models, %s is %s and %s is %s: a "
				   "run is for one",
				   s->options->device, m->names.list[0].shown, first->info.model,
				   name->shown, t->info.model);
	l->show = &l->part;
	l->on->session.name = name->shown;
	l->on->session.peers = &m->peers;
	m->sessions[i] = &l->on->session;
	m->shows[i] = l->show;
	return ASC_OK;
}

enum asc_status run_lanes_open(struct command_run *s, struct asc_err *e)
{
	struct run_lanes *m = &s->lanes;
	const char *device = s->options->device ? s->options->device : "auto";
	const bool twice = getenv("ASCTUNE_DEVICE_TWICE") != NULL;

	if (device_names_parse(device, count_devices, twice, &m->names, e))
		return e->status;
	m->list = calloc(m->names.n, sizeof *m->list);
	if (!m->list)
		return asc_err_nomem(e);
	if (m->names.n > 1 && open_common(s, e))
		return e->status;
	for (size_t i = 0; i < m->names.n; i++)
		if (open_lane(s, i, e))
			return e->status;
	m->peers = (struct session_peers){m->sessions, m->names.n};
	return run_known_open(s->options, &s->known, e);
}

void run_lanes_close(struct command_run *s)
{
	struct run_lanes *m = &s->lanes;

	for (size_t i = 0; m->list && i < m->names.n; i++) {
		known_list_fini(&m->list[i].first);
		run_session_close(m->list[i].on ? m->list[i].on : &m->list[i].own);
	}
	pool_close(m->pool);
	for (size_t f = 0; m->opened && f < s->files.n; f++)
		workload_close(m->opened[f]);
	free(m->opened);
	free(m->ended);
	free(m->list);
	free(m->shows);
	free(m->sessions);
	free(m->items);
	free(m->deal.items);
	device_names_fini(&m->names);
}
