/* The evaluator of a problem that several devices share: it is made of the evaluators of sessions,
 * its own and those of peers that are idle.
 *
 * The own device begins alone: inputs and reference are made once. While it measures the first
 * configuration, the default as a rule, each idle device joins (join) and measures the same. It
 * shares the problem where its time is no further from the own device's than another moment would
 * explain, policy.tests.near. Where the first configuration fails, all wait for one that passes.
 * Each further trial goes to the device that has the fewest, and moves on when another has nothing
 * to do. All race against one incumbent.
 *
 * Rounds, profiles, peaks and problems beside this one are the own device's alone: others leave
 * before. They leave as well when their own command wants them back (session.idle), and when they
 * fail: the trial that such a device had longest counts as not tried, and the others take the rest.
 * A failure of the own device is the problem's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/process/fiber.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"

enum { MAX_FDS = 1024 };

/* Above the numbers of a search, below those that JSON cannot hold. */
static const uint64_t FIRST_ID = UINT64_C(1) << 50;

enum member_state {
	MEMBER_OUT,    /* has no part of the problem */
	MEMBER_TRIED,  /* measures the first configuration */
	MEMBER_WAITS,  /* has measured it, before the own device has */
	MEMBER_SHARES, /* measures what the others do not */
	MEMBER_APART   /* has been tried, and does not share this problem */
};

struct member {
	const struct evaluator_ops *ops;
	struct evaluator *evaluator;
	enum member_state state;
	size_t n;           /* trials that it has */
	struct trial first; /* of MEMBER_TRIED and MEMBER_WAITS */
};

struct evaluator {
	struct evaluator_target target;
	struct evaluator_problem problem;
	struct session *session;
	struct member *members; /* in the order of the peers; heap */
	size_t n, own;          /* members; number of the own device */
	size_t next;            /* whom poll asks first */
	struct trial **open;    /* that some device has, and one that was lost; heap */
	size_t n_open, room;
	struct trial *lost; /* on a device that failed; NULL: none was */
	/* The configuration that devices are compared by, without a result: the first, and where
	 * that fails the first that passes. Its time on the own device; 0: it has none yet. */
	struct trial first;
	double first_ns;
	const struct trial *trying; /* the problem's first trial, until it is taken; NULL */
	bool begun;                 /* there was one */
	struct result best;         /* the incumbent */
	bool has_best;
	int64_t until_ns; /* of the trial that was submitted last */
	bool alone;       /* nobody joins any more */
	bool wants;       /* a device has joined since poll began: it has nothing to do yet */
};

static struct member *own(const struct evaluator *v)
{
	return &v->members[v->own];
}

static const char *name_of(const struct evaluator *v, size_t i)
{
	const char *name = v->session->peers->list[i]->name;

	return name ? name : "a device";
}

static const char *problem_of(const struct evaluator *v)
{
	return v->problem.binding ? v->problem.binding->problem->name : "the problem";
}

/* ---- trials ---- */

static enum asc_status place(struct evaluator *v, struct trial *t, struct asc_err *e)
{
	size_t to = v->own;

	for (size_t i = 0; t->purpose == TRIAL_SEARCH && i < v->n; i++)
		if (v->members[i].state == MEMBER_SHARES && v->members[i].n < v->members[to].n)
			to = i;
	struct member *m = &v->members[to];

	t->device = to;
	if (m->ops->submit(m->evaluator, &t, 1, e))
		return e->status;
	m->n++;
	return ASC_OK;
}

static void forget(struct evaluator *v, const struct trial *t)
{
	size_t i = 0;

	while (i < v->n_open && v->open[i] != t)
		i++;
	if (i < v->n_open)
		v->open[i] = v->open[--v->n_open];
}

/* Moves what waits behind other trials to a device that has too little to do. */
static enum asc_status balance(struct evaluator *v, struct asc_err *e)
{
	size_t most = 0, idle = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct member *m = &v->members[i];

		idle += m->state == MEMBER_SHARES && m->n < 2;
		most = m->n > most ? m->n : most;
	}
	if (idle == 0 || most < 3)
		return ASC_OK;
	for (size_t i = v->n_open; i-- > 0 && idle > 0;) {
		struct trial *t = v->open[i];
		struct member *m = &v->members[t->device];

		/* A trial that is being built, or has the result of another to come, waits for no
		 * device.
		 */
		if (m->n < 3 || t->purpose != TRIAL_SEARCH || t->state == TRIAL_WAITING ||
		    t->state == TRIAL_BUILDING || t->state == TRIAL_EQUAL ||
		    !m->ops->cancel(m->evaluator, t))
			continue;
		m->n--;
		idle--;
		if (place(v, t, e))
			return e->status;
	}
	return ASC_OK;
}

/* ---- devices that come and go ---- */

/* Ends a device's part: its trials go to the others; where it `failed`, the one that it had longest
 * is given back as not tried. */
static enum asc_status leave(struct evaluator *v, size_t i, enum member_state state, bool failed,
			     struct asc_err *e)
{
	struct member *m = &v->members[i];
	struct session *s = v->session->peers->list[i];
	struct trial *lost = NULL;

	for (size_t k = 0; failed && k < v->n_open; k++) {
		struct trial *t = v->open[k];

		if (t->device == i && t->sent > 0 && !t->needed &&
		    (!lost || t->sent_ns < lost->sent_ns))
			lost = t;
	}
	session_end(s);
	s->lent_to = NULL;
	trial_fini(&m->first);
	m->state = state;
	m->n = 0;
	for (size_t k = 0; k < v->n_open; k++) {
		struct trial *t = v->open[k];

		if (t->device != i || t == v->lost)
			continue;
		if (t == lost && !v->lost)
			v->lost = t;
		else if (place(v, t, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status lose(struct evaluator *v, size_t i, const struct asc_err *why,
			    struct asc_err *e)
{
	log_print(LOG_WARN, "%s measures nothing more of %s: %s; the others go on", name_of(v, i),
		  problem_of(v), why->text);
	return leave(v, i, MEMBER_APART, true, e);
}

/* Leaves the problem to its own device. */
static enum asc_status go_alone(struct evaluator *v, struct asc_err *e)
{
	v->session->shares = false;
	v->alone = true;
	for (size_t i = 0; i < v->n; i++)
		if (i != v->own && v->session->peers->list[i]->lent_to == v->session &&
		    leave(v, i, MEMBER_OUT, false, e))
			return e->status;
	return ASC_OK;
}

static enum asc_status join(struct evaluator *v, size_t i, struct asc_err *e)
{
	struct member *m = &v->members[i];
	struct session *s = v->session->peers->list[i];
	struct evaluator_problem p = v->problem;
	struct trial *t = &m->first;
	struct asc_err why;

	/* The own device alone tells the owner how far it is. */
	p.stage = NULL;
	p.built = NULL;
	p.sets = NULL;
	p.finals = NULL;
	p.shared = false;
	*t = v->first;
	t->id = FIRST_ID + i;
	t->full = t->apart = true;
	t->until_ns = v->until_ns;
	t->device = i;
	m->state = MEMBER_TRIED;
	s->lent_to = v->session;
	enum asc_status status = session_begin(s, &p, &why);

	m->ops = s->ops;
	m->evaluator = s->evaluator;
	if (status == ASC_OK)
		status = m->ops->submit(m->evaluator, &t, 1, &why);
	return status ? lose(v, i, &why, e) : ASC_OK;
}

/* True where no other problem that takes devices has fewer. */
static bool is_next(const struct evaluator *v)
{
	const struct session_peers *peers = v->session->peers;
	const size_t have = session_count_lent(v->session);
	bool next = true;

	for (size_t i = 0; i < peers->n; i++)
		next &= !peers->list[i]->shares || session_count_lent(peers->list[i]) >= have;
	return next;
}

/* True once the own device measures the first configuration: inputs and reference are made. */
static bool is_set_up(const struct evaluator *v)
{
	return !v->alone && v->trying && v->trying->state == TRIAL_SENT;
}

/* Takes idle devices on, and lets those go that are wanted back. */
static enum asc_status take_devices(struct evaluator *v, struct asc_err *e)
{
	v->session->shares |= is_set_up(v);
	for (size_t i = 0; v->session->peers && i < v->n; i++) {
		const struct session *s = v->session->peers->list[i];
		struct member *m = &v->members[i];

		if (i == v->own)
			continue;
		if (s->lent_to == v->session && !s->idle && leave(v, i, MEMBER_OUT, false, e))
			return e->status;
		if (v->session->shares && m->state == MEMBER_OUT && s->idle && !s->busy &&
		    is_next(v) && join(v, i, e))
			return e->status;
	}
	return ASC_OK;
}

static bool is_same(const struct trial *a, const struct trial *b)
{
	return a->search == b->search && a->index == b->index;
}

/* Decides whether a device shares the problem, by its time of the first configuration. */
static enum asc_status judge(struct evaluator *v, size_t i, struct asc_err *e)
{
	struct member *m = &v->members[i];
	const struct result *r = &m->first.result;
	const double near = v->problem.policy.tests.near, ns = r->time.median;
	char there[UNITS_TEXT_SIZE], here[UNITS_TEXT_SIZE];
	struct asc_err why;

	if (v->trying) {
		m->state = MEMBER_WAITS;
		return ASC_OK;
	}
	/* The first has failed on the own device: another is compared. */
	if (v->first_ns == 0 || !is_same(&m->first, &v->first))
		return leave(v, i, MEMBER_OUT, false, e);
	if (trial_is_undecided(&m->first)) /* no time was left */
		return leave(v, i, MEMBER_APART, false, e);
	if (r->status != RESULT_OK || r->n_samples == 0) {
		log_print(LOG_WARN, "%s does not share %s: its first configuration is %s there",
			  name_of(v, i), problem_of(v), result_status_name(r->status));
		return leave(v, i, MEMBER_APART, false, e);
	}
	if (ns > near * v->first_ns || v->first_ns > near * ns) {
		log_print(LOG_WARN,
			  "%s does not share %s: its first configuration takes %s there, %s on %s",
			  name_of(v, i), problem_of(v), units_print_duration(ns, there),
			  units_print_duration(v->first_ns, here), name_of(v, v->own));
		return leave(v, i, MEMBER_APART, false, e);
	}
	trial_fini(&m->first);
	m->state = MEMBER_SHARES;
	v->wants = true;
	if (v->has_best && m->ops->incumbent(m->evaluator, &v->best, &why))
		return lose(v, i, &why, e);
	return ASC_OK;
}

static enum asc_status judge_waiting(struct evaluator *v, struct asc_err *e)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->members[i].state == MEMBER_WAITS && judge(v, i, e))
			return e->status;
	return ASC_OK;
}

/* Keeps what the configuration is that devices are compared by. */
static void keep_first(struct evaluator *v, const struct trial *t)
{
	v->first = (struct trial){.id = t->id,
				  .implementation = t->implementation,
				  .side = t->side,
				  .names = t->names,
				  .search = t->search,
				  .index = t->index,
				  .config = t->config};
}

/* True where others may join: a device that has joined takes nobody on itself. */
static bool has_peers(const struct evaluator *v)
{
	return !v->alone && v->session->peers && !v->session->lent_to &&
	       !v->target.info->shares_host;
}

/* Begins with the trial that was submitted first. */
static void begin_first(struct evaluator *v, const struct trial *t)
{
	if (v->begun || !has_peers(v))
		return;
	v->begun = true;
	v->trying = t;
	keep_first(v, t);
}

/* Takes a result while devices are not compared by any: that of the first configuration, or one
 * that passes before it is launched, or behind its failure. */
static enum asc_status take_first(struct evaluator *v, const struct trial *t, struct asc_err *e)
{
	const bool passed = t->result.status == RESULT_OK && t->result.n_samples > 0;
	const bool tried = t == v->trying;

	if (v->first_ns > 0 || !has_peers(v) || (!tried && (!passed || v->session->shares)))
		return ASC_OK;
	v->trying = NULL;
	if (passed) {
		keep_first(v, t);
		v->first_ns = t->result.time.median;
	}
	v->session->shares = passed;
	return judge_waiting(v, e);
}

/* ---- operations ---- */

static enum asc_status several_begin(struct evaluator *v, const struct evaluator_problem *p,
				     struct asc_err *e)
{
	const struct session_peers *peers = v->session->peers;
	const size_t n = peers ? peers->n : 1;

	if (!v->members || v->n != n) {
		struct member *list = calloc(n, sizeof *list);
		const struct member mine = *own(v);

		if (!list)
			return asc_err_nomem(e);
		for (size_t i = 0; peers && i < n; i++)
			v->own = peers->list[i] == v->session ? i : v->own;
		list[v->own] = mine;
		free(v->members);
		v->members = list;
		v->n = n;
	}
	for (size_t i = 0; i < n; i++)
		v->members[i].state = i == v->own ? MEMBER_SHARES : MEMBER_OUT;
	v->problem = *p;
	v->alone = false;
	v->next = v->own;
	return own(v)->ops->begin(own(v)->evaluator, p, e);
}

static void several_end(struct evaluator *v)
{
	struct asc_err none;

	v->n_open = 0;
	(void)go_alone(v, &none); /* nothing is open: there is nothing to fail */
	own(v)->ops->end(own(v)->evaluator);
	own(v)->n = 0;
	v->lost = NULL;
	v->trying = NULL;
	v->begun = false;
	v->first_ns = 0;
	result_fini(&v->best);
	v->has_best = false;
}

static void several_close(struct evaluator *v)
{
	if (!v)
		return;
	if (v->members && own(v)->evaluator)
		own(v)->ops->close(own(v)->evaluator);
	free(v->members);
	free(v->open);
	free(v);
}

static enum asc_status several_open(const struct evaluator_target *t, struct evaluator **out,
				    struct asc_err *e)
{
	struct evaluator *v = calloc(1, sizeof *v);

	*out = NULL;
	if (!v)
		return asc_err_nomem(e);
	v->target = *t;
	v->session = t->session;
	result_init(&v->best);
	v->members = calloc(1, sizeof *v->members);
	v->n = 1;
	if (!v->members) {
		several_close(v);
		return asc_err_nomem(e);
	}
	own(v)->ops = t->own;
	if (t->own->open(t, &own(v)->evaluator, e)) {
		several_close(v);
		return e->status;
	}
	*out = v;
	return ASC_OK;
}

static void several_warm(struct evaluator *v, const struct workload *w, const char *implementation)
{
	if (own(v)->ops->warm)
		own(v)->ops->warm(own(v)->evaluator, w, implementation);
}

static enum asc_status several_build_ahead(struct evaluator *v, const struct evaluator_problem *p,
					   struct trial *t, struct asc_err *e)
{
	return own(v)->ops->build_ahead(own(v)->evaluator, p, t, e);
}

static enum asc_status several_beside(struct evaluator *v, const struct evaluator_problem *p,
				      struct asc_err *e)
{
	return go_alone(v, e) ? e->status : own(v)->ops->beside(own(v)->evaluator, p, e);
}

static enum asc_status several_go_back(struct evaluator *v, struct asc_err *e)
{
	return own(v)->ops->go_back(own(v)->evaluator, e);
}

static const char *several_planner(const struct evaluator *v, const char **why)
{
	*why = NULL;
	return own(v)->ops->planner ? own(v)->ops->planner(own(v)->evaluator, why) : NULL;
}

static size_t several_devices(const struct evaluator *v)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		n += v->members[i].state == MEMBER_SHARES;
	return n;
}

/* At most as many as one device could take over from all, but two for each. */
static size_t several_capacity(const struct evaluator *v, bool all)
{
	const size_t devices = several_devices(v);
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct member *m = &v->members[i];

		n += m->state == MEMBER_SHARES ? m->ops->capacity(m->evaluator, all) : 0;
	}
	const size_t most = 2 * devices > TRIALS_MAX ? 2 * devices : TRIALS_MAX;

	return n > most ? most : n;
}

static int64_t several_now_ns(const struct evaluator *v)
{
	return own(v)->ops->now_ns(own(v)->evaluator);
}

static enum asc_status several_submit(struct evaluator *v, struct trial *const *list, size_t n,
				      struct asc_err *e)
{
	if (n == 0)
		return ASC_OK;
	/* Rounds come with nothing else pending. */
	if (list[0]->purpose != TRIAL_SEARCH) {
		if (go_alone(v, e) || own(v)->ops->submit(own(v)->evaluator, list, n, e))
			return e->status;
		for (size_t i = 0; i < n; i++)
			list[i]->device = v->own;
		return ASC_OK;
	}
	for (size_t i = 0; i < n; i++) {
		if (!array_room(&v->open, v->n_open, &v->room, sizeof(struct trial *)))
			return asc_err_nomem(e);
		if (place(v, list[i], e))
			return e->status;
		begin_first(v, list[i]);
		v->open[v->n_open++] = list[i];
		v->until_ns = list[i]->until_ns;
	}
	return ASC_OK;
}

static bool several_cancel(struct evaluator *v, struct trial *t)
{
	struct member *m = &v->members[t->device];

	if (t == v->lost || !m->ops->cancel(m->evaluator, t))
		return false;
	m->n -= t->purpose == TRIAL_SEARCH;
	if (t == v->trying) {
		v->trying = NULL;
		v->session->shares = false;
	}
	forget(v, t);
	return true;
}

/* Asks a device for a result; *out is the owner's trial, or NULL. */
static enum asc_status ask(struct evaluator *v, size_t i, int64_t timeout_ns, struct trial **out,
			   struct asc_err *e)
{
	struct member *m = &v->members[i];
	struct trial *t = NULL;
	struct asc_err why;

	*out = NULL;
	if (m->state != MEMBER_SHARES && m->state != MEMBER_TRIED)
		return ASC_OK;
	if (m->ops->poll(m->evaluator, timeout_ns, &t, &why)) {
		if (i != v->own)
			return lose(v, i, &why, e);
		*e = why;
		return e->status;
	}
	if (t == &m->first)
		return judge(v, i, e);
	*out = t;
	if (t && t->late)
		t->device = i;
	if (!t || t->late || t->purpose != TRIAL_SEARCH)
		return ASC_OK;
	m->n--;
	forget(v, t);
	/* Each worker counts its own samples. */
	if (i != v->own)
		t->result.order = -1;
	return take_first(v, t, e);
}

static void give_lost(struct evaluator *v, struct trial **out)
{
	*out = v->lost;
	result_init(&v->lost->result); /* ok, without samples: not tried */
	forget(v, v->lost);
	v->lost = NULL;
}

/* Adds what all wait for; `first`: who has something to do first. */
static int64_t find_next(const struct evaluator *v, struct evaluator_fds *fds, size_t *first)
{
	int64_t next = INT64_MAX;

	*first = v->own;
	for (size_t i = 0; i < v->n; i++) {
		const struct member *m = &v->members[i];

		if (m->state != MEMBER_SHARES && m->state != MEMBER_TRIED)
			continue;
		const int64_t at_ns = m->ops->next_ns(m->evaluator, fds);

		*first = at_ns < next ? i : *first;
		next = at_ns < next ? at_ns : next;
	}
	return next;
}

static int64_t several_next_ns(const struct evaluator *v, struct evaluator_fds *fds)
{
	size_t first;

	return find_next(v, fds, &first);
}

static enum asc_status several_poll(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				    struct asc_err *e)
{
	const int64_t begun_ns = several_now_ns(v);
	const int64_t until_ns =
		timeout_ns < INT64_MAX - begun_ns ? begun_ns + timeout_ns : INT64_MAX;

	v->wants = false;
	for (*out = NULL;;) {
		struct pollfd list[MAX_FDS];
		struct evaluator_fds fds = {.list = list, .room = MAX_FDS};
		size_t first;

		if (take_devices(v, e) || balance(v, e))
			return e->status;
		if (v->lost) {
			give_lost(v, out);
			return ASC_OK;
		}
		/* In turns, so that none waits for its results to be taken. */
		for (size_t k = 0; k < v->n && !*out; k++) {
			const size_t i = (v->next + k) % v->n;

			if (ask(v, i, 0, out, e))
				return e->status;
			v->next = *out ? i + 1 : v->next;
		}
		if (!*out && !v->session->shares && is_set_up(v)) /* others join at once */
			continue;
		const int64_t now = several_now_ns(v), next = find_next(v, &fds, &first);
		const int64_t until = next < until_ns ? next : until_ns;

		if (*out || v->wants || now >= until_ns || (fds.n == 0 && next == INT64_MAX))
			return ASC_OK;
		if (fds.n > 0 && fiber_poll(fds.list, fds.n, until > now ? until - now : 0) < 0 &&
		    errno != EINTR)
			return asc_err_set(e, ASC_IO, "cannot wait for the devices: %s",
					   strerror(errno));
		if (fds.n > 0)
			continue;
		if (next > until_ns)
			return ASC_OK;
		/* Recorded time is rounded to nanoseconds. */
		if (ask(v, first, next - now + 1, out, e))
			return e->status;
		if (*out || v->wants)
			return ASC_OK;
	}
}

static enum asc_status several_incumbent(struct evaluator *v, const struct result *r,
					 struct asc_err *e)
{
	struct asc_err why;

	result_fini(&v->best);
	if (result_copy(r, &v->best, e) || own(v)->ops->incumbent(own(v)->evaluator, r, e))
		return e->status;
	v->has_best = true;
	for (size_t i = 0; i < v->n; i++) {
		struct member *m = &v->members[i];

		if (i != v->own && m->state == MEMBER_SHARES &&
		    m->ops->incumbent(m->evaluator, r, &why) && lose(v, i, &why, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status several_peaks(struct evaluator *v, enum dtype type, struct peaks *out,
				     int64_t until_ns, struct asc_err *e)
{
	return go_alone(v, e) ? e->status
			      : own(v)->ops->peaks(own(v)->evaluator, type, out, until_ns, e);
}

const struct evaluator_ops evaluator_several = {
	.name = "several",
	.summary = "shares a problem among the devices of a command that are idle",
	.open = several_open,
	.warm = several_warm,
	.build_ahead = several_build_ahead,
	.begin = several_begin,
	.beside = several_beside,
	.go_back = several_go_back,
	.end = several_end,
	.close = several_close,
	.planner = several_planner,
	.capacity = several_capacity,
	.devices = several_devices,
	.now_ns = several_now_ns,
	.submit = several_submit,
	.cancel = several_cancel,
	.poll = several_poll,
	.next_ns = several_next_ns,
	.incumbent = several_incumbent,
	.peaks = several_peaks,
};
