/* Compares what a kernel wrote with the reference: element by element within a tolerance, exactly,
 * or as samples of one distribution.
 *
 * The caller owns a struct verify_report: verify_begin(), verify_tensor() for each output,
 * verify_end(). */
#ifndef ASCTUNE_RUN_VERIFY_H
#define ASCTUNE_RUN_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/result.h"

struct bound_tensor;
struct device_difference;
struct tensor;

/* To be raised when asctune verifies otherwise, so that what passed before is verified anew. */
enum { VERIFY_VERSION = 2 };

struct verify_report {
	struct error_norms norms; /* over all tensors; complete after verify_end() */
	double sum;               /* of |out - ref| where finite */
	int64_t counted;          /* elements compared one by one */
	bool wrong;
	/* Whether a kernel has left that element of an output alone; NULL: nobody knows. */
	bool (*is_unwritten)(void *user, const struct tensor *t, int64_t at);
	void *user;
	char reason[512]; /* of the first tensor that is wrong: its name, how many elements, which
			     is the first, both values */
};

void verify_begin(struct verify_report *r);

/* `out` has the tensor's dtype, `reference` as many doubles. Fails only for lack of memory
 * (VERIFY_DISTRIBUTION sorts copies). */
enum asc_status verify_tensor(struct verify_report *r, const struct tensor *t,
			      const struct bound_tensor *shape, const void *out,
			      const double *reference, struct asc_err *e);
/* The same for what the device has compared. */
void verify_found(struct verify_report *r, const struct tensor *t, const struct bound_tensor *shape,
		  const struct device_difference *found);
void verify_end(struct verify_report *r);

#endif
