/* Begin and end of kernels on an Ascend NPU: MSPTI's records; libmspti is opened at run time.
 *
 * MSPTI has one state in a process, and so has this module. Launches between mspti_push() and
 * mspti_pop() belong to the number that was pushed: a launch may have several kernels, and what
 * has no number, a copy or a fill, is no launch's. Versions of CANN before 9.1 need the library in
 * LD_PRELOAD when the process starts. Unverified on hardware. */
#ifndef ASCTUNE_DEVICE_LIBS_MSPTI_H
#define ASCTUNE_DEVICE_LIBS_MSPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/libs/library.h"

struct work;

/* Symbols that libmspti.so and libms_tools_ext.so are to have. */
extern const struct library_symbol mspti_symbols[], mstx_symbols[];

struct mspti_kernel { /* times in ns of the library's own clock; both 0: not collected */
	uint64_t start, end;
	uint64_t correlation; /* of the call that launched it; 0: none */
};

struct mspti_link { /* number of the calls of one correlation */
	uint64_t correlation, number;
};

struct mspti_records { /* borrowed until the next mspti_take(); links rise by correlation */
	const struct mspti_kernel *kernels;
	const struct mspti_link *links;
	size_t n_kernels, n_links;
};

struct mspti_launch {        /* kernels of one number */
	uint64_t start, end; /* of the first and of the last of them */
	int64_t sum_ns;      /* of their times */
	size_t n_kernels;
	bool broken; /* a time of one was not collected, or makes no sense */
};

/* Begins to collect records; a second call does nothing. ASC_ABSENT, with the reason, where there
 * is no library or it refuses: another profiler is at work, or it was not preloaded. */
enum asc_status mspti_start(struct asc_err *e);
void mspti_stop(void);

/* Leaves MSPTI as it is when the process ends, like acl_abandon(). */
void mspti_abandon(void);

/* Checks that mspti_start() succeeds, and leaves it as it was; `reason` says why not. */
bool mspti_check(char *reason, size_t size);

/* Begins and ends a number. ASC_IO where the library refuses. */
enum asc_status mspti_push(uint64_t number, struct asc_err *e);
enum asc_status mspti_pop(struct asc_err *e);

/* Enables records of calls, without which some versions have none of numbers; true the first time.
 */
bool mspti_enable_calls(void);

/* Takes the records of all kernels that have ended since the last call, of none before
 * mspti_start(). Called when nothing runs.
 * Records come some time after their kernels have ended: until there are `expected` kernels of
 * calls numbered `first` or more, they are waited for, several times as long as any were late
 * before. ASC_NOMEM when a record could not be kept, ASC_IO when the library hands out what cannot
 * be read.
 */
enum asc_status mspti_take(struct mspti_records *out, uint64_t first, size_t expected,
			   struct asc_err *e);

/* Puts a fill of MSPTI_MARK_BYTES into a stream, and waits for it. */
typedef enum asc_status mspti_mark_fn(void *user, struct asc_err *e);
enum { MSPTI_MARK_BYTES = 52 }; /* no size that functions fill often; aligned to words */

/* Watches all work from here on, that of this thread under a number larger than any before: kernels
 * of all threads, and copies and fills where the library was preloaded, which their records need.
 * Then `mark` is called, whose fill marks the begin and is not handed out; else, and where `mark`
 * is NULL, kernels count from this thread's first one on, and all where it launches none. What was
 * recorded before is dropped. Nothing runs then, nor when mspti_watched() ends it and hands out
 * what there is: borrowed until the next call. Records that come late are waited for as by
 * mspti_take(); `expected` 0: unknown. mspti_start() precedes them. */
enum asc_status mspti_watch(uint64_t number, mspti_mark_fn *mark, void *user, struct asc_err *e);
enum asc_status mspti_watched(uint64_t number, size_t expected, const struct work **list, size_t *n,
			      struct asc_err *e);

/* Adds up the kernels of the launches numbered first, first + 1 and so on. */
void mspti_add_up(const struct mspti_records *r, uint64_t first, struct mspti_launch *launches,
		  size_t n);

/* Ranges of a program that the vendor's profilers show, by libms_tools_ext; nothing where it is
 * missing. One range is open at a time: a second begin ends the first. */
void mstx_begin(const char *message);
void mstx_end(void);

#endif
