#include "tuner/result/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Notes, and what they mean. */
static const struct note {
	const char *name, *text;
} BUSY = {"busy", "the peak was not measured at a quiet moment; a later run measures it again"},
  CACHES = {"caches", "more than memory gives: the data stayed in caches"},
  ABOVE_PEAK = {"above peak", "more than the measured peak: the workload may state wrong FLOPs"};

const struct peak *peaks_find(const struct peaks *p, const char *unit, const char *type)
{
	static const struct peak unknown;

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->rows[i].unit, unit) == 0 && strcmp(p->rows[i].type, type) == 0)
			return &p->rows[i];
	return &unknown;
}

struct peak *peaks_row(struct peaks *p, const char *unit, const char *type)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->rows[i].unit, unit) == 0 && strcmp(p->rows[i].type, type) == 0)
			return &p->rows[i];
	if (p->n == PEAKS_MAX)
		return NULL;
	struct peak *row = &p->rows[p->n++];
	*row = (struct peak){0};
	(void)snprintf(row->unit, sizeof row->unit, "%s", unit);
	(void)snprintf(row->type, sizeof row->type, "%s", type);
	return row;
}

double peaks_units(const struct peaks *p, const char *kind, enum dtype type)
{
	char name[sizeof p->rows->type];

	(void)snprintf(name, sizeof name, "%s%s", kind, dtype_name(type));
	return peaks_find(p, PEAK_ARITHMETIC, name)->rate;
}

double peaks_empty_ns(const struct peaks *p, int64_t threads, double kernels, double blocks)
{
	/* One thread of a CPU calls the kernel itself: there is no team to start and to wait for.
	 */
	const char *launch = threads == 1 ? PEAK_SINGLE : PEAK_LAUNCH;
	const double launches = peaks_find(p, PEAK_LAUNCHES, launch)->rate;
	const double further = peaks_find(p, PEAK_LAUNCHES, PEAK_FURTHER)->rate;
	const double each = peaks_find(p, PEAK_LAUNCHES, PEAK_BLOCK)->rate;

	if (!(launches > 0 && each > 0))
		return NAN;
	/* A CPU begins each kernel anew. */
	return 1e9 / launches + 1e9 * (kernels - 1) / (further > 0 ? further : launches) +
	       1e9 * blocks / each;
}

void peaks_add(struct peaks *p, const char *unit, const char *type, double rate, bool busy)
{
	struct peak *row = peaks_row(p, unit, type);

	if (!row || !(rate > 0))
		return;
	row->rate = fmax(row->rate, rate);
	row->low = row->low > 0 ? fmin(row->low, rate) : rate;
	row->moments += !busy; /* what other load left is no peak, but better than none */
}

void peaks_note_try(struct peaks *p, enum dtype element, int64_t now_ms)
{
	bool calm = true;

	for (size_t i = 0; i < p->n; i++)
		calm &= !(p->rows[i].rate > 0) || p->rows[i].moments >= PEAKS_MOMENTS;
	p->tries[element] = (struct peaks_try){now_ms, calm};
}

/* True while a peak that was measured is of few quiet moments, or was never looked for. */
static bool is_doubtful(const struct peaks *p, enum dtype element)
{
	const struct peak *const rows[] = {
		peaks_find(p, PEAK_ARITHMETIC, dtype_name(element)),
		peaks_find(p, PEAK_MEMORY, ""),
		peaks_find(p, PEAK_LAUNCHES, PEAK_LAUNCH),
	};
	const bool tried = p->tries[element].ms > 0;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i]->rate > 0 ? rows[i]->moments < PEAKS_ENOUGH_MOMENTS : !tried)
			return true;
	/* An earlier version kept two rows alone; a type without a unit of its own has none. */
	return !tried && !(peaks_units(p, PEAK_PLAIN, element) > 0);
}

bool peaks_due(const struct peaks *p, enum dtype element, int64_t now_ms, bool above)
{
	static const int64_t hour_ms = 3600000;
	const struct peaks_try *last = &p->tries[element];
	const bool doubtful = is_doubtful(p, element);

	if (!doubtful && !above)
		return false;
	/* A clock that was put back says nothing of how long ago that was. */
	if (last->ms == 0 || now_ms < last->ms || now_ms - last->ms >= hour_ms)
		return true;
	return doubtful && last->calm;
}

static void merge_tries(struct peaks *p, const struct peaks *other)
{
	for (size_t i = 0; i < DTYPE_COUNT; i++)
		if (p->tries[i].ms < other->tries[i].ms)
			p->tries[i] = other->tries[i];
}

/* Merges a row; one of an earlier version, of unknown accuracy, goes before any other. */
static struct peak *merge_row(struct peaks *p, const struct peak *from)
{
	struct peak *row = peaks_row(p, from->unit, from->type);

	if (!row || !(from->rate > 0) || (row->low > 0 && !(from->low > 0)))
		return NULL;
	row->rate = row->low > 0 ? fmax(row->rate, from->rate) : from->rate;
	row->low = row->low > 0 ? fmin(row->low, from->low) : from->low;
	return row;
}

void peaks_join(struct peaks *p, const struct peaks *later)
{
	for (size_t i = 0; i < later->n; i++) {
		struct peak *row = merge_row(p, &later->rows[i]);

		if (row)
			row->moments += later->rows[i].moments;
	}
	merge_tries(p, later);
}

void peaks_merge(struct peaks *p, const struct peaks *other)
{
	for (size_t i = 0; i < other->n; i++) {
		struct peak *row = merge_row(p, &other->rows[i]);

		if (row && row->moments < other->rows[i].moments)
			row->moments = other->rows[i].moments;
	}
	merge_tries(p, other);
}

struct roof peaks_roof(const struct peaks *p, enum dtype type)
{
	const struct peak *flops = peaks_find(p, PEAK_ARITHMETIC, dtype_name(type));
	const struct peak *memory = peaks_find(p, PEAK_MEMORY, "");

	return (struct roof){flops->rate, memory->rate, flops->moments == 0, memory->moments == 0};
}

static const char *find_note(const struct roof *r, bool memory, double part)
{
	if (memory ? r->bandwidth_busy : r->flops_busy)
		return BUSY.name;
	if (part <= 1)
		return NULL;
	/* Data may stay in caches, so memory's rate can be exceeded; arithmetic's cannot. */
	return memory ? CACHES.name : ABOVE_PEAK.name;
}

bool roofline_place(const struct roof *r, double flops, double bytes, double ns,
		    struct roofline *out)
{
	const double peak = r->flops, bandwidth = r->bandwidth;

	*out = (struct roofline){0};
	/* A NaN fails these comparisons and so counts as unknown. */
	if (!(peak > 0 && bandwidth > 0 && flops > 0 && bytes > 0 && ns > 0))
		return false;
	out->intensity = flops / bytes;
	/* The roof: memory limits kernels left of the ridge, arithmetic those right of it. */
	double by_memory = out->intensity * bandwidth;
	bool memory = by_memory < peak;

	out->bound = memory ? "memory" : "compute";
	out->attainable = memory ? by_memory : peak;
	out->part = 1e9 * flops / ns / out->attainable;
	out->note = find_note(r, memory, out->part);
	return true;
}

const char *roofline_explain(const char *note)
{
	const struct note *const all[] = {&BUSY, &CACHES, &ABOVE_PEAK, NULL};

	for (size_t i = 0; all[i]; i++)
		if (strcmp(note, all[i]->name) == 0)
			return all[i]->text;
	return note;
}
