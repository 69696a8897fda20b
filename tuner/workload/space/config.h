/* A configuration: one value for each parameter of an implementation, in the file's order. Plain
 * data, copied freely. */
#ifndef ASCTUNE_WORKLOAD_SPACE_CONFIG_H
#define ASCTUNE_WORKLOAD_SPACE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"

struct buf;

enum { CONFIG_MAX_PARAMETERS = 64 };

struct config {
	size_t n;
	struct value values[CONFIG_MAX_PARAMETERS];
};

/* Appends `BLOCK_M=64,BLOCK_N=32`, for people, in the order of `names` (n of them). */
void config_print(const struct config *c, const char *const *names, struct buf *out);

/* Appends the canonical key: the same text with names in byte order, so that it does not depend on
 * the file's order. */
void config_key(const struct config *c, const char *const *names, struct buf *out);

/* Reads `NAME=VALUE,...`, blanks after a comma allowed; every name exactly once, any order. Errors
 * say which is unknown (did you mean), repeated, or missing (all that are). */
enum asc_status config_parse(const char *text, const char *const *names, size_t n,
			     struct config *out, struct asc_err *e);

/* Reads like config_parse(), but a parameter without a value keeps the one that it has in *out;
 * given[i] is true for a parameter with a value in the text. */
enum asc_status config_parse_over(const char *text, const char *const *names, struct config *out,
				  bool given[CONFIG_MAX_PARAMETERS], struct asc_err *e);

/* Finds the value of one name in such a text, whatever else that has; false: it has none. */
bool config_find_value(const char *text, const char *name, struct value *out);

#endif
