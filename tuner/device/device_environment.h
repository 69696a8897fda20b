/* Surroundings that a process needs to open a device, beside what it inherits: variables of its
 * environment, and folders for its sandbox. The caller owns the storage: device_environment(),
 * device_environment_fini(). */
#ifndef ASCTUNE_DEVICE_DEVICE_ENVIRONMENT_H
#define ASCTUNE_DEVICE_DEVICE_ENVIRONMENT_H

#include <stddef.h>

#include "tuner/base/err.h"

struct device_ops;

enum { DEVICE_MAX_VARIABLES = 12, DEVICE_MAX_READS = 4 };

struct device_environment {
	char *variables[DEVICE_MAX_VARIABLES + 1]; /* "NAME=VALUE", in place of those inherited;
						      heap, NULL-terminated */
	char *reads[DEVICE_MAX_READS + 1];         /* folders; heap, NULL-terminated */
};

/* Fills *out as device_ops.environment does; empty where the device needs nothing. */
enum asc_status device_environment(const struct device_ops *ops, const char *place,
				   struct device_environment *out, struct asc_err *e);
void device_environment_fini(struct device_environment *d);

/* Runs a program in the device's environment, which answers as proc_apart_program() says. */
enum asc_status device_ask(const struct device_ops *ops, const char *place, const char *const *argv,
			   void *answer, size_t size, struct asc_err *e);

/* ---- for device_ops.environment ---- */

/* Adds a variable, whose text is printed like by printf. */
enum asc_status device_environment_set(struct device_environment *d, struct asc_err *e,
				       const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds a folder; copied. */
enum asc_status device_environment_read(struct device_environment *d, const char *folder,
					struct asc_err *e);

#endif
