#include "tuner/device/libs/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"

void work_set_name(struct work *w, const char *name)
{
	name = name ? name : "";
	w->digest = hash_bytes(name, strlen(name));
	(void)snprintf(w->name, sizeof w->name, "%s", name);
}

/* Name of what a record is of, for messages. */
static const char *name_of(const struct work *w)
{
	return w->kind == WORK_KERNEL ? w->name : w->kind == WORK_COPY ? "a copy" : "a fill";
}

ptrdiff_t work_find_first_fill(const struct work *list, size_t n)
{
	ptrdiff_t first = WORK_ALL;

	for (size_t i = 0; i < n; i++)
		if (list[i].kind == WORK_FILL &&
		    (first == WORK_ALL || list[i].correlation < list[first].correlation))
			first = (ptrdiff_t)i;
	return first;
}

enum asc_status work_add_up(const struct work *list, size_t n, ptrdiff_t without,
			    struct work_sum *out, struct asc_err *e)
{
	uint64_t start = UINT64_MAX, end = 0, sum = 0;
	size_t added = 0;

	for (size_t i = 0; i < n; i++) {
		const struct work *w = &list[i];

		if ((ptrdiff_t)i == without)
			continue;
		added++;
		/* A time of 0 would make the launch the fastest of all. */
		if (w->end == 0)
			return asc_err_set(e, ASC_IO, "the profiler did not time %s", name_of(w));
		if (w->end < w->start)
			return asc_err_set(e, ASC_IO,
					   "the profiler timed %s from %" PRIu64 " ns to %" PRIu64
					   " ns",
					   name_of(w), w->start, w->end);
		start = w->start < start ? w->start : start;
		end = w->end > end ? w->end : end;
		sum += w->end - w->start;
	}
	if (added == 0 || end - start > INT64_MAX || sum > INT64_MAX)
		return asc_err_set(e, ASC_IO,
				   "the profiler timed %zu pieces of work from %" PRIu64
				   " ns to %" PRIu64 " ns",
				   added, start, end);
	*out = (struct work_sum){added, start, (int64_t)(end - start), (int64_t)sum};
	return ASC_OK;
}

/* ---- comparison ---- */

/* Order of what counts as the same work: 0 for that. */
static int compare(const void *a, const void *b)
{
	const struct work *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->digest != y->digest)
		return x->digest < y->digest ? -1 : 1;
	for (size_t i = 0; i < 3; i++)
		if (x->grid[i] != y->grid[i])
			return x->grid[i] < y->grid[i] ? -1 : 1;
	return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* Number of records at the begin of a sorted list that are the same work. */
static size_t count_alike(const struct work *list, size_t n)
{
	size_t k = n > 0;

	while (k < n && compare(&list[0], &list[k]) == 0)
		k++;
	return k;
}

enum { WORDS = 160 };

static const char *describe(const struct work *w, char text[WORDS])
{
	if (w->kind != WORK_KERNEL)
		(void)snprintf(text, WORDS, "%s of %" PRIu64 " bytes",
			       w->kind == WORK_COPY ? "copies" : "fills", w->bytes);
	else if (w->grid[0] > 0)
		(void)snprintf(text, WORDS, "kernel %s (grid %ux%ux%u)", w->name, w->grid[0],
			       w->grid[1], w->grid[2]);
	else
		(void)snprintf(text, WORDS, "kernel %s", w->name);
	return text;
}

bool work_differs(struct work *now, size_t n_now, struct work *before, size_t n_before, char *text,
		  size_t size)
{
	char what[WORDS];

	if (n_now > 0)
		qsort(now, n_now, sizeof *now, compare);
	if (n_before > 0)
		qsort(before, n_before, sizeof *before, compare);
	while (n_now > 0 || n_before > 0) {
		/* The work that comes first in either list. */
		const struct work *first =
			n_before == 0 || (n_now > 0 && compare(now, before) <= 0) ? now : before;
		const size_t a =
			n_now > 0 && compare(first, now) == 0 ? count_alike(now, n_now) : 0;
		const size_t b = n_before > 0 && compare(first, before) == 0
					 ? count_alike(before, n_before)
					 : 0;

		if (a != b) {
			if (text)
				(void)snprintf(text, size, "%s: %zu instead of %zu",
					       describe(first, what), a, b);
			return true;
		}
		now += a;
		n_now -= a;
		before += b;
		n_before -= b;
	}
	return false;
}

void work_print(const struct work *list, size_t n, char *text, size_t size)
{
	static const char more[] = "; 18446744073709551615 more";
	char what[WORDS], times[32];
	size_t at = 0, len = 0;

	*text = '\0';
	for (size_t k; at < n; at += k) {
		k = count_alike(&list[at], n - at);
		*times = '\0';
		if (k > 1)
			(void)snprintf(times, sizeof times, " %zu times", k);
		describe(&list[at], what);
		/* Room for the number of those that are left out, whatever follows. */
		if (len + strlen("; ") + strlen(what) + strlen(times) + sizeof more > size)
			break;
		len += (size_t)snprintf(text + len, size - len, "%s%s%s", len > 0 ? "; " : "", what,
					times);
	}
	if (at < n)
		(void)snprintf(text + len, size - len, "%s%zu more", len > 0 ? "; " : "", n - at);
}

enum asc_status work_history_add(struct work_history *h, const struct work *list, size_t n,
				 bool *warm, struct asc_err *e)
{
	struct work *copy = malloc((n + 1) * sizeof *copy);

	*warm = false;
	if (!copy)
		return asc_err_nomem(e);
	if (n > 0)
		memcpy(copy, list, n * sizeof *copy);
	const bool differs = h->launches > 0 &&
			     work_differs(copy, n, h->last, h->n, h->differs, sizeof h->differs);

	h->alike = differs ? 1 : h->alike + 1;
	h->launches++;
	free(h->last);
	h->last = copy;
	h->n = n;
	*warm = h->alike >= WORK_WARM;
	return ASC_OK;
}

void work_history_fini(struct work_history *h)
{
	free(h->last);
	*h = (struct work_history){0};
}
