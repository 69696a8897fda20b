/* Harm that a kernel has done to the memory of its problem. */
#ifndef ASCTUNE_WORKER_HARM_H
#define ASCTUNE_WORKER_HARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct device_buffer;
struct worker_problem;

/* Stray writes of a kernel. The names are those of tensors; NULL: no such write. */
struct harm {
	const char *damaged;   /* tensor with a write just outside of its buffer */
	int64_t stray;         /* distance of that write, as device_ops.find_stray; 0: not known */
	const char *between;   /* tensor with a write between its elements, */
	int64_t within;        /* so many bytes from the first of them */
	const char *changed;   /* input that was written to */
	const char *falsified; /* output with a write to the device's copy of its reference, or
				  beside that */
	bool variables;        /* a write to the device's copy of what variables begin with */
	int scratch;           /* index of the own buffer with a write outside of it; -1: none */
};

/* Finds stray writes: at and between tensors, at copies of references, and at the `own` buffers of
 * a configuration, of which there are at most HARM_MAX_OWN; entries may be NULL. */
enum { HARM_MAX_OWN = 4096 };
enum asc_status harm_find(const struct worker_problem *p, struct device_buffer *const *own,
			  size_t n_own, struct harm *out, struct asc_err *e);

#endif
