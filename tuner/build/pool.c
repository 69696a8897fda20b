/* The life of a build:
 *
 * 1. A submission is a ticket. Its request has a content key; an equal build under way gets the
 *    ticket, else a build is made (pool_submit).
 * 2. An artifact in the cache ends the build at once: such a build needs no place.
 * 3. The others wait for one of `jobs` places, the heaviest first, so that a long one does not
 * begin when all others are done. A build starts when no other process builds the same key; when
 * that process ends, its artifact is in the cache (start_waiting).
 * 4. The command runs; its output is read and its end noticed while the caller waits (advance).
 * 5. The build ends as built, refused by the compiler, timed out, or in trouble. Trouble of this
 *    machine has two more tries, each alone, since what was short may have been taken by the others
 *    (end). Every ticket gets the outcome (finish).
 *
 * A build whose tickets were all left (pool_leave) takes its turn behind the others, and ends in
 * the cache.
 *
 * The pool is one thread: everything happens within calls of its owner. */
#include "tuner/build/pool.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/build/outcome.h"
#include "tuner/build/pool_build.h"

#define TICK_NS INT64_C(50000000) /* interval at which time limits are looked after */
#define NAP_NS  INT64_C(500000)   /* the same between a command's last word and its end */

enum {
	MAX_SHORT =
		3, /* builds in a row that lacked memory, room or processes: the next ones will */
	MAX_TRIES = 3 /* tries of one build */
};

struct ticket { /* one submission, waiting for its build or to be taken */
	struct ticket *next;
	struct pool_done done;
};

struct pool {
	struct cache *cache; /* where builds are found and kept */
	struct cache *store; /* where recorded artifacts are; NULL: there too */
	char *scratch;       /* folder of `cache` where that is not the store; NULL: none */
	size_t jobs;
	int64_t limit_ns;
	struct build *
		builds; /* started builds, then waiting ones: the heaviest first, then the oldest */
	size_t running; /* number of commands that run */
	bool paused;
	struct ticket *done; /* oldest first */
	size_t pending;
	struct pollfd *watched; /* room for descriptors of `jobs` commands */
	struct compile_servers servers;
	unsigned short_of; /* builds in a row for which there was no memory, room or process */
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
	/* Room now: waiting must not fail later for want of memory. */
	p->watched = calloc(PROC_POLLFDS * jobs, sizeof *p->watched);
	enum asc_status s = p->watched ? cache_open(cache, &p->cache, e) : asc_err_nomem(e);
	if (s == ASC_OK)
		s = compile_servers_init(&p->servers, jobs, e);
	if (s != ASC_OK) {
		pool_close(p);
		return s;
	}
	*out = p;
	return ASC_OK;
}

enum asc_status pool_rebuild(struct pool *p, struct asc_err *e)
{
	struct cache *fresh;

	if (cache_scratch(p->cache, &p->scratch, e) || cache_open(p->scratch, &fresh, e))
		return e->status;
	p->store = p->cache;
	p->cache = fresh;
	return ASC_OK;
}

static void unlink_build(struct pool *p, const struct build *b)
{
	struct build **at = &p->builds;

	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
}

static void remove_build(struct pool *p, struct build *b)
{
	unlink_build(p, b);
	if (b->locked)
		cache_unlock(p->cache, b->key);
	tickets_free(b->tickets);
	build_free(b);
}

void pool_close(struct pool *p)
{
	if (!p)
		return;
	/* Builds first: some have their commands in servers. The scratch folder last, in which all
	 * of them work. */
	while (p->builds)
		remove_build(p, p->builds);
	compile_servers_fini(&p->servers);
	tickets_free(p->done);
	cache_close(p->cache);
	cache_close(p->store);
	cache_drop_scratch(p->scratch);
	free(p->scratch);
	free(p->watched);
	free(p);
}

void pool_done_fini(struct pool_done *d)
{
	artifact_fini(&d->artifact);
	free(d->log);
	free(d->reason);
	*d = (struct pool_done){0};
}

/* ---- ending builds ---- */

/* Appends a ticket to the list. */
static void push(struct ticket **list, struct ticket *t)
{
	while (*list)
		list = &(*list)->next;
	t->next = NULL;
	*list = t;
}

/* True for trouble that another try, alone, may not meet. */
static bool is_passing(const struct pool *p, enum asc_status trouble)
{
	return trouble == ASC_CHILD || trouble == ASC_NOMEM || trouble == ASC_LIMIT ||
	       (trouble == ASC_FULL && !cache_is_full(p->cache));
}

/* Describes what a cache has; the caller ends *out. False when out of memory. */
static bool state_artifact(const struct cache *c, const struct builder_ops *ops, const char *key,
			   const struct cache_entry *entry, struct artifact *out)
{
	bool built = entry->outcome == ARTIFACT_BUILT;

	*out = (struct artifact){.outcome = entry->outcome,
				 .path = built ? cache_path(c, key, ops->suffix) : NULL,
				 .metadata = entry->metadata.len ? str_dup(entry->metadata.data)
								 : NULL};
	memcpy(out->key, key, sizeof out->key);
	memcpy(out->digest, entry->digest, sizeof out->digest);
	memcpy(out->runs, entry->runs, sizeof out->runs);
	return (out->path || !built) && (out->metadata || !entry->metadata.len);
}

/* Hands the outcome to every ticket, and removes the build. */
static void finish(struct pool *p, struct build *b)
{
	const char *words = buf_str(&b->entry.log);
	const enum asc_status why = b->failure.status;
	bool hopeless = false;

	/* Would other builds fail for the same reason? Surely where no try can help; else after
	 * some builds in a row that this machine was too short for. A success, or a failure of
	 * another kind, begins that count anew; the cache and a slow compiler say nothing of it. */
	if (!b->cached && why != ASC_TIMEOUT) {
		const bool is_short = why == ASC_NOMEM || why == ASC_LIMIT || why == ASC_FULL;

		p->short_of = is_short ? p->short_of + 1 : 0;
		hopeless = why && (!is_passing(p, why) || p->short_of >= MAX_SHORT);
	}
	while (b->tickets) {
		struct ticket *t = b->tickets;
		struct pool_done *d = &t->done;

		b->tickets = t->next;
		d->cached = b->cached;
		d->timeout = why == ASC_TIMEOUT;
		d->trouble = d->timeout ? ASC_OK : why;
		d->log = *words ? str_dup(words) : NULL;
		if (!state_artifact(p->cache, b->ops, b->key, &b->entry, &d->artifact)) {
			d->artifact.outcome = ARTIFACT_NONE;
			d->trouble = ASC_NOMEM;
		}
		if (why)
			d->reason = b->tries > 1 ? str_print("%s, in %u tries", b->failure.text,
							     b->tries)
						 : str_dup(b->failure.text);
		else if (d->artifact.outcome == ARTIFACT_REFUSED)
			d->reason = outcome_reason(words);
		d->begin_ns = b->start_ns;
		/* The first has waited for the command, the others got it for nothing: times of
		 * builds add up to what was spent. */
		d->spent_ns = b->cached ? 0 : b->spent_ns;
		d->hopeless = hopeless;
		push(&p->done, t);
		b->cached = true;
	}
	remove_build(p, b);
}

/* Ends a build, or has it wait for its next try. A build that nobody waits for has one try. */
static void end(struct pool *p, struct build *b)
{
	if (b->tickets && b->tries > 0 && b->tries < MAX_TRIES && is_passing(p, b->failure.status))
		build_reset(b);
	else
		finish(p, b);
}

/* Starts builds while places are free; a build that cannot be started has ended. */
static void start_waiting(struct pool *p)
{
	struct build *next;

	for (struct build *b = p->builds; b && !p->paused && p->running < p->jobs; b = next) {
		next = b->next;
		/* Another try is made alone: others may have taken what it was short of. So it
		 * waits for an empty pool, and nothing starts behind it. */
		const bool again = b->tries > (build_pid(b) ? 1 : 0);
		if (again && (build_pid(b) || p->running > 0))
			return;
		if (build_pid(b))
			continue;
		/* Another process that builds the same key is waited for, since its artifact will
		 * do; but not for longer than a command may take: it may have been stopped. */
		b->locked = b->locked || cache_lock(p->cache, b->key);
		if (!b->locked && b->waiting_ns == 0)
			b->waiting_ns = clock_now_ns();
		if (!b->locked && clock_now_ns() - b->waiting_ns <= p->limit_ns)
			continue;
		/* While it waited for its place, another process may have made its artifact. */
		if (build_recall(b, p->cache) || build_start(b, p->cache, &p->servers, p->limit_ns))
			end(p, b);
		else
			p->running++;
		if (again)
			return;
	}
}

/* Reads the output of running commands, and ends builds whose command has ended. */
static void advance(struct pool *p)
{
	struct build *next;

	for (struct build *b = p->builds; b; b = next) {
		next = b->next;
		if (!build_pid(b) || !build_advance(b, p->cache, p->limit_ns))
			continue;
		/* Before its end, which may have it wait for an empty pool. */
		p->running--;
		end(p, b);
	}
}

/* ---- submitting ---- */

/* Puts a build at the place of its turn: behind builds that have started, or wait for their next
 * try; the heaviest first, then the oldest; a build that nobody waits for behind all. */
static void insert_build(struct pool *p, struct build *b)
{
	struct build **at = &p->builds;

	while (*at && (build_pid(*at) || (*at)->tries > 0 || (*at)->left < b->left ||
		       ((*at)->left == b->left && (*at)->weight >= b->weight)))
		at = &(*at)->next;
	b->next = *at;
	*at = b;
}

enum asc_status pool_submit(struct pool *p, uint64_t id, const struct builder_ops *ops,
			    struct build_request *r, struct asc_err *e)
{
	char key[HASH_TEXT_SIZE];

	if (build_key(ops, r, key, e)) {
		build_request_fini(r);
		return e->status;
	}
	struct build *b = p->builds;
	while (b && strcmp(b->key, key) != 0)
		b = b->next;
	const bool under_way = b != NULL;
	struct ticket *t = calloc(1, sizeof *t);
	if (t && !under_way)
		b = build_new(key, ops, r);
	build_request_fini(r);
	if (!t || !b) {
		free(t);
		return asc_err_nomem(e);
	}
	if (b->left) /* somebody waits for it again: its turn comes sooner */
		unlink_build(p, b);
	if (b->left || !under_way) {
		b->left = false;
		insert_build(p, b);
	}
	t->done.id = id;
	push(&b->tickets, t);
	p->pending++;
	/* A build that the cache knows is done at once, even when no place is free. */
	if (!under_way && build_recall(b, p->cache))
		finish(p, b);
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

/* Drops a submission. Returns its build if nobody waits for it any more, else NULL. */
static struct build *drop(struct pool *p, uint64_t id)
{
	struct build *b = NULL;
	bool found = drop_ticket(&p->done, id);

	for (struct build *next = p->builds; next && !found; next = next->next) {
		found = drop_ticket(&next->tickets, id);
		b = next;
	}
	p->pending -= found;
	return found && b && !b->tickets ? b : NULL;
}

void pool_cancel(struct pool *p, uint64_t id)
{
	struct build *b = drop(p, id);

	if (!b)
		return;
	p->running -= build_pid(b) != 0;
	remove_build(p, b);
}

void pool_leave(struct pool *p, uint64_t id)
{
	struct build *b = drop(p, id);

	if (!b)
		return;
	unlink_build(p, b);
	b->left = true;
	insert_build(p, b);
}

void pool_pause(struct pool *p, bool pause)
{
	if (p->paused == pause)
		return;
	p->paused = pause;
	/* Whole groups: a compiler's driver leaves the work to processes of its own. */
	for (const struct build *b = p->builds; b; b = b->next)
		if (build_pid(b))
			(void)kill(-build_pid(b), pause ? SIGSTOP : SIGCONT);
}

void pool_warm(struct pool *p, const struct builder_ops *b, const char *program, size_t most)
{
	struct build_command c;
	struct buf toolchain = {0};
	struct asc_err e;
	const char *root;

	if (!b->server)
		return;
	build_command_init(&c);
	b->server(program, &c);
	if (!build_command_check(&c, &e) && !build_server_toolchain(b, &c, &toolchain, &e) &&
	    !cache_scratch_root(p->cache, &root, &e))
		(void)compile_servers_warm(&p->servers, buf_str(&toolchain), root, &c, most, &e);
	buf_fini(&toolchain);
	build_command_fini(&c);
}

bool pool_recall(const struct pool *p, const struct builder_ops *b, const char *key,
		 struct artifact *out)
{
	const struct cache *c = p->store ? p->store : p->cache;
	struct cache_entry entry = {0};

	cache_find(c, key, b->suffix, &entry);
	bool there = entry.outcome == ARTIFACT_BUILT && state_artifact(c, b, key, &entry, out);
	cache_entry_fini(&entry);
	if (!there)
		artifact_fini(out);
	return there;
}

enum asc_status pool_keep_list(struct pool *p, const char *key, const struct buf *list,
			       struct asc_err *e)
{
	struct cache_entry entry = {.outcome = ARTIFACT_PLANNED}; /* there is no file */
	struct buf known = {0};
	enum asc_status s = ASC_OK;

	if (!pool_recall_list(p, key, &known)) {
		buf_add(&entry.metadata, buf_str(list), list->len);
		s = buf_check(&entry.metadata, e);
		if (s == ASC_OK)
			s = cache_keep(p->cache, key, "", "", &entry, e);
	}
	buf_fini(&known);
	cache_entry_fini(&entry);
	return s;
}

bool pool_recall_list(const struct pool *p, const char *key, struct buf *list)
{
	struct cache_entry entry = {0};

	cache_find(p->store ? p->store : p->cache, key, "", &entry);
	const bool there = entry.outcome == ARTIFACT_PLANNED;

	if (there)
		buf_add(list, entry.metadata.data, entry.metadata.len);
	cache_entry_fini(&entry);
	return there && !list->failed;
}

enum asc_status pool_scratch(struct pool *p, char **out, struct asc_err *e)
{
	return cache_scratch(p->cache, out, e);
}

size_t pool_pending(const struct pool *p)
{
	return p->pending;
}

size_t pool_running(const struct pool *p)
{
	size_t n = 0;

	for (const struct build *b = p->builds; b; b = b->next)
		n += !b->left;
	return n;
}

/* ---- taking ---- */

size_t pool_pollfds(const struct pool *p, struct pollfd *fds, size_t max)
{
	size_t n = 0;

	for (const struct build *b = p->builds; b; b = b->next)
		n = proc_add_pollfds(build_proc(b), fds, n, max);
	return n;
}

bool pool_take_mine(struct pool *p, pool_is_mine_fn *is_mine, const void *user,
		    struct pool_done *out)
{
	struct ticket **at = &p->done;

	/* Ends before starts: a place that has become free is taken in the same call. */
	advance(p);
	start_waiting(p);
	while (*at && is_mine && !is_mine(user, (*at)->done.id))
		at = &(*at)->next;
	struct ticket *t = *at;

	if (!t)
		return false;
	*at = t->next;
	p->pending--;
	*out = t->done;
	free(t);
	return true;
}

bool pool_take(struct pool *p, int64_t timeout_ns, struct pool_done *out)
{
	const int64_t start_ns = clock_now_ns();

	for (;;) {
		if (pool_take_mine(p, NULL, NULL, out))
			return true;
		const int64_t left_ns =
			timeout_ns < 0 ? TICK_NS : timeout_ns - (clock_now_ns() - start_ns);
		if (!p->builds || left_ns <= 0)
			return false;
		/* Waits for output or the end of a command, or until it is time to look: soon,
		 * where the end of a command whose output is closed cannot be polled. */
		const size_t n = pool_pollfds(p, p->watched, PROC_POLLFDS * p->jobs);
		struct timespec wait = {.tv_nsec = left_ns < TICK_NS ? left_ns : TICK_NS};

		for (const struct build *b = p->builds; b; b = b->next) {
			const struct proc *c = build_proc(b);

			if (c->pid && c->output < 0 && c->end < 0 && wait.tv_nsec > NAP_NS)
				wait.tv_nsec = NAP_NS;
		}
		(void)ppoll(p->watched, n, &wait, NULL);
	}
}
