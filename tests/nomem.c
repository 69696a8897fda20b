#include "tests/nomem.h"

#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/hash.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t alignment, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t alignment, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);

enum { NEVER = -1, MOST = 200000 /* allocations */, FRAMES = 64 };

static atomic_long countdown = NEVER; /* allocations until one fails */
static atomic_bool failed;
static uint64_t given; /* digest of what the job gave; 0: nothing */

/* Allocations of a job that is recorded. */
static atomic_bool recording;
static atomic_size_t n_calls;
static struct call {
	uint64_t stack; /* digest of the return addresses */
	long number;
} calls[MOST];

/* backtrace() may allocate itself, but not through these functions. */
static void record(void)
{
	const size_t at = atomic_fetch_add(&n_calls, 1);
	void *frames[FRAMES];

	if (at >= MOST)
		return;
	const int n = backtrace(frames, FRAMES);

	calls[at] = (struct call){hash_bytes(frames, (size_t)n * sizeof *frames), (long)at};
}

static bool fails(void)
{
	if (atomic_load(&recording))
		record();
	if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) != 0)
		return false;
	atomic_store(&failed, true);
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t alignment, size_t n)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, n);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n)
{
	return fails() ? NULL : __real_strndup(text, n);
}

bool nomem_has_failed(void)
{
	return atomic_load(&failed);
}

void nomem_give(const char *output)
{
	given = hash_bytes(output, strlen(output));
}

/* Runs a job whose n-th allocation fails, from 0 on. */
static enum asc_status run(nomem_job *job, long n, struct asc_err *e)
{
	given = 0;
	atomic_store(&failed, false);
	atomic_store(&countdown, n);
	const enum asc_status status = job(e);

	atomic_store(&countdown, NEVER);
	return status;
}

/* ---- which allocations fail ---- */

struct tries { /* of one job */
	const char *name;
	nomem_job *job;
	long n, wrong, succeeded, differ;
	uint64_t first; /* what the first success gave */
	enum asc_status status;
};

/* Tries the job with one failure; false: it made fewer allocations. */
static bool try_one(struct tries *t, long n)
{
	struct asc_err e = {0};
	const enum asc_status status = run(t->job, n, &e);

	t->n++;
	t->status = status;
	if (status == ASC_OK && t->succeeded++ == 0)
		t->first = given;
	if (status == ASC_OK && given != t->first) {
		t->differ++;
		tap_note("%s, allocation %ld: gives something else", t->name, n + 1);
	} else if (status != ASC_OK && status != ASC_NOMEM) {
		t->wrong++;
		tap_note("%s, allocation %ld: %s", t->name, n + 1, e.text);
	}
	return nomem_has_failed();
}

static void report(const struct tries *t)
{
	tap_int(t->wrong, 0, "%s: each of %ld failures is reported as out of memory", t->name,
		t->n - 1);
	tap_int(t->differ, 0, "%s: each of %ld successes gives the same", t->name, t->succeeded);
	tap_ok(t->n > 1 && t->status == ASC_OK, "%s: succeeds when nothing fails", t->name);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Fails the first and the last allocation of each call stack: with nothing of its kind made, and
 * with all else. Those before `from` have failed already. */
static void try_stacks(struct tries *t, long from)
{
	struct asc_err e;

	n_calls = 0;
	atomic_store(&recording, true);
	(void)run(t->job, NEVER, &e);
	atomic_store(&recording, false);
	const size_t n = n_calls < MOST ? n_calls : MOST;

	tap_ok(n_calls <= MOST, "%s: all of its %zu allocations are recorded", t->name, n_calls);

	qsort(calls, n, sizeof *calls, compare_calls);
	for (size_t i = 0; i < n; i++) {
		const bool first = i == 0 || calls[i - 1].stack != calls[i].stack;
		const bool last = i + 1 == n || calls[i + 1].stack != calls[i].stack;

		if ((first || last) && calls[i].number >= from)
			(void)try_one(t, calls[i].number);
	}
}

void nomem_exhaust(const char *name, nomem_job *job)
{
	enum { ALL = 2500 };
	struct tries t = {.name = name, .job = job};
	long n = 0;

	while (n < ALL && try_one(&t, n))
		n++;
	if (n == ALL) {
		try_stacks(&t, ALL);
		(void)try_one(&t, NEVER);
	}
	report(&t);
}

void nomem_sample(const char *name, nomem_job *job, long apart)
{
	struct tries t = {.name = name, .job = job};

	for (long n = 0; n < MOST && try_one(&t, n);)
		n += apart;
	report(&t);
}
