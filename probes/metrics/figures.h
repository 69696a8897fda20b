/* The figures of one launch by the names of a book: readings of probes, times, what the problem
 * needs, the device's peaks, the launch's grid, its code. Formulas of the book are worked out over
 * them, and its rules find what limits the launch.
 *
 * A heap object; the book is borrowed. */
#ifndef ASCTUNE_PROBES_METRICS_FIGURES_H
#define ASCTUNE_PROBES_METRICS_FIGURES_H

#include <stddef.h>

#include "probes/metrics/metric_book.h"
#include "tuner/base/err.h"
#include "tuner/result/profile.h"

struct figures;

enum asc_status figures_new(const struct metric_book *b, struct figures **out, struct asc_err *e);
void figures_free(struct figures *f);

/* Puts a figure; a later one of the same name replaces it. NaN: it is not known. A name that
 * nothing in the book uses is passed over. */
void figures_put(struct figures *f, const char *name, double value);

/* Puts readings of the whole launch. */
void figures_put_readings(struct figures *f, const struct metric *list, size_t n);

/* The value; NaN: it is not known. */
double figures_get(const struct figures *f, const char *name);

/* Works out every formula of the book whose names are known, and adds these metrics to the
 * readings of `out`, for each kernel that has readings too; and for formulas of `set` (NULL: none
 * was asked for) that have no value the reason. */
enum asc_status figures_derive(struct figures *f, const struct metric_set *set, struct result *out,
			       struct asc_err *e);

/* Finds what limits the launch: the first rule of the book for that kind of device whose names are
 * all known and whose condition holds. Sets label, basis, sentence and left of *p. */
enum asc_status figures_judge(const struct figures *f, const char *device, struct profile *p,
			      struct asc_err *e);

#endif
