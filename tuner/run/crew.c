#include "tuner/run/crew.h"

#include <stdio.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/run/evaluator.h"
#include "tuner/run/measure.h"
#include "tuner/run/preparation.h"

enum {
	AHEAD = 2,     /* jobs with the worker: the one that runs and the one behind it */
	MAX_TRIES = 3, /* of workers to get ready */
	MAX_SENT = 6,  /* how often a job is sent whose turn never comes */
	MAX_ALONE = 3  /* how often a finalist that was wrong is asked alone */
};

#define SECOND INT64_C(1000000000)
static const int64_t SETUP_LIMIT_NS = 600 * SECOND; /* inputs and reference */
static const int64_t FIRST_EXTRA_NS = 15 * SECOND;  /* drivers compile and load things then */

/* ---- a worker's end ---- */

/* What a kernel printed last, an assertion's message perhaps; cuts its newline off. */
static const char *last_line(struct buf *words)
{
	while (words->len && words->data[words->len - 1] == '\n')
		words->data[--words->len] = '\0';
	const char *newline = words->len ? strrchr(words->data, '\n') : NULL;

	return newline ? newline + 1 : buf_str(words);
}

static void describe_end(struct crew *c, enum result_status status, const char *reason,
			 struct result *r)
{
	const char *said = last_line(&c->worker.words);

	result_init(r);
	result_set(r, status, c->phase, "%s%s%s", reason, *said ? ": " : "", said);
	if (c->worker.words.len)
		r->log = str_dup(buf_str(&c->worker.words));
	r->spent_ns[c->phase] = clock_now_ns() - c->worker.heard_ns;
}

/* The job that the worker was at, or NULL: the one whose launch it has announced last. What was not
 * begun is not to blame, unless workers keep dying before it that have done nothing else. */
static struct job *find_culprit(struct crew *c)
{
	struct job *j = job_queue_first(c->queue, JOB_SENT);

	if (c->worker.announced)
		return job_queue_find(c->queue, JOB_SENT, c->worker.at);
	return j && !c->worker.used && j->sent >= MAX_SENT ? j : NULL;
}

/* What a kernel before it has left in the process may be to blame: a worker that has run nothing
 * yet tells. Of finals, in which all run in one process, the rounds are repeated with it alone. */
static bool try_again(struct crew *c, struct job *j, enum result_status failure)
{
	/* A driver's refusal, before anything runs: it would say the same again. */
	bool refused = failure == RESULT_LAUNCH_FAILED && !c->options->device->shares_host;

	if (c->finals ? c->company < 2 || j->alone == MAX_ALONE
		      : !c->worker.used || j->again || refused)
		return false;
	j->again = true;
	j->order = 0; /* the first of the next worker */
	if (c->finals) {
		j->alone++;
		j->failure = failure;
		c->suspect = j;
	}
	return true;
}

/* The worker has ended badly: whoever was at work has that result. One that had its result before
 * and stayed loaded has a second one. */
static void blame(struct crew *c, enum result_status status, const char *reason)
{
	struct job *j = find_culprit(c);
	struct result r;

	if (j ? try_again(c, j, status) : c->finals || !c->worker.announced)
		return;
	c->suspect = NULL; /* it has failed alone, or nobody was suspected */
	describe_end(c, status, reason, &r);
	if (!j) {
		job_queue_add_late(c->queue, c->worker.at, &r);
		return;
	}
	job_queue_finish(c->queue, j, &r);
}

/* What was sent goes to the spare worker. The next spare starts while that one sets up the problem,
 * and not beside a measurement. */
static enum asc_status replace_worker(struct crew *c, struct asc_err *e)
{
	struct job *j;

	while ((j = job_queue_first(c->queue, JOB_SENT)) != NULL)
		job_queue_move(c->queue, j, JOB_BUILT);
	link_forget(&c->worker);
	c->worker = c->spare;
	c->spare = (struct worker_link){0};
	return link_start(&c->spare, c->options, e);
}

/* Before it was ready. Code of the workload would die again. */
static enum asc_status fail_start(struct crew *c, const char *how, struct asc_err *e)
{
	const char *path = c->options->binding->workload->path;

	if (c->worker.doing[0])
		return asc_err_set(e, ASC_CHILD, "%s: %s crashed: the worker %s", path,
				   c->worker.doing, how);
	if (++c->failed_starts < MAX_TRIES)
		return replace_worker(c, e);
	return asc_err_set(e, ASC_CHILD, "%s: %d workers in a row did not get ready; the last %s",
			   path, MAX_TRIES, how);
}

static enum asc_status mourn(struct crew *c, struct asc_err *e)
{
	bool ready = c->worker.ready;
	char how[128];

	link_bury(&c->worker, how, sizeof how);
	if (!ready)
		return fail_start(c, how, e);
	blame(c, RESULT_CRASHED, how);
	return replace_worker(c, e);
}

/* ---- time limits ---- */

static int64_t limit_ns(const struct crew *c)
{
	int64_t limit = rule_limit_ns(&c->options->rule, c->best.median_ns, MEASURE_MAX_LAUNCHES);

	if (!c->worker.ready)
		return SETUP_LIMIT_NS;
	return c->launched || c->phase >= PHASE_VERIFY ? limit : limit + FIRST_EXTRA_NS;
}

int64_t crew_deadline_ns(const struct crew *c)
{
	const int64_t until = c->options->setup_until_ns;
	bool busy = c->worker.ready ? c->queue->count[JOB_SENT] > 0 : c->worker.asked;
	int64_t deadline = busy ? c->worker.heard_ns + limit_ns(c) : INT64_MAX;

	return !c->worker.ready && !c->was_ready && until > 0 && until < deadline ? until
										  : deadline;
}

static const char *setting_up(const struct crew *c)
{
	return c->worker.doing[0] ? c->worker.doing : "setting up the inputs";
}

static enum asc_status check_limit(struct crew *c, struct asc_err *e)
{
	char limit[UNITS_TEXT_SIZE], reason[128];

	if (clock_now_ns() < crew_deadline_ns(c))
		return ASC_OK;
	units_print_duration((double)limit_ns(c), limit);
	if (!c->worker.ready && clock_now_ns() < c->worker.heard_ns + SETUP_LIMIT_NS)
		return asc_err_set(e, ASC_TIMEOUT, "%s: %s took longer than the whole time budget",
				   c->options->binding->workload->path, setting_up(c));
	if (!c->worker.ready)
		return asc_err_set(e, ASC_TIMEOUT, "%s: %s took longer than %s",
				   c->options->binding->workload->path, setting_up(c), limit);
	(void)snprintf(reason, sizeof reason, "ran past its limit of %s", limit);
	link_kill(&c->worker);
	blame(c, RESULT_TIMEOUT, reason);
	return replace_worker(c, e);
}

/* ---- what the worker says ---- */

static bool is_failure(const struct result *r)
{
	return r->status == RESULT_WRONG || r->status == RESULT_LOAD_FAILED ||
	       r->status == RESULT_LAUNCH_FAILED || r->status == RESULT_CRASHED;
}

/* A finalist that failed beside others has passed alone, or there was no time to tell. Its outputs
 * may have been another's doing: it takes part again, but not for ever. What crashed or hung stays
 * away. Neither has a verdict. */
static enum asc_status acquit(struct crew *c, struct job *j, struct asc_err *e)
{
	struct result none;

	c->suspect = NULL;
	if (j->failure != RESULT_WRONG || j->alone == MAX_ALONE) {
		result_init(&none);
		result_set(&none, RESULT_OK, PHASE_MEASURE, "%s beside others, and not alone",
			   result_status_name(j->failure));
		job_queue_finish(c->queue, j, &none);
	}
	link_kill(&c->worker);
	return replace_worker(c, e);
}

static enum asc_status on_result(struct crew *c, struct job *j, struct result *r, struct asc_err *e)
{
	if (is_failure(r) && try_again(c, j, r->status)) {
		link_kill(&c->worker);
		return replace_worker(c, e);
	}
	if (j == c->suspect && !is_failure(r))
		return acquit(c, j, e);
	c->suspect = NULL;
	c->worker.used = true;
	c->worker.announced = false;
	c->launched |= r->phase >= PHASE_VERIFY;
	c->phase = PHASE_LOAD; /* of the next one */
	r->order = c->taken;
	c->taken += (int64_t)r->n_samples + r->retaken;
	link_forget(&c->worker);
	job_queue_finish(c->queue, j, r);
	return ASC_OK;
}

/* Of one that had its result before and stayed loaded: the job whose turn it is has not begun or
 * goes on. */
static enum asc_status on_late(struct crew *c, struct link_message *m)
{
	if (m->event == LINK_RESULT && is_failure(&m->result))
		job_queue_add_late(c->queue, m->id, &m->result);
	if (m->event == LINK_RESULT)
		c->worker.announced = false;
	return ASC_OK;
}

static enum asc_status on_message(struct crew *c, struct link_message *m, struct asc_err *e)
{
	struct job *j = job_queue_find(c->queue, JOB_SENT, m->id);

	if (c->worker.ready)
		c->failed_starts = 0;
	c->was_ready |= c->worker.ready;
	if (m->event == LINK_READY || m->event == LINK_DOING)
		return ASC_OK;
	if (m->event == LINK_ROUND) {
		if (c->options->round)
			c->options->round(c->options->user, m->done, m->most);
		return ASC_OK;
	}
	if (c->finals ? !j : j && j != job_queue_first(c->queue, JOB_SENT))
		return asc_err_set(e, ASC_PROTOCOL,
				   "the worker speaks of configuration %llu, which is not its turn",
				   (unsigned long long)m->id);
	if (m->event == LINK_PHASE) {
		c->worker.announced = true;
		c->worker.at = m->id;
		c->phase = m->phase;
		return ASC_OK;
	}
	return j ? on_result(c, j, &m->result, e) : on_late(c, m);
}

static enum asc_status hear_one(struct crew *c, bool *some, struct asc_err *e)
{
	struct link_message m;
	enum asc_status s = link_hear(&c->worker, &m, e);

	*some = !s && m.event != LINK_NOTHING;
	if (!*some)
		return s;
	s = on_message(c, &m, e);
	if (m.event == LINK_RESULT)
		result_fini(&m.result);
	return s;
}

/* One that was ready and talks nonsense has had its memory overwritten. */
static enum asc_status distrust(struct crew *c, struct asc_err *e)
{
	asc_err_wrap(e, "the worker no longer makes sense");
	link_kill(&c->worker);
	blame(c, RESULT_CRASHED, e->text);
	return replace_worker(c, e);
}

static enum asc_status hear_all(struct crew *c, struct asc_err *e)
{
	bool some = true;
	enum asc_status s = ASC_OK;

	while (!s && some)
		s = hear_one(c, &some, e);
	if (s == ASC_IO)
		return mourn(c, e);
	if ((s == ASC_PROTOCOL || s == ASC_INPUT) && c->worker.ready)
		return distrust(c, e);
	return s;
}

/* ---- what it is given to do ---- */

/* Takes a job as sent, and says what to send. */
static struct link_job mark_sent(struct crew *c, struct job *j)
{
	if (c->queue->count[JOB_SENT] == 0) {
		c->worker.heard_ns = clock_now_ns();
		c->phase = PHASE_LOAD;
	}
	j->sent++;
	j->order = ++c->queue->orders; /* it answers in this order; builds end in any */
	job_queue_move(c->queue, j, JOB_SENT);
	return (struct link_job){.id = j->given.id,
				 .implementation = j->given.implementation->name,
				 .artifact = j->artifact,
				 .config = &j->given.config,
				 .names = j->given.names,
				 .until_ns = j->given.until_ns,
				 .unraced = j->given.unraced};
}

static enum asc_status send_job(struct crew *c, struct job *j, struct asc_err *e)
{
	const struct rule *rule = &c->options->rule;
	const struct link_job request = mark_sent(c, j);
	bool known = c->worker.best == c->best_number || !rule_races(rule);

	if (!known)
		c->worker.best = c->best_number;
	return link_ask_job(&c->worker, &request, rule, known ? NULL : &c->best, e);
}

/* All at once, when none is still to be built. */
static enum asc_status send_finals(struct crew *c, struct asc_err *e)
{
	const size_t *count = c->queue->count;
	struct link_job requests[EVALUATOR_MAX_FINALISTS];
	size_t n = 0;
	struct job *j;

	if (count[JOB_WAITING] + count[JOB_BUILDING] + count[JOB_SENT] > 0)
		return ASC_OK;
	if (c->suspect && c->suspect->state == JOB_BUILT)
		requests[n++] = mark_sent(c, c->suspect);
	while (!c->suspect && n < EVALUATOR_MAX_FINALISTS &&
	       (j = job_queue_first(c->queue, JOB_BUILT)) != NULL)
		requests[n++] = mark_sent(c, j);
	c->company = n;
	return n == 0 ? ASC_OK
		      : link_ask_finals(&c->worker, requests, n, &c->options->rule, &c->finals_how,
					e);
}

/* A worker that is gone is noticed when it is listened to: its last words may be a result. */
static enum asc_status unless_gone(enum asc_status s)
{
	return s == ASC_IO ? ASC_OK : s;
}

enum asc_status crew_set_best(struct crew *c, const struct result *r, struct asc_err *e)
{
	c->best_number++;
	return rival_set_result(&c->best, r, e);
}

enum asc_status crew_prepare(struct crew *c, char *const *artifacts, struct asc_err *e)
{
	if (c->worker.asked)
		return ASC_OK;
	return unless_gone(link_ask_problem(&c->worker, c->options, artifacts, e));
}

enum asc_status crew_feed(struct crew *c, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	struct job *j;

	if (c->finals)
		return c->worker.ready ? unless_gone(send_finals(c, e)) : ASC_OK;
	while (!s && c->worker.ready && c->queue->count[JOB_SENT] < AHEAD &&
	       (j = job_queue_first(c->queue, JOB_BUILT)) != NULL)
		s = send_job(c, j, e);
	return unless_gone(s);
}

/* ---- all together ---- */

enum asc_status crew_open(struct crew *c, const struct evaluator_options *o, struct job_queue *q,
			  struct asc_err *e)
{
	c->options = o;
	c->queue = q;
	if (link_start(&c->worker, o, e))
		return e->status;
	return link_start(&c->spare, o, e);
}

void crew_close(struct crew *c)
{
	link_kill(&c->worker);
	link_kill(&c->spare);
	link_forget(&c->worker);
	link_forget(&c->spare);
	rival_fini(&c->best);
}

enum asc_status crew_attend(struct crew *c, struct asc_err *e)
{
	link_listen(&c->worker);
	link_listen(&c->spare);
	/* A stream that has ended is noticed as it is read. */
	if (c->worker.alive && channel_flush(&c->worker.channel, e) && e->status != ASC_IO)
		return e->status;
	enum asc_status s = hear_all(c, e);

	return s ? s : check_limit(c, e);
}

size_t crew_pollfds(const struct crew *c, struct pollfd fds[CREW_MAX_FDS])
{
	const int all[CREW_MAX_FDS] = {c->worker.alive ? c->worker.channel.fd : -1,
				       link_words_fd(&c->worker), link_words_fd(&c->spare)};
	const bool sends = c->worker.alive && c->worker.channel.out.len > 0;
	size_t n = 0;

	for (size_t i = 0; i < CREW_MAX_FDS; i++)
		if (all[i] >= 0)
			fds[n++] = (struct pollfd){.fd = all[i], .events = POLLIN};
	if (sends)
		fds[0].events |= POLLOUT;
	return n;
}
