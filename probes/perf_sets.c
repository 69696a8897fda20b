/* An event goes into the first set that has a counter left for it, which is tried: the group of its
 * set is opened with it for this thread, started and read. A group that is larger than the hardware
 * is refused when it is opened, or is accepted and never runs where something else holds a counter
 * (a kernel's watchdog). */
#include "probes/perf_sets.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/probe.h"
#include "tuner/base/array.h"
#include "tuner/base/stats/stats.h"

/* ---- opened counters ---- */

struct opened {
	size_t set, event;
	int thread, fd;
	bool leads; /* the first of its group, by which all of it is started and stopped */
};

struct opened_list {
	const struct perf_source *source;
	struct opened *list; /* heap */
	size_t n, room;
};

static void close_from(struct opened_list *o, size_t first)
{
	/* Leaders last: a counter whose leader is closed goes on as a group of its own. */
	while (o->n > first)
		o->source->close(o->list[--o->n].fd);
}

static void close_all(struct opened_list *o)
{
	close_from(o, 0);
	free(o->list);
	*o = (struct opened_list){0};
}

/* True where both count on the same hardware, for the same thread or machine. */
static bool share_group(const struct perf_code *a, const struct perf_code *b)
{
	return a->kind == b->kind &&
	       (a->kind != PERF_MACHINE || (a->type == b->type && a->cpu == b->cpu));
}

/* Opens event `i` in a set for a thread; false with errno. */
static bool open_in(const struct perf_sets *s, struct opened_list *o, size_t set, size_t i,
		    int thread)
{
	const struct perf_code *code = &s->events[i].code;
	int group = -1;

	if (!array_room(&o->list, o->n, &o->room, sizeof *o->list)) {
		errno = ENOMEM;
		return false;
	}
	for (size_t k = 0; k < o->n && group < 0; k++)
		if (o->list[k].set == set && o->list[k].leads && o->list[k].thread == thread &&
		    share_group(&s->events[o->list[k].event].code, code))
			group = o->list[k].fd;
	const int fd = s->source->open(code, thread, group);
	if (fd < 0)
		return false;
	o->list[o->n++] = (struct opened){set, i, thread, fd, group < 0};
	return true;
}

static int leader_of(const struct perf_sets *s, const struct opened_list *o, size_t at)
{
	const struct opened *one = &o->list[at];
	size_t k = at;

	while (!o->list[k].leads || o->list[k].set != one->set ||
	       o->list[k].thread != one->thread ||
	       !share_group(&s->events[o->list[k].event].code, &s->events[one->event].code))
		k--; /* the leader stands before its group */
	return o->list[k].fd;
}

/* Opens an event in a set and has it count for a moment; closed again, false, with errno, when it
 * does not. */
static bool try_in(const struct perf_sets *s, struct opened_list *o, size_t set, size_t i)
{
	struct perf_reading r;

	if (!open_in(s, o, set, i, 0))
		return false;
	const int leader = leader_of(s, o, o->n - 1);
	bool runs = s->events[i].code.kind == PERF_SOFTWARE;
	if (!runs && s->source->enable(leader, true) && s->source->enable(leader, false) &&
	    s->source->read(o->list[o->n - 1].fd, &r))
		runs = r.running_ns > 0 || r.enabled_ns == 0;
	if (runs)
		return true;
	close_from(o, o->n - 1);
	errno = EBUSY;
	return false;
}

/* ---- why not ---- */

/* The levels are those of the kernel's Documentation/admin-guide/sysctl/kernel.rst; Debian's kernel
 * adds a level 3 that refuses everything. */
static void explain(const struct perf_source *source, const struct perf_code *code, int error,
		    char *reason, size_t size)
{
	const int level = source->paranoid();
	/* Events inside the kernel are never seen by a counter of user code alone. */
	const int needed = code->kind == PERF_MACHINE ? 0 : code->kind == PERF_SOFTWARE ? 1 : 2;

	if (error == EACCES || error == EPERM) {
		if (level == INT_MIN || level <= needed)
			(void)snprintf(reason, size, "the system does not allow perf_event_open");
		else
			(void)snprintf(reason, size,
				       "not permitted (root, or perf_event_paranoid <= %d; is %d)",
				       needed, level);
	} else if (error == ENOSYS) {
		(void)snprintf(reason, size, "the kernel has no perf_event_open");
	} else if (error == EBUSY) {
		(void)snprintf(reason, size, "another program holds the processor's counters");
	} else if (error == ENOENT || error == EOPNOTSUPP || error == EINVAL || error == ENODEV) {
		(void)snprintf(reason, size, "the processor does not count this");
	} else {
		(void)snprintf(reason, size, "perf_event_open: %s", strerror(error));
	}
}

bool perf_source_has_cpu(const struct perf_source *source, char *reason, size_t size)
{
	struct perf_counter cpu = {0};
	struct asc_err ignored;
	/* Every PMU of processors has this word. */
	const bool has =
		perf_counter_parse("cpu/config=0/", source->devices, &cpu, &ignored) == ASC_OK;

	perf_counter_fini(&cpu);
	if (!has)
		(void)snprintf(reason, size, "no hardware counters: the %s",
			       source->is_virtual() ? "virtual machine passes none on"
						    : "kernel offers none");
	return has;
}

bool perf_source_can(const struct perf_source *source, const struct perf_counter *c, char *reason,
		     size_t size)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct perf_code *code = &c->terms[i].code;

		if (code->kind == PERF_PROCESS)
			continue;
		if (code->kind != PERF_SOFTWARE && !perf_source_has_cpu(source, reason, size))
			return false;
		const int fd = source->open(code, 0, -1);
		/* Some count only behind another one, which is found when sets are made. */
		if (fd < 0 && errno != EINVAL) {
			explain(source, code, errno, reason, size);
			return false;
		}
		if (fd >= 0)
			source->close(fd);
	}
	return true;
}

/* ---- sets ---- */

static enum asc_status add_set(struct perf_sets *s, bool asleep, struct asc_err *e)
{
	if (!array_room(&s->sets, s->n_sets, &s->sets_room, sizeof *s->sets))
		return asc_err_nomem(e);
	s->sets[s->n_sets++] = (struct perf_set){asleep};
	return ASC_OK;
}

static enum asc_status add_member(struct perf_sets *s, size_t set, size_t event, struct asc_err *e)
{
	if (!array_room(&s->members, s->n_members, &s->members_room, sizeof *s->members))
		return asc_err_nomem(e);
	s->members[s->n_members++] = (struct perf_member){set, event};
	return ASC_OK;
}

/* Makes a set of event `i` behind a leader: Intel's shares of slots count behind the number of
 * slots alone. False: none will do. */
static bool find_leader(const struct perf_sets *s, struct opened_list *o, size_t i, size_t *leader)
{
	const size_t before = o->n;

	for (*leader = 0; *leader < i; ++*leader) {
		const struct perf_event *l = &s->events[*leader];

		if (*l->reason || !share_group(&l->code, &s->events[i].code) ||
		    !try_in(s, o, s->n_sets, *leader))
			continue;
		if (try_in(s, o, s->n_sets, i))
			return true;
		close_from(o, before);
	}
	return false;
}

/* Finds a set for event `i`, or the reason why there is none. All sets stay open meanwhile: a group
 * that is stopped takes no hardware. */
static enum asc_status place(struct perf_sets *s, struct opened_list *o, size_t i,
			     struct asc_err *e)
{
	struct perf_event *event = &s->events[i];
	const enum perf_kind kind = event->code.kind;
	/* What depends on how threads wait is counted of launches as they are; starting counters
	 * takes so long that the threads would be asleep by then. */
	const bool as_is = kind == PERF_PROCESS && event->code.config != PERF_PROCESS_CPU_TIME &&
			   event->code.config != PERF_PROCESS_BUSIEST;
	size_t leader;

	for (size_t k = 0; k < s->n_sets; k++)
		if (s->sets[k].asleep == !as_is && (kind == PERF_PROCESS || try_in(s, o, k, i))) {
			event->set = k;
			return add_member(s, k, i, e);
		}
	event->set = s->n_sets;
	if (kind == PERF_PROCESS || try_in(s, o, s->n_sets, i))
		return add_set(s, !as_is, e) ? e->status : add_member(s, s->n_sets - 1, i, e);
	const int error = errno;
	if (error == EINVAL && find_leader(s, o, i, &leader))
		return add_set(s, !as_is, e) || add_member(s, s->n_sets - 1, leader, e)
			       ? e->status
			       : add_member(s, s->n_sets - 1, i, e);
	explain(s->source, &event->code, error, event->reason, sizeof event->reason);
	return ASC_OK;
}

enum asc_status perf_sets_add(struct perf_sets *s, const struct perf_code *code, size_t *event,
			      struct asc_err *e)
{
	for (*event = 0; *event < s->n; ++*event)
		if (perf_code_is_same(&s->events[*event].code, code))
			return ASC_OK;
	if (!array_room(&s->events, s->n, &s->room, sizeof *s->events))
		return asc_err_nomem(e);
	s->events[s->n++] = (struct perf_event){.code = *code, .count = NAN};
	return ASC_OK;
}

enum asc_status perf_sets_divide(struct perf_sets *s, struct asc_err *e)
{
	struct opened_list o = {.source = s->source};
	enum asc_status status = ASC_OK;

	s->n_sets = s->n_members = 0;
	for (size_t i = 0; i < s->n && !status; i++)
		status = place(s, &o, i, e);
	close_all(&o);
	return status;
}

/* ---- counting ---- */

/* Launches of a pass: enough for a median that two disturbed ones leave, and for the mean of what
 * happens now and then; as many as last PASS_NS. Counters stand still between them, so that each
 * finds its caches and inputs as the run's policy has them. */
enum { LEAST_LAUNCHES = 5, MOST_LAUNCHES = 100 };
static const double PASS_NS = 2e7;

/* Part of the time that a counter may lack the hardware: less than what decides anything. */
static const double SHARED = 0.01;

/* Part of a process's time that its known threads have to account for: the rest is that of threads
 * that kernels start and end themselves. */
static const double ACCOUNTED = 0.95;

struct pass {
	struct perf_sets *sets;
	size_t set;
	struct opened_list opened;
	int threads[PERF_THREADS_MAX]; /* the caller's first */
	size_t n_threads;
	double figures[PERF_PROCESS_COUNT][MOST_LAUNCHES]; /* of each launch */
	double known[MOST_LAUNCHES];                       /* CPU time of the threads above */
	struct perf_usage begin, end;
	/* What surrounds a launch: time that passes, and the caller's CPU time. */
	int64_t around_ns, around_cpu_ns;
};

/* Opens the counters of the set for all threads. One that cannot be opened now, though it could for
 * the first thread, has its reason. */
static void open_pass(struct pass *p)
{
	struct perf_sets *s = p->sets;

	p->n_threads = s->source->threads(p->threads, PERF_THREADS_MAX);
	for (size_t t = 0; t < p->n_threads; t++)
		for (size_t m = 0; m < s->n_members; m++) {
			struct perf_event *event = &s->events[s->members[m].event];

			if (s->members[m].set != p->set || *event->reason ||
			    event->code.kind == PERF_PROCESS ||
			    (event->code.kind == PERF_MACHINE && t > 0))
				continue;
			if (!open_in(s, &p->opened, p->set, s->members[m].event, p->threads[t]) &&
			    errno != ESRCH) /* a thread that has ended meanwhile */
				explain(s->source, &event->code, errno, event->reason,
					sizeof event->reason);
		}
}

/* The caller's counters are started last and stopped first: starting those of others is no part of
 * what they count. */
static bool start(const struct pass *p)
{
	bool ok = true;

	for (size_t k = p->opened.n; k-- > 0;)
		if (p->opened.list[k].leads)
			ok &= p->sets->source->enable(p->opened.list[k].fd, true);
	return ok;
}

static bool stop(const struct pass *p)
{
	bool ok = true;

	for (size_t k = 0; k < p->opened.n; k++)
		if (p->opened.list[k].leads)
			ok &= p->sets->source->enable(p->opened.list[k].fd, false);
	return ok;
}

static void keep_figures(struct pass *p, size_t launch)
{
	const struct perf_usage *b = &p->begin, *e = &p->end;
	int64_t known = 0, most = 0;

	for (size_t t = 0; t < p->n_threads; t++) {
		const int64_t ns =
			e->threads_ns[t] - b->threads_ns[t] - (t == 0 ? p->around_cpu_ns : 0);

		known += ns;
		most = ns > most ? ns : most;
	}
	const double values[PERF_PROCESS_COUNT] = {
		[PERF_PROCESS_TIME] = (double)(e->time_ns - b->time_ns - p->around_ns),
		[PERF_PROCESS_CPU_TIME] = (double)(e->cpu_ns - b->cpu_ns - p->around_cpu_ns),
		[PERF_PROCESS_BUSIEST] = (double)most,
		[PERF_PROCESS_DISK_FAULTS] = (double)(e->disk_faults - b->disk_faults),
		[PERF_PROCESS_PREEMPTIONS] = (double)(e->preemptions - b->preemptions),
	};
	for (size_t i = 0; i < PERF_PROCESS_COUNT; i++)
		p->figures[i][launch] = values[i];
	p->known[launch] = (double)known;
}

/* Finds out what surrounds a launch: the way to the device, and clocks. */
static enum asc_status measure_around(struct pass *p, const struct probe_launches *l,
				      struct asc_err *e)
{
	double ns[LEAST_LAUNCHES], cpu_ns[LEAST_LAUNCHES];

	for (size_t i = 0; i < LEAST_LAUNCHES; i++) {
		p->sets->source->usage(p->threads, p->n_threads, false, &p->begin);
		if (l->launch(l->user, 0, e))
			return e->status;
		p->sets->source->usage(p->threads, p->n_threads, true, &p->end);
		ns[i] = (double)(p->end.time_ns - p->begin.time_ns);
		cpu_ns[i] = (double)(p->end.threads_ns[0] - p->begin.threads_ns[0]);
	}
	p->around_ns = (int64_t)stats_select_median(ns, LEAST_LAUNCHES);
	p->around_cpu_ns = (int64_t)stats_select_median(cpu_ns, LEAST_LAUNCHES);
	return ASC_OK;
}

static enum asc_status count_launches(struct pass *p, const struct probe_launches *l, size_t n,
				      struct asc_err *e)
{
	const struct perf_source *source = p->sets->source;
	const char *failed = NULL;

	for (size_t i = 0; i < n && !failed; i++) {
		if (l->restore(l->user, e) || (l->flush && l->flush(l->user, e)))
			return e->status;
		/* Starting counters takes tens of microseconds in the kernel, reading clocks a few
		 * instructions outside of it. */
		if (!start(p))
			failed = "start";
		source->usage(p->threads, p->n_threads, false, &p->begin);
		const enum asc_status status = l->launch(l->user, 1, e);
		source->usage(p->threads, p->n_threads, true, &p->end);
		if (!stop(p))
			failed = "stop";
		if (status)
			return status;
		keep_figures(p, i);
		p->sets->launches++;
	}
	return failed ? asc_err_set(e, ASC_IO, "cannot %s counters: %s", failed, strerror(errno))
		      : ASC_OK;
}

/* Adds the counts of all threads up; a counter without the hardware for a part of the time has
 * counted something else. */
static void read_counts(struct pass *p, double launches)
{
	struct perf_sets *s = p->sets;

	for (size_t m = 0; m < s->n_members; m++) {
		struct perf_event *event = &s->events[s->members[m].event];
		double sum = 0, least = 1;

		if (s->members[m].set != p->set || event->set != p->set || *event->reason ||
		    event->code.kind == PERF_PROCESS)
			continue;
		for (size_t k = 0; k < p->opened.n; k++) {
			struct perf_reading r;

			if (p->opened.list[k].event != s->members[m].event)
				continue;
			if (!s->source->read(p->opened.list[k].fd, &r)) {
				(void)snprintf(event->reason, sizeof event->reason,
					       "cannot be read: %s", strerror(errno));
				break;
			}
			sum += (double)r.value;
			if (r.enabled_ns > 0)
				least = fmin(least, (double)r.running_ns / (double)r.enabled_ns);
		}
		if (!*event->reason && least < 1 - SHARED)
			(void)snprintf(event->reason, sizeof event->reason,
				       "another program held the processor's counters for %.0f %% "
				       "of the time",
				       100 * (1 - least));
		event->count = *event->reason ? NAN : sum / launches;
	}
}

/* Times are medians, since other load makes single launches longer; events are means. The process's
 * own clock has the time of threads that have ended, too, but is behind while others run. */
static void take_figures(struct pass *p, size_t n)
{
	struct perf_sets *s = p->sets;
	double figures[PERF_PROCESS_COUNT];

	for (size_t i = 0; i < PERF_PROCESS_COUNT; i++) {
		double sum = 0;

		for (size_t k = 0; k < n; k++)
			sum += p->figures[i][k];
		figures[i] = i <= PERF_PROCESS_BUSIEST ? stats_select_median(p->figures[i], n)
						       : sum / (double)n;
	}
	const double known = stats_select_median(p->known, n);
	const bool all = known >= ACCOUNTED * figures[PERF_PROCESS_CPU_TIME];

	if (all)
		figures[PERF_PROCESS_CPU_TIME] = known;
	for (size_t i = 0; i < s->n; i++) {
		struct perf_event *event = &s->events[i];

		if (event->code.kind != PERF_PROCESS || event->set != p->set)
			continue;
		event->count = figures[event->code.config];
		if (!all && event->code.config == PERF_PROCESS_BUSIEST)
			(void)snprintf(event->reason, sizeof event->reason,
				       "the kernel starts threads of its own");
	}
}

static enum asc_status count_set(struct perf_sets *s, size_t set, const struct probe_launches *l,
				 struct asc_err *e)
{
	const double ns = l->time_ns > 0 ? l->time_ns : PASS_NS;
	const size_t n = (size_t)fmin(fmax(PASS_NS / ns, LEAST_LAUNCHES), MOST_LAUNCHES);
	struct pass *p = calloc(1, sizeof *p);

	if (!p)
		return asc_err_nomem(e);
	p->sets = s;
	p->set = set;
	p->opened.source = s->source;
	open_pass(p);
	s->source->sleep_at_once(s->sets[set].asleep);
	enum asc_status status = measure_around(p, l, e);

	if (!status)
		status = count_launches(p, l, n, e);
	s->source->sleep_at_once(false);
	if (!status) {
		read_counts(p, (double)n);
		take_figures(p, n);
	}
	close_all(&p->opened);
	free(p);
	return status;
}

enum asc_status perf_sets_count(struct perf_sets *s, const struct probe_launches *l,
				struct asc_err *e)
{
	for (size_t i = 0; i < s->n_sets; i++)
		if (l->pass(l->user, i + 1, s->n_sets, e) || count_set(s, i, l, e))
			return e->status;
	return ASC_OK;
}

void perf_sets_fini(struct perf_sets *s)
{
	free(s->events);
	free(s->sets);
	free(s->members);
	*s = (struct perf_sets){.source = s->source};
}
