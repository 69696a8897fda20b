/* Lower bounds of what a kernel's tiles need of a memory space, fitted to a compiler's verdicts.
 *
 * A bound is the largest of a few sums; a term of a sum is a number of bytes times a product of
 * sizes of blocks. Plain data in the caller's storage. */
#ifndef ASCTUNE_WORKLOAD_LIMITS_TILE_BOUND_H
#define ASCTUNE_WORKLOAD_LIMITS_TILE_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum {
	TILE_MAX_SIZES = 6,   /* that a bound may depend on */
	TILE_MAX_TERMS = 48,  /* products to choose from */
	TILE_MAX_POINTS = 64, /* verdicts that a bound is fitted to */
	TILE_MAX_FACTORS = 3, /* of a product: axes of a tile */
	BOUND_MAX_TERMS = 3,
	BOUND_MAX_SUMS = 3,
	BOUND_MAX_EXCEPTIONS = 4
};

typedef unsigned tile_product; /* bit i: size i is a factor */

struct bound_sum {
	size_t n;
	tile_product products[BOUND_MAX_TERMS];
	double bytes[BOUND_MAX_TERMS]; /* positive */
};

struct tile_bound {
	size_t n; /* 0: no sum leaves anything out */
	struct bound_sum sums[BOUND_MAX_SUMS];
	/* Single configurations that do not fit although the sums say nothing against them; set by
	 * the owner. */
	size_t n_exceptions;
	int64_t exceptions[BOUND_MAX_EXCEPTIONS][TILE_MAX_SIZES];
};

struct tile_point {
	int64_t sizes[TILE_MAX_SIZES];
	bool fits;
};

/* Verdicts on one memory space: points that fit, and points that do not fit this space. */
struct tile_points {
	const struct tile_point *list;
	size_t n; /* at most TILE_MAX_POINTS */
	double capacity;
	double most_bytes; /* of a term with one factor: a row's or a column's numbers; 0: any */
	const tile_product *products; /* to choose from */
	size_t n_products;            /* at most TILE_MAX_TERMS */
};

double tile_product_value(tile_product p, const int64_t *sizes);
/* INFINITY for an exception. */
double tile_bound_bytes(const struct tile_bound *b, const int64_t *sizes);

/* Fits a bound: no point that fits lies above the capacity, and of those that do not as many as
 * possible do, with the fewest terms, the widest gap and round figures, the lowest where several
 * would do. */
void tile_bound_fit(const struct tile_points *p, struct tile_bound *out);

/* True for a configuration that must fit, whatever sum of the products the need is: it takes no
 * more than a mixture of points that fit. */
bool tile_bound_implies_fit(const struct tile_points *p, const int64_t *sizes);

/* True where no sum of the products separates the points once this configuration is said to fit,
 * and one does before. */
bool tile_bound_implies_refusal(const struct tile_points *p, const int64_t *sizes);

/* Appends the bound as a formula over the names of the sizes: "max(5.5 * M * N + 8 * M * K, ...)";
 * "0" where there is none. Exceptions need `too_much`, a formula: "2 * device.ub_bytes". */
void tile_bound_print(const struct tile_bound *b, const char *const *names, size_t n_sizes,
		      const char *too_much, struct buf *out);

#endif
