/* The roofline model: the rate that is attainable at a problem's arithmetic intensity, and the
 * fraction reached (Williams, Waterman, Patterson: "Roofline: an insightful visual performance
 * model for multicore architectures", CACM 52(4), 2009). */
#ifndef ASCTUNE_RESULTS_ROOFLINE_H
#define ASCTUNE_RESULTS_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"

/* Units of peaks: arithmetic has the type of the numbers, and a multiply-add counts as two; memory,
 * read and written together, has no type. */
#define PEAK_ARITHMETIC "FLOP/s"
#define PEAK_MEMORY     "B/s"

struct peak {            /* a rate measured at several moments */
	char unit[8];    /* unit of the rate */
	char type[8];    /* name of the element type; "" for none */
	double rate;     /* rate of the best moment; 0: unknown */
	double low;      /* rate of the worst moment; 0: unknown */
	int64_t moments; /* number of moments; 0: unknown, of a rate recorded by an earlier version
			  */
};

enum { PEAKS_MAX = 8 };

/* Peaks of a device: at most one row for a unit and a type. */
struct peaks {
	struct peak rows[PEAKS_MAX];
	size_t n;
};

/* Finds the row for a unit and a type, or adds one of unknown rate. NULL: no room is left. */
struct peak *peaks_row(struct peaks *p, const char *unit, const char *type);

/* Finds the row for a unit and a type; a static row of unknown rate where there is none. */
const struct peak *peaks_find(const struct peaks *p, const char *unit, const char *type);

/* Adds one more moment to a row; a rate of 0 adds the row alone. */
void peaks_add(struct peaks *p, const char *unit, const char *type, double rate);

/* Merges peaks measured later, if there are any: of each row the higher rate stands. */
void peaks_join(struct peaks *p, const struct peaks *later);

/* The peaks that limit work in one type: FLOP/s, byte/s; 0: unknown. */
struct roof {
	double flops, bandwidth;
};

struct roof peaks_roof(const struct peaks *p, enum dtype type);

struct roofline {
	double intensity;  /* FLOP/byte */
	double attainable; /* attainable FLOP/s: the lesser of the peak and intensity times
			      bandwidth */
	double part; /* fraction of it that was reached; over 1 when the data stayed in caches */
	const char *bound; /* the limit, "compute" or "memory"; static */
};

/* Finds the roofline of `flops` FLOPs over `bytes` bytes that took `ns`. False, and *out zeroed,
 * when one of them or of the roof is unknown, or when the peak of arithmetic is exceeded. */
bool roofline_place(const struct roof *r, double flops, double bytes, double ns,
		    struct roofline *out);

/* True for more FLOP/s than the peak, beyond the accuracy of peaks (5 %): the peak, or the
 * workload's count of FLOPs, is wrong. A smaller excess counts as the peak. */
bool roofline_is_exceeded(const struct roof *r, double flops, double ns);

/* True for a rate above that of memory: the data stayed in caches, and memory is no limit. */
bool roofline_is_cached(const struct roofline *r);

/* Returns the fraction of what is attainable that all outputs give, in percent; 0: not known, or
 * the data stayed in caches. */
double roofline_part_pct(const struct roofline *r);

#endif
