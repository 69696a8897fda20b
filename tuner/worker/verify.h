/* Comparison of a kernel's outputs with the reference: element by element within a tolerance,
 * exactly, or as samples of one distribution.
 *
 * The caller owns a struct verify_report: verify_begin(), verify_tensor() for each output,
 * verify_end(). */
#ifndef ASCTUNE_WORKER_VERIFY_H
#define ASCTUNE_WORKER_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/result.h"

struct bound_tensor;
struct device_difference;
struct tensor;

/* Version of verification: raised when it changes, so that earlier passes are verified anew. */
enum { VERIFY_VERSION = 2 };

/* Traces of a kernel's writes in an output that is wrong. */
struct verify_traces {
	int64_t unwritten;   /* elements that it has left alone, and had to write */
	int64_t overwritten; /* elements that it has written, and had to leave alone */
};

struct verify_report {
	struct error_norms norms; /* over all tensors; complete after verify_end() */
	double sum;               /* sum of |out - ref| where finite */
	int64_t counted;          /* elements compared one by one */
	bool wrong;
	/* Finds the traces in an output; NULL: they are not known. */
	void (*find_traces)(void *user, const struct tensor *t, struct verify_traces *out);
	void *user;
	char reason[512]; /* description of the first tensor that is wrong: its name, number of
			     wrong elements, the first of them, both values */
};

void verify_begin(struct verify_report *r);

/* Compares one tensor: `out` has its dtype, `reference` as many doubles. `before`: what the output
 * held before the launch, in its dtype; needed where the reference has marks (reference_is_left),
 * else it may be NULL. Fails only for lack of memory (VERIFY_DISTRIBUTION sorts copies). */
enum asc_status verify_tensor(struct verify_report *r, const struct tensor *t,
			      const struct bound_tensor *shape, const void *out,
			      const double *reference, const void *before, struct asc_err *e);

/* Counts the marked elements of an output that are not what they were, to the bit. */
int64_t verify_count_overwritten(const struct bound_tensor *shape, const void *out,
				 const double *reference, const void *before);

/* Adds a tensor that the device has compared. */
void verify_found(struct verify_report *r, const struct tensor *t, const struct bound_tensor *shape,
		  const struct device_difference *found);
void verify_end(struct verify_report *r);

/* P(K >= lambda) of Kolmogorov's distribution: 2 * sum over j >= 1 of (-1)^(j-1) exp(-2 j^2
 * lambda^2) (Kolmogorov 1933). */
double ks_tail(double lambda);

#endif
