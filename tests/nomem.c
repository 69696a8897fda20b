#include "tests/nomem.h"

#include <errno.h>
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

enum { NEVER = -1 };

static atomic_long countdown = NEVER; /* allocations until one fails */
static atomic_bool failed;
static uint64_t given; /* digest of what the job gave; 0: nothing */

static bool fails(void)
{
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

/* Fails all of the first `first_n` allocations, then one in `apart`. */
static void exhaust(const char *name, nomem_job *job, long first_n, long apart)
{
	enum { MOST = 200000 };
	struct asc_err e = {0};
	long n = 0, wrong = 0, tried = 0, succeeded = 0, differ = 0;
	uint64_t first = 0; /* what the first success gave */
	enum asc_status status;

	do {
		status = run(job, n, &e);
		wrong += status != ASC_OK && status != ASC_NOMEM;
		if (status != ASC_OK && status != ASC_NOMEM)
			tap_note("%s, allocation %ld: %s", name, n + 1, e.text);
		if (status == ASC_OK && succeeded++ == 0)
			first = given;
		differ += status == ASC_OK && given != first;
		if (status == ASC_OK && given != first)
			tap_note("%s, allocation %ld: gives something else", name, n + 1);
		n += n < first_n ? 1 : apart;
		tried++;
	} while (n < MOST && nomem_has_failed());
	tap_int(wrong, 0, "%s: each of %ld failures is reported as out of memory", name, tried - 1);
	tap_int(differ, 0, "%s: each of %ld successes gives the same", name, succeeded);
	tap_ok(tried > 1 && status == ASC_OK, "%s: succeeds when nothing fails", name);
}

void nomem_exhaust(const char *name, nomem_job *job)
{
	enum { FIRST = 2500, APART = 17 };

	exhaust(name, job, FIRST, APART);
}

void nomem_sample(const char *name, nomem_job *job, long apart)
{
	exhaust(name, job, 0, apart);
}
