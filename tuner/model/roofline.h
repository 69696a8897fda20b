/* What a device could reach at best at a problem's arithmetic intensity, and how much of that was
 * reached: the roofline model (Williams, Waterman, Patterson: "Roofline: an insightful visual
 * performance model for multicore architectures", CACM 52(4), 2009). */
#ifndef ASCTUNE_MODEL_ROOFLINE_H
#define ASCTUNE_MODEL_ROOFLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/model/dtype.h"

struct peak {            /* a rate as it was measured, at several moments */
	double rate;     /* of the best moment; 0: not known */
	double low;      /* of the worst one; 0: not known */
	int64_t moments; /* 0: not known, of a rate recorded by an earlier version */
};

/* Of a device. */
struct peaks {
	enum dtype type; /* of the numbers that are multiplied */
	struct peak
		arithmetic; /* FLOP/s, a multiply-add counts as two; 0: not known of this type */
	struct peak memory; /* byte/s of its memory, read and written together */
};

/* Takes one more moment into the peak. */
void peak_add(struct peak *p, double rate);

/* Takes what was measured later, if anything was: the higher rate stands. */
void peak_join(struct peak *p, const struct peak *later);

struct roofline {
	double intensity;  /* FLOP/byte */
	double attainable; /* FLOP/s: the lesser of the peak and intensity times bandwidth */
	double part;       /* of it that was reached; over 1 when the data stayed in caches */
	const char *bound; /* "compute" or "memory": by what it is limited; static */
};

/* Of work of `flops` FLOPs over `bytes` bytes that took `ns`. False, and *out zeroed, when one of
 * them or of the peaks is not known, or when the peak of arithmetic is exceeded. */
bool roofline_place(const struct peaks *p, double flops, double bytes, double ns,
		    struct roofline *out);

/* More FLOP/s than the processor is said to have, by more than such peaks are measured to (5 %):
 * the peak, or the workload's count of FLOPs, is wrong. Within that it counts as all of it. */
bool roofline_is_exceeded(const struct peaks *p, double flops, double ns);

/* Faster than memory is: the data stayed in caches, and memory is no limit. */
bool roofline_is_cached(const struct roofline *r);

#endif
