/* Faults of a workload's file, gathered while its readers and checks go on behind them. */
#ifndef ASCTUNE_WORKLOAD_WORKLOAD_FAULTS_H
#define ASCTUNE_WORKLOAD_WORKLOAD_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"

/* A line each; one that several problems have once. Zeroed, then workload_faults_fini(). */
struct workload_faults {
	struct buf lines;
	size_t n;
};

void workload_faults_fini(struct workload_faults *f);

/* Notes a fault of the input. False for another failure, or when memory has run out: nothing can go
 * on behind those. */
bool workload_faults_note(struct workload_faults *f, const struct asc_err *fault);

#endif
