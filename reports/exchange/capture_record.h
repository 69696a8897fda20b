/* Part of reports/exchange/capture: the record of one process, whose numbers of kernels and
 * problems are its own. */
#ifndef ASCTUNE_EXCHANGE_CAPTURE_RECORD_H
#define ASCTUNE_EXCHANGE_CAPTURE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "reports/exchange/capture.h"
#include "tuner/base/symbols.h"

struct own_problem {
	int64_t number;
	size_t kernel; /* in the record's */
	struct capture_problem is;
};

struct own_kernel {
	int64_t number;
	uint32_t merged; /* its number among the kernels of all records */
	struct capture_kernel is;
};

struct record { /* of one process */
	struct capture *c;
	const struct json_node *process;
	struct own_kernel *kernels;
	size_t n_kernels, kernels_capacity;
	struct own_problem *problems;
	size_t n_problems, problems_capacity;
	struct capture_skipped *skipped;
	size_t n_skipped, skipped_capacity;
	struct symbols skips; /* keys of these */
};

/* Reads a file of records; what it names belongs to the capture. To be ended by
 * capture_record_fini() after a failure, too. */
enum asc_status capture_record_read(struct capture *c, const char *path, struct record *out,
				    struct asc_err *e);
void capture_record_fini(struct record *r);

#endif
