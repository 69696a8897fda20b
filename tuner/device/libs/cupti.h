/* Begin and end of kernels on a GPU: CUPTI's activity records. libcupti is opened at run time;
 * where the process has loaded one, as PyTorch does, it is that one: two would know nothing of each
 * other, and the device has one profiler.
 *
 * CUPTI has one state in a process, and so has this module: records of all kernels of the process
 * are collected from cupti_start() to cupti_leave(). */
#ifndef ASCTUNE_DEVICE_LIBS_CUPTI_H
#define ASCTUNE_DEVICE_LIBS_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct work;

struct cupti_kernel { /* times in ns; both 0: the kernel was not timed */
	uint64_t start, end;
	uint32_t correlation; /* number of the launch: rises in the order of launches */
};

/* Reads a record of the kind of kernels (cupti_abi.h). */
void cupti_kernel_parse(const void *record, struct cupti_kernel *out);

/* Time from the start of the first of `n` > 0 kernels to the end of the last, in ns. ASC_IO when
 * one was not timed, or ends before it starts. */
enum asc_status cupti_find_span(const struct cupti_kernel *kernels, size_t n, int64_t *ns,
				struct asc_err *e);

/* Checks that the library is here, in a version whose records are known (CUDA 12.4 to 13); `reason`
 * says why not. */
bool cupti_check(char *reason, size_t size);

/* Begins to collect records; a second call does nothing. ASC_ABSENT when CUPTI refuses since
 * another profiler is at work. */
enum asc_status cupti_start(struct asc_err *e);

/* Takes CUPTI out of the process, until cupti_start(); what was collected stays. Called when
 * nothing runs, and no counters are read. ASC_ABSENT, and all stays, with a library before
 * CUDA 12.6. With its records merely off, a launch takes the host half as long again (PyTorch's
 * softmax at 16 tokens on an H200, CUDA 13: 8.4 us in place of 5.6); the way out and back takes 15
 * ms. */
enum asc_status cupti_leave(struct asc_err *e);

/* Leaves off collecting while `pause`, and goes on; nothing where it was not begun, or has left. On
 * Hopper the times of kernels are taken by instructions added to them, which counters would count.
 */
enum asc_status cupti_pause(bool pause, struct asc_err *e);

/* Takes the records of kernels that have ended since the last call, in the order of their launches:
 * of all, or of `expected` at least where so many have ended, so that the next launch is a quicker
 * one. *records is borrowed until the next call. Called when nothing runs, and no work is watched.
 */
enum asc_status cupti_take(size_t expected, const struct cupti_kernel **records, size_t *n,
			   struct asc_err *e);

#define CUPTI_ALL SIZE_MAX /* however many there are */

/* Reads a record of a kernel, a copy or a fill; false: it is of another kind. */
bool cupti_work_parse(const void *record, struct work *out);

/* Watches all work from here on, copies and fills beside kernels; what was collected before is
 * dropped. Called when nothing runs, as cupti_watched(), which ends it and hands out what has ended
 * since: borrowed until the next call. cupti_start() precedes them. */
enum asc_status cupti_watch(struct asc_err *e);
enum asc_status cupti_watched(const struct work **list, size_t *n, struct asc_err *e);

/* Path of another copy of CUPTI in this process than the first that was loaded; NULL: there is
 * none. Two know nothing of each other. */
const char *cupti_find_second(void);

#endif
