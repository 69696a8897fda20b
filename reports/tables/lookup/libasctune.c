/* libasctune: tables that are replaced while they are asked.
 *
 * A question counts itself among the readers of its thread's shard, takes the current table, and
 * leaves the shard when it has its answer. A thread that replaces the table waits afterwards until
 * it has seen each shard without readers once: then no question holds the old table, which is
 * freed.
 *
 * A child of fork() has only the thread that forked. Other threads of the parent may have been
 * reading or replacing at that moment, and no thread of the child ends that: the child resets it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "reports/tables/lookup/asctune.h"
#include "reports/tables/lookup/lookup.h"
#include "tuner/base/buf.h"
#include "tuner/base/err.h"

enum {
	SHARDS = 64,      /* of readers: threads share one only beyond 64 */
	CACHE_LINE = 64,  /* shards in one line would slow each other down */
	CHECK_SECONDS = 1 /* a look at the file takes a microsecond: nothing, once a second */
};

struct shard {
	_Alignas(CACHE_LINE) atomic_uint readers;
};

struct file_stamp {
	dev_t device;
	ino_t file;
	off_t bytes;
	struct timespec modified;
};

struct file_id { /* of what was read, so that a replacement is seen */
	struct file_stamp table;
	struct file_stamp log; /* of a database: its write-ahead log */
};

struct asctune_table {
	struct shard shards[SHARDS];
	_Alignas(CACHE_LINE) _Atomic(struct lookup *) current;
	atomic_llong next_check; /* seconds of the coarse clock; INT64_MAX: never */
	atomic_bool stale;
	struct asctune_table *next; /* of the open ones, under `open_lock` */
	pthread_mutex_t replacing;
	bool simulated;
	char *path, *log_path; /* log_path: of a database's log; the rest is changed by who holds
				  `replacing` */
	struct file_id seen;   /* the file that was read, or could not be */
	char error[sizeof((struct asc_err *)0)->text];
};

/* Cuts what is longer; NULL is "". */
static void copy_text(char *to, size_t size, const char *text)
{
	const size_t len = text ? strlen(text) : 0;

	if (size == 0)
		return;
	const size_t n = len < size ? len : size - 1;
	memcpy(to, text ? text : "", n);
	to[n] = '\0';
}

/* ---- the file ---- */

static long long now_seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec;
}

static bool is_unchanged(const struct file_stamp *a, const struct file_stamp *b)
{
	return a->device == b->device && a->file == b->file && a->bytes == b->bytes &&
	       a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec;
}

/* Stamp of a file; zeros for one that is not there. */
static struct file_stamp stamp(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return (struct file_stamp){0};
	return (struct file_stamp){st.st_dev, st.st_ino, st.st_size, st.st_mtim};
}

static struct file_id identify(const struct asctune_table *t)
{
	return (struct file_id){stamp(t->path), stamp(t->log_path)};
}

/* ---- replacing ---- */

/* True for a failure that only another file can end. */
static bool is_lasting(enum asc_status status)
{
	return status == ASC_INPUT || status == ASC_NEWER || status == ASC_NOTFOUND;
}

/* Reads the file and replaces the table, or says in t->error why not; or why a row of it makes no
 * rule. Under `replacing`. */
static enum asc_status replace(struct asctune_table *t)
{
	struct lookup *fresh = NULL;
	struct asc_err e = {ASC_OK, ""};

	/* Before reading: a file that is written meanwhile is another one at the next look. */
	t->seen = identify(t);
	const enum asc_status status = lookup_read(t->path, t->simulated, &fresh, &e);

	if (status == ASC_OK && lookup_left_out(fresh))
		e = *lookup_left_out(fresh);
	copy_text(t->error, sizeof t->error, e.text);
	if (status == ASC_OK) {
		struct lookup *old = atomic_exchange(&t->current, fresh);

		/* A thread that comes later takes the new table: each shard needs to be empty only
		 * once. */
		for (size_t i = 0; i < SHARDS; i++)
			while (atomic_load(&t->shards[i].readers) > 0)
				sched_yield();
		lookup_free(old);
	}
	if (status && !is_lasting(status))
		t->seen = (struct file_id){0}; /* looked at again */
	atomic_store(&t->stale, status != ASC_OK);
	return status;
}

/* One thread a second looks at the file; the others go on with what is there. */
static void check_file(struct asctune_table *t)
{
	long long due = atomic_load_explicit(&t->next_check, memory_order_relaxed);
	const long long now = now_seconds();

	if (now < due || !atomic_compare_exchange_strong(&t->next_check, &due, now + CHECK_SECONDS))
		return;
	/* Another thread replaces the table: this one need not wait for it. */
	if (pthread_mutex_trylock(&t->replacing) != 0)
		return;
	const struct file_id there = identify(t);

	if (!is_unchanged(&there.table, &t->seen.table) || !is_unchanged(&there.log, &t->seen.log))
		(void)replace(t);
	(void)pthread_mutex_unlock(&t->replacing);
}

static enum asctune_status status_of(enum asc_status s)
{
	if (s == ASC_OK)
		return ASCTUNE_OK;
	return s == ASC_NOMEM ? ASCTUNE_NO_MEMORY : ASCTUNE_BAD_FILE;
}

enum asctune_status asctune_reload(struct asctune_table *t, char *error, size_t size)
{
	(void)pthread_mutex_lock(&t->replacing);
	const enum asc_status status = replace(t);

	copy_text(error, size, t->error);
	(void)pthread_mutex_unlock(&t->replacing);
	return status_of(status);
}

void asctune_error(struct asctune_table *t, char *text, size_t size)
{
	(void)pthread_mutex_lock(&t->replacing);
	copy_text(text, size, t->error);
	(void)pthread_mutex_unlock(&t->replacing);
}

/* ---- fork() ---- */

static struct asctune_table *open_tables;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	(void)pthread_mutex_lock(&open_lock);
}

static void after_fork(void)
{
	(void)pthread_mutex_unlock(&open_lock);
}

/* In the child: the threads that were counted as readers, or that replaced a table, are not here.
 * A replacement that was under way is begun anew by the next question that looks at the file. */
static void in_child(void)
{
	for (struct asctune_table *t = open_tables; t; t = t->next) {
		for (size_t i = 0; i < SHARDS; i++)
			atomic_store(&t->shards[i].readers, 0);
		if (pthread_mutex_trylock(&t->replacing) == 0) {
			(void)pthread_mutex_unlock(&t->replacing);
			continue;
		}
		(void)pthread_mutex_init(&t->replacing, NULL);
		t->seen = (struct file_id){0};
		t->error[0] = '\0';
	}
	after_fork();
}

static void watch_forks(void)
{
	(void)pthread_atfork(before_fork, after_fork, in_child);
}

static void enlist(struct asctune_table *t)
{
	(void)pthread_once(&fork_once, watch_forks);
	(void)pthread_mutex_lock(&open_lock);
	t->next = open_tables;
	open_tables = t;
	(void)pthread_mutex_unlock(&open_lock);
}

static void delist(const struct asctune_table *t)
{
	struct asctune_table **at = &open_tables;

	(void)pthread_mutex_lock(&open_lock);
	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	(void)pthread_mutex_unlock(&open_lock);
}

/* ---- opening and closing ---- */

void asctune_close(struct asctune_table *t)
{
	if (!t)
		return;
	delist(t);
	lookup_free(atomic_load(&t->current));
	(void)pthread_mutex_destroy(&t->replacing);
	free(t->path);
	free(t->log_path);
	free(t);
}

enum asctune_status asctune_open(const char *path, unsigned flags, struct asctune_table **out,
				 char *error, size_t size)
{
	struct asctune_table *t = aligned_alloc(CACHE_LINE, sizeof *t);

	*out = NULL;
	copy_text(error, size, asc_status_text(ASC_NOMEM)); /* until asctune_reload() says more */
	if (!t)
		return ASCTUNE_NO_MEMORY;
	memset(t, 0, sizeof *t);
	t->path = str_dup(path);
	t->log_path = str_print("%s-wal", path);
	if (!t->path || !t->log_path || pthread_mutex_init(&t->replacing, NULL) != 0) {
		free(t->path);
		free(t->log_path);
		free(t);
		return ASCTUNE_NO_MEMORY;
	}
	enlist(t);
	t->simulated = flags & ASCTUNE_SIMULATED;
	t->next_check = flags & ASCTUNE_KEEP ? INT64_MAX : now_seconds() + CHECK_SECONDS;
	const enum asctune_status status = asctune_reload(t, error, size);

	if (status == ASCTUNE_OK)
		*out = t;
	else
		asctune_close(t);
	return status;
}

/* ---- asking ---- */

static struct shard *own_shard(struct asctune_table *t)
{
	static atomic_uint threads;
	static _Thread_local unsigned own; /* number of the thread, from 1 on */

	if (own == 0)
		own = atomic_fetch_add(&threads, 1) + 1;
	return &t->shards[own % SHARDS];
}

enum asctune_found asctune_ask(struct asctune_table *t, const struct asctune_question *q,
			       struct asctune_answer *answer)
{
	check_file(t);
	struct shard *s = own_shard(t);

	/* Counted before the table is taken, so that nobody frees it in between. */
	atomic_fetch_add(&s->readers, 1);
	const struct lookup_answer found = lookup_ask_again(atomic_load(&t->current), q);

	answer->found = found.found;
	answer->index = found.index;
	answer->default_index = found.default_index;
	answer->time_ns = found.time_ns;
	answer->default_ns = found.default_ns;
	/* Texts are the table's, which may be freed once the shard is left. */
	copy_text(answer->implementation, sizeof answer->implementation, found.implementation);
	copy_text(answer->config, sizeof answer->config, found.config);
	atomic_fetch_sub(&s->readers, 1);
	answer->stale = atomic_load_explicit(&t->stale, memory_order_relaxed);
	return answer->found;
}

void asctune_explain(struct asctune_table *t, const struct asctune_question *q, char *text,
		     size_t size)
{
	struct shard *s = own_shard(t);
	struct buf out = {0};

	atomic_fetch_add(&s->readers, 1);
	lookup_explain(atomic_load(&t->current), q, &out);
	atomic_fetch_sub(&s->readers, 1);
	copy_text(text, size, buf_str(&out));
	buf_fini(&out);
}
