#include "tuner/run/tie.h"

#include <stdlib.h>
#include <string.h>

/* `sorted` has room for the samples. */
static void summarize(struct finalist *f, int64_t *sorted)
{
	memcpy(sorted, f->samples, f->rounds * sizeof *sorted);
	stats_summarize(sorted, f->rounds, &f->time);
}

/* `ratios` has room for n. */
static double find_ratio(const int64_t *a, const int64_t *b, size_t n, double *ratios,
			 struct stats_interval *interval)
{
	for (size_t i = 0; i < n; i++)
		ratios[i] = (double)a[i] / (double)(b[i] > 0 ? b[i] : 1);
	return stats_median(ratios, n, interval);
}

enum asc_status tie_ratio(const int64_t *a, const int64_t *b, size_t n, double *ratio,
			  struct stats_interval *interval, struct asc_err *e)
{
	double *ratios = malloc(n * sizeof *ratios);

	if (!ratios)
		return asc_err_nomem(e);
	*ratio = find_ratio(a, b, n, ratios, interval);
	free(ratios);
	return ASC_OK;
}

static void compare(struct finalist *f, const struct finalist *leader, double margin,
		    double *ratios)
{
	f->ratio = find_ratio(f->samples, leader->samples, f->rounds, ratios, &f->interval);
	f->leader = f == leader;
	f->tied = f->leader || (f->rounds == leader->rounds && f->interval.low <= 1 + margin);
}

static bool uses_less(const struct finalist *a, const struct finalist *b)
{
	if (a->threads != b->threads)
		return a->threads < b->threads;
	if (a->memory_bytes != b->memory_bytes)
		return a->memory_bytes < b->memory_bytes;
	return strcmp(a->key, b->key) < 0;
}

static void choose(struct finalist *list, size_t n, double margin, struct finalist *leader)
{
	struct finalist *winner = leader; /* tied with itself */

	for (size_t i = 0; i < n; i++)
		if (list[i].tied && list[i].ratio <= 1 + margin && uses_less(&list[i], winner))
			winner = &list[i];
	winner->winner = true;
}

static bool leads(const struct finalist *a, const struct finalist *b)
{
	if (a->rounds != b->rounds)
		return a->rounds > b->rounds;
	return a->time.median < b->time.median;
}

/* Both arrays have room for one value of each round. */
static void judge(struct finalist *list, size_t n, double margin, int64_t *sorted, double *ratios)
{
	struct finalist *leader = list;

	for (size_t i = 0; i < n; i++) {
		summarize(&list[i], sorted);
		leader = leads(&list[i], leader) ? &list[i] : leader;
	}
	for (size_t i = 0; i < n; i++)
		compare(&list[i], leader, margin, ratios);
	choose(list, n, margin, leader);
}

static size_t most_rounds(const struct finalist *list, size_t n)
{
	size_t most = 0;

	for (size_t i = 0; i < n; i++)
		most = list[i].rounds > most ? list[i].rounds : most;
	return most;
}

enum asc_status tie_find(struct finalist *list, size_t n, double margin, struct asc_err *e)
{
	size_t rounds = most_rounds(list, n);
	int64_t *sorted = malloc((rounds + 1) * sizeof *sorted);
	double *ratios = malloc((rounds + 1) * sizeof *ratios);
	bool room = sorted && ratios;

	if (room)
		judge(list, n, margin, sorted, ratios);
	free(sorted);
	free(ratios);
	return room ? ASC_OK : asc_err_nomem(e);
}
