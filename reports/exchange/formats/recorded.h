/* Recorded results of the configurations of a space, from one file: what a search is replayed on.
 *
 * The owner frees it with recorded_close(). It never changes, and may be read by several threads.
 * Times are nanoseconds. */
#ifndef ASCTUNE_EXCHANGE_FORMATS_RECORDED_H
#define ASCTUNE_EXCHANGE_FORMATS_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"

struct space;

struct recorded {
	char *name;          /* name of the file, without folder and endings */
	struct space *space; /* the configurations of the file; NULL: of several */
	size_t n;         /* number of configurations; the lists below are by the space's index */
	double *time_ns;  /* time of a kernel; NaN: the configuration failed */
	double *spent_ns; /* time of the evaluation */
	enum result_status *status;
	uint64_t default_index; /* index of the default configuration */
	bool has_default;       /* the file states it */
	double *sorted_ns;      /* times of those that passed, ascending */
	size_t n_valid;
	double configurations, combinations; /* of the whole space, as in struct t4_subject */
};

/* Reads the T4 file or cache file of Kernel Tuner at `path`, gzip or not. ASC_INPUT, with the path,
 * for results without one time, without any time of evaluation, of another objective, with two
 * results of one configuration, or with values of one parameter that are not of one type. */
enum asc_status recorded_open(const char *path, struct recorded **out, struct asc_err *e);
void recorded_close(struct recorded *r);

/* Joins the results of several files, as of one space without structure: the lists of the first
 * file, then those of the next. */
enum asc_status recorded_join(const struct recorded *const *list, size_t n, struct recorded **out,
			      struct asc_err *e);

#endif
