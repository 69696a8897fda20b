/* The families of known devices. Private to tuner/workload/limits/limits*.c. */
#ifndef ASCTUNE_WORKLOAD_LIMITS_LIMITS_MODELS_H
#define ASCTUNE_WORKLOAD_LIMITS_LIMITS_MODELS_H

#include "tuner/workload/limits/limits.h"

/* One family: its models by number. fill() is given i < n and zeroed storage. */
struct limits_family {
	size_t n;
	void (*fill)(size_t i, struct limits *out);
};

extern const struct limits_family limits_ascend, limits_cuda, limits_superscalar;

/* Byte-addressed when `unit_bytes` is 1. */
void limits_add_space(struct limits *l, const char *name, int64_t bytes, int64_t unit_bytes,
		      int64_t align);

#endif
