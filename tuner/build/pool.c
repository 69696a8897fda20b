#include "tuner/build/pool.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/build/outcome.h"
#include "tuner/build/pool_build.h"
#include "tuner/build/resident.h"

#define TICK_NS INT64_C(50000000) /* how often time limits are looked after */
#define NAP_NS  INT64_C(500000)   /* between a command's last word and its end */

enum { MAX_SHORT = 3 };

struct ticket { /* one submission, waiting for its build or to be taken */
	struct ticket *next;
	struct pool_done done;
};

struct pool {
	struct cache *cache;
	size_t jobs;
	int64_t limit_ns;
	struct build *builds; /* oldest first */
	size_t running;       /* commands */
	bool paused;
	struct ticket *done; /* oldest first */
	size_t pending;
	struct pollfd *watched; /* room for `jobs` */
	struct residents residents;
	unsigned short_of; /* builds in a row for which there was no memory or no room */
};

/* ---- opening and closing ---- */

static void tickets_free(struct ticket *t)
{
	while (t) {
		struct ticket *next = t->next;
		pool_done_fini(&t->done);
		free(t);
		t = next;
	}
}

enum asc_status pool_open(const char *cache, size_t jobs, int64_t limit_ns, struct pool **out,
			  struct asc_err *e)
{
	*out = NULL;
	if (jobs < 1)
		return asc_err_set(e, ASC_USAGE, "0 builds at once: expected at least 1");
	struct pool *p = calloc(1, sizeof *p);
	if (!p)
		return asc_err_nomem(e);
	p->jobs = jobs;
	p->limit_ns = limit_ns;
	p->watched = calloc(jobs, sizeof *p->watched);
	enum asc_status s = p->watched ? cache_open(cache, &p->cache, e) : asc_err_nomem(e);
	if (s == ASC_OK)
		s = residents_init(&p->residents, jobs, e);
	if (s != ASC_OK) {
		pool_close(p);
		return s;
	}
	*out = p;
	return ASC_OK;
}

static void remove_build(struct pool *p, struct build *b)
{
	struct build **at = &p->builds;

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	tickets_free(b->tickets);
	build_free(b);
}

void pool_close(struct pool *p)
{
	if (!p)
		return;
	while (p->builds)
		remove_build(p, p->builds);
	residents_fini(&p->residents);
	tickets_free(p->done);
	cache_close(p->cache);
	free(p->watched);
	free(p);
}

void pool_done_fini(struct pool_done *d)
{
	free(d->artifact);
	free(d->log);
	free(d->reason);
	*d = (struct pool_done){0};
}

/* ---- ending builds ---- */

static void push(struct ticket **list, struct ticket *t)
{
	while (*list)
		list = &(*list)->next;
	t->next = NULL;
	*list = t;
}

/* May a second try, alone, fare better? */
static bool is_passing(const struct pool *p, enum asc_status trouble)
{
	return trouble == ASC_CHILD || trouble == ASC_NOMEM ||
	       (trouble == ASC_FULL && !cache_is_full(p->cache));
}

/* Counts what has ended: would others fail, too? */
static bool is_hopeless(struct pool *p, const struct build *b)
{
	enum asc_status why = b->failure.status;

	if (b->cached || why == ASC_TIMEOUT)
		return false;
	if (why != ASC_NOMEM && why != ASC_FULL)
		p->short_of = 0;
	else
		p->short_of++;
	return why && (!is_passing(p, why) || p->short_of >= MAX_SHORT);
}

static void tell(const struct pool *p, const struct build *b, struct pool_done *out)
{
	const char *words = buf_str(&b->words);
	enum asc_status why = b->failure.status;

	out->ok = b->ok;
	out->cached = b->cached;
	out->timeout = why == ASC_TIMEOUT;
	out->trouble = out->timeout ? ASC_OK : why;
	out->log = *words ? str_dup(words) : NULL;
	if (b->ok) {
		out->artifact = cache_path(p->cache, b->key, b->ops->suffix);
		out->ok = out->artifact != NULL;
		out->trouble = out->ok ? ASC_OK : ASC_NOMEM;
	}
	if (!out->ok && why)
		out->reason = str_print("%s%s", b->failure.text, b->tries > 1 ? ", twice" : "");
	else if (!out->ok)
		out->reason = outcome_reason(words);
}

/* Hands the outcome to everybody who waits for it; the first has waited for the command, the others
 * got it for nothing. */
static void finish(struct pool *p, struct build *b)
{
	int64_t spent_ns = b->cached ? 0 : b->spent_ns;
	bool hopeless = is_hopeless(p, b);

	while (b->tickets) {
		struct ticket *t = b->tickets;
		b->tickets = t->next;
		tell(p, b, &t->done);
		t->done.spent_ns = spent_ns;
		t->done.hopeless = hopeless;
		push(&p->done, t);
		spent_ns = 0;
		b->cached = true;
	}
	remove_build(p, b);
}

/* The build is over, or waits for its second try. */
static void end(struct pool *p, struct build *b)
{
	if (b->tries == 1 && is_passing(p, b->failure.status))
		build_reset(b);
	else
		finish(p, b);
}

/* Fills the free places; what cannot be started is done. While a build waited for its place another
 * process may have made its artifact. */
static void start_waiting(struct pool *p)
{
	struct build *next;

	for (struct build *b = p->builds; b && !p->paused && p->running < p->jobs; b = next) {
		next = b->next;
		/* A second try is made alone: others may have taken what it was short of. */
		bool second = b->tries > (b->proc.pid ? 1 : 0);
		if (second && (b->proc.pid || p->running > 0))
			return;
		if (b->proc.pid)
			continue;
		if (build_recall(b, p->cache) || build_start(b, p->cache, &p->residents))
			end(p, b);
		else
			p->running++;
		if (second)
			return;
	}
}

static void advance(struct pool *p)
{
	struct build *next;

	for (struct build *b = p->builds; b; b = next) {
		next = b->next;
		if (!b->proc.pid || !build_advance(b, p->cache, p->limit_ns))
			continue;
		p->running--;
		if (b->proc.pid)
			residents_put(&p->residents, b->ops, &b->proc);
		end(p, b);
	}
}

/* ---- submitting ---- */

static struct build *find_build(const struct pool *p, const char *key)
{
	struct build *b = p->builds;

	while (b && strcmp(b->key, key) != 0)
		b = b->next;
	return b;
}

static struct build *add_build(struct pool *p, const char *key, const struct builder_ops *ops,
			       const struct build_job *job)
{
	struct build **at = &p->builds;

	while (*at)
		at = &(*at)->next;
	*at = build_new(key, ops, job);
	return *at;
}

enum asc_status pool_submit(struct pool *p, uint64_t id, const struct builder_ops *b,
			    const struct build_job *job, struct asc_err *e)
{
	char key[HASH_TEXT_SIZE];

	if (build_key(b, job, key, e))
		return e->status;
	struct build *under_way = find_build(p, key);
	struct ticket *t = calloc(1, sizeof *t);
	struct build *build = under_way ? under_way : t ? add_build(p, key, b, job) : NULL;
	if (!t || !build) {
		free(t);
		return asc_err_nomem(e);
	}
	t->done.id = id;
	memcpy(t->done.key, key, sizeof key);
	push(&build->tickets, t);
	p->pending++;
	/* What is known is done at once, even when no place is free. */
	if (!under_way && build_recall(build, p->cache))
		finish(p, build);
	start_waiting(p);
	return ASC_OK;
}

/* Takes the submission out of the list; false when it is not there. */
static bool drop_ticket(struct ticket **list, uint64_t id)
{
	while (*list && (*list)->done.id != id)
		list = &(*list)->next;
	struct ticket *t = *list;
	if (!t)
		return false;
	*list = t->next;
	pool_done_fini(&t->done);
	free(t);
	return true;
}

void pool_cancel(struct pool *p, uint64_t id)
{
	struct build *b = p->builds;

	if (drop_ticket(&p->done, id)) {
		p->pending--;
		return;
	}
	while (b && !drop_ticket(&b->tickets, id))
		b = b->next;
	if (!b)
		return;
	p->pending--;
	if (b->tickets)
		return;
	p->running -= b->proc.pid != 0;
	remove_build(p, b);
}

void pool_pause(struct pool *p, bool pause)
{
	if (p->paused == pause)
		return;
	p->paused = pause;
	for (const struct build *b = p->builds; b; b = b->next)
		if (b->proc.pid)
			(void)kill(-b->proc.pid, pause ? SIGSTOP : SIGCONT);
}

char *pool_recall(const struct pool *p, const struct builder_ops *b, const char *key)
{
	struct buf words = {0};
	bool there = cache_find(p->cache, key, b->suffix, &words) == CACHE_ARTIFACT;

	buf_fini(&words);
	return there ? cache_path(p->cache, key, b->suffix) : NULL;
}

size_t pool_pending(const struct pool *p)
{
	return p->pending;
}

size_t pool_running(const struct pool *p)
{
	size_t n = 0;

	for (const struct build *b = p->builds; b; b = b->next)
		n++;
	return n;
}

/* ---- taking ---- */

size_t pool_pollfds(const struct pool *p, struct pollfd *fds, size_t max)
{
	size_t n = 0;

	for (const struct build *b = p->builds; b && n < max; b = b->next)
		if (b->proc.pid)
			fds[n++] = (struct pollfd){.fd = b->proc.output, .events = POLLIN};
	return n;
}

/* Until a command says something, or it is time to look. One that is silent and has not ended yet
 * would wake us for nothing. */
static void wait_for_words(struct pool *p, int64_t limit_ns)
{
	nfds_t n = 0;
	int64_t wait_ns = limit_ns < TICK_NS ? limit_ns : TICK_NS;
	for (const struct build *b = p->builds; b; b = b->next) {
		if (b->proc.pid && !b->silent)
			p->watched[n++] = (struct pollfd){.fd = b->proc.output, .events = POLLIN};
		else if (b->proc.pid && wait_ns > NAP_NS)
			wait_ns = NAP_NS;
	}
	struct timespec t = {.tv_nsec = wait_ns};
	(void)ppoll(p->watched, n, &t, NULL);
}

static bool take(struct pool *p, struct pool_done *out)
{
	struct ticket *t = p->done;

	if (!t)
		return false;
	p->done = t->next;
	p->pending--;
	*out = t->done;
	free(t);
	return true;
}

bool pool_take(struct pool *p, int64_t timeout_ns, struct pool_done *out)
{
	int64_t start_ns = clock_now_ns();

	for (;;) {
		advance(p);
		start_waiting(p);
		if (take(p, out))
			return true;
		int64_t left_ns =
			timeout_ns < 0 ? TICK_NS : timeout_ns - (clock_now_ns() - start_ns);
		if (!p->builds || left_ns <= 0)
			return false;
		wait_for_words(p, left_ns);
	}
}
