/* Sources of a workload as shared objects, compiled as the cc builder does, for tests that call a
 * kernel directly. Several compilations may run at a time.
 *
 * The caller owns the struct; what is loaded stays loaded, its file is removed. */
#ifndef ASCTUNE_TESTS_COMPILE_H
#define ASCTUNE_TESTS_COMPILE_H

#include <stdbool.h>

#include "tuner/base/dtype.h"
#include "tuner/process/proc.h"

enum { COMPILE_DEFINES = 12 };

struct compilation {
	struct proc compiler;
	char path[256];
	char defines[COMPILE_DEFINES][40]; /* -DNAME=VALUE, set before the start; "" are left out */
};

void compile_define(struct compilation *c, const char *name, long value);

/* `source` is relative to the project's root; elements are of type t, those of the dtype variables
 * U, W and S, too, or U's and W's of type w and i64. False: nothing was started. */
bool compile_start(struct compilation *c, const char *source, enum dtype t);
bool compile_start_types(struct compilation *c, const char *source, enum dtype t, enum dtype w,
			 enum dtype s);

/* Waits; NULL after a TAP note if there is no such function. Entries are visible as they are. */
void *compile_load(struct compilation *c, const char *entry);

/* Any other shared object: `source` is relative to the project's root, `define` is a -DNAME or
 * NULL. Waits; false after a TAP note with the compiler's words. */
bool compile_library(const char *path, const char *source, const char *define);

#endif
