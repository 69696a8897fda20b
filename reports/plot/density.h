/* How values are distributed: a smooth density of their logarithms, and the figures of a box. */
#ifndef ASCTUNE_PLOT_DENSITY_H
#define ASCTUNE_PLOT_DENSITY_H

#include <stddef.h>

#include "tuner/base/err.h"

enum { DENSITY_POINTS = 64 };

struct density {
	double at[DENSITY_POINTS];     /* values, rising */
	double height[DENSITY_POINTS]; /* 1 where they are densest */
	double q1, median, q3;         /* quartiles, by linear interpolation */
	double low, high; /* the last values within 1.5 quartile distances of the box (Tukey,
			     "Exploratory Data Analysis", 1977) */
	size_t n;         /* values that are finite and above 0; the others do not count */
};

/* Gaussian kernels; their width by Silverman's rule of thumb ("Density Estimation", 1986, 3.31). */
enum asc_status density_find(const double *values, size_t n, struct density *out,
			     struct asc_err *e);

#endif
