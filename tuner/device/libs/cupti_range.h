/* Counters of a GPU by CUPTI's range profiler: which a kind of chip has and how many passes they
 * take, which needs neither a GPU nor a driver; and their values, kernel by kernel.
 *
 * Every kernel that is launched between cupti_ranges_begin() and _end() is a range. Each pass takes
 * the same launches, whose memory and caches are the caller's affair.
 *
 * What is refused, since it is not permitted, say, fails with ASC_ABSENT and the reason in words
 * that stand alone. A struct cupti_counters and a struct cupti_ranges are heap objects, freed by
 * their close functions; NULL is accepted. */
#ifndef ASCTUNE_DEVICE_LIBS_CUPTI_RANGE_H
#define ASCTUNE_DEVICE_LIBS_CUPTI_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct CUctx_st;
struct cupti_counters;
struct cupti_ranges;

/* Checks that the library is here, in a version whose range profiler is known (CUDA 12.6 to 13.1);
 * `reason` says why not. */
bool cupti_range_check(char *reason, size_t size);

/* ---- counters of a chip ---- */

/* Finds the names of all chips that the library knows: "GH100"; borrowed. */
enum asc_status cupti_chips(const char *const **names, size_t *n, struct asc_err *e);

/* Opens the counters of a chip. ASC_USAGE, with "did you mean" or the names of those that are
 * known, for another. */
enum asc_status cupti_counters_open(const char *chip, struct cupti_counters **out,
				    struct asc_err *e);
void cupti_counters_close(struct cupti_counters *c);

/* Checks that the chip has a counter; `c` is a struct cupti_counters. */
bool cupti_counters_has(void *c, const char *name);

/* Finds the name that is nearest to one of a counter that the chip lacks, for "did you mean";
 * false: none is near. */
bool cupti_counters_near(struct cupti_counters *c, const char *name, char *near, size_t size);

/* Chooses the counters that are collected, each of which the chip has: once for each object. The
 * names are copied and sorted, each once: *names, borrowed, is the order of the *n_names values.
 * Finds the number of passes. */
enum asc_status cupti_counters_choose(struct cupti_counters *c, const char *const *wanted, size_t n,
				      const char *const **names, size_t *n_names, size_t *passes,
				      struct asc_err *e);

/* ---- values ---- */

/* Finds the name of the chip of a device, by the driver's number. */
enum asc_status cupti_find_chip(int device, const char **name, struct asc_err *e);

/* Opens the range profiler for the context of a device, of the driver's number. It stays enabled
 * until it is closed: the first kernel that is counted then takes 0.12 s more than others. */
enum asc_status cupti_ranges_open(struct CUctx_st *context, int device, struct cupti_ranges **out,
				  struct asc_err *e);
void cupti_ranges_close(struct cupti_ranges *r);

/* Prepares to count at most `most` kernels: those beyond are lost without a word. `c` is chosen,
 * and stays until the values are read. */
enum asc_status cupti_ranges_prepare(struct cupti_ranges *r, struct cupti_counters *c, size_t most,
				     struct asc_err *e);

/* Begins and ends a pass over the launches. *complete: it was the last one; else the same launches
 * are made in another pass. */
enum asc_status cupti_ranges_begin(struct cupti_ranges *r, struct asc_err *e);
enum asc_status cupti_ranges_end(struct cupti_ranges *r, bool *complete, struct asc_err *e);

/* Finds the number of kernels that were counted. */
enum asc_status cupti_ranges_count(struct cupti_ranges *r, size_t *n, struct asc_err *e);

/* Reads the values of kernel i, in the order of the chosen names. */
enum asc_status cupti_ranges_read(struct cupti_ranges *r, size_t i, double *values,
				  struct asc_err *e);

#endif
