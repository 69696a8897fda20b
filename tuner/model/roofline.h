/* What a device could reach at best at a problem's arithmetic intensity, and how much of that was
 * reached: the roofline model (Williams, Waterman, Patterson: "Roofline: an insightful visual
 * performance model for multicore architectures", CACM 52(4), 2009). */
#ifndef ASCTUNE_MODEL_ROOFLINE_H
#define ASCTUNE_MODEL_ROOFLINE_H

#include <stdbool.h>

struct peaks {               /* of a device, measured; 0: not known */
	double flops;        /* FLOP/s in f32, a fused multiply-add counts as two */
	double bandwidth;    /* byte/s of its memory, read and written together */
	double matrix_flops; /* FLOP/s of products of f16 or bf16 matrices, summed in f32; as flops
				where it has nothing of its own for them */
};

/* The peaks that a problem has: `halves` when its elements are f16 or bf16 (as others where those
 * are not known). */
struct peaks peaks_choose(const struct peaks *p, bool halves);

struct roofline {
	double intensity;  /* FLOP/byte */
	double attainable; /* FLOP/s: the lesser of the peak and intensity times bandwidth */
	double part;       /* of it that was reached; over 1 when the data stayed in caches */
	const char *bound; /* "compute" or "memory": by what it is limited; static */
};

/* Of work of `flops` FLOPs over `bytes` bytes that took `ns`. False, and *out zeroed, when one of
 * them or of the peaks is not known. */
bool roofline_place(const struct peaks *p, double flops, double bytes, double ns,
		    struct roofline *out);

/* Faster than memory is: the data stayed in caches, and memory is no limit. */
bool roofline_is_cached(const struct roofline *r);

#endif
