/* What `asctune code` prints, for people and as JSON: counts, listings, PTX, source lines, what
 * differs between two. */
#ifndef ASCTUNE_CMD_CODE_CODE_TEXT_H
#define ASCTUNE_CMD_CODE_CODE_TEXT_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct code_kernel;

/* id, name, function that prints it of one kernel, or writes members of an open object: ASC_ABSENT,
 * with the reason, where there is none. */
#define CODE_WHAT_LIST(X)                                                                          \
	X(COUNTS, "counts", code_print_counts)                                                     \
	X(SASS, "sass", code_print_listing)                                                        \
	X(PTX, "ptx", code_print_ptx)                                                              \
	X(SOURCE, "source", code_print_source)

enum code_what {
#define X(id, name, print) CODE_WHAT_##id,
	CODE_WHAT_LIST(X)
#undef X
		CODE_WHAT_COUNT
};

struct json_writer;

/* `json` NULL: prints for people, to stdout. */
typedef enum asc_status code_print_fn(const struct code_kernel *k, struct json_writer *json,
				      struct asc_err *e);

code_print_fn code_print_counts, code_print_listing, code_print_ptx, code_print_source;

/* Prints what is different in `other`: counts by class, then lines. Where nothing lists such code,
 * the counts, with the reason. */
enum asc_status code_print_against(const struct code_kernel *k, const struct code_kernel *other,
				   struct json_writer *json, struct asc_err *e);

#endif
