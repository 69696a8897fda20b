/* The values of a parameter in a T1 file: a JSON array, or a string holding the text of a Python
 * list of numbers or texts, each of the parameter's type. */
#ifndef ASCTUNE_WORKLOAD_SPACE_T1_VALUES_H
#define ASCTUNE_WORKLOAD_SPACE_T1_VALUES_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"

struct json_node;
struct t1_type; /* int, uint, float, bool, string */

enum asc_status t1_find_type(const struct json_node *name, const struct t1_type **out,
			     struct asc_err *e);

/* Reads values: *out is an array of *n, at least one; it lives as long as the document. */
enum asc_status t1_read_values(const struct json_node *node, const struct t1_type *type,
			       const struct value **out, size_t *n, struct asc_err *e);

enum asc_status t1_read_value(const struct json_node *node, const struct t1_type *type,
			      struct value *out, struct asc_err *e);

#endif
