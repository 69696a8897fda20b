/* Differences between the machine code of two kernels, found once for all who print it:
 * `asctune code --against`, `asctune gate`.
 *
 * The caller owns a struct code_against: code_against_make(), then code_against_fini(). */
#ifndef ASCTUNE_CMD_CODE_CODE_AGAINST_H
#define ASCTUNE_CMD_CODE_CODE_AGAINST_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/code/code_difference.h"
#include "tuner/code/code_opcodes.h"

struct code_kernel;
struct json_writer;

/* Lines of a difference, at most, that anybody is shown. */
enum { CODE_AGAINST_LINES = 20 };

struct code_against {
	const struct code_kernel *sides[CODE_SIDES]; /* borrowed */
	bool same;                    /* both run the same, whatever is in them for debuggers */
	struct code_opcodes opcodes;  /* what differs most first; n 0: they are not counted */
	struct code_difference lines; /* `added` is what the second has */
	struct asc_err not_compared;  /* why there are no lines; status ASC_OK: there are */
};

/* Holds two kernels against each other. A side of which nothing is told, and a disassembler that is
 * not here or fails, leave what they would have told: that is no failure. */
enum asc_status code_against_make(const struct code_kernel *first, const struct code_kernel *second,
				  struct code_against *out, struct asc_err *e);
void code_against_fini(struct code_against *a);

/* Writes members of an open object; `sides` are the names of both. */
void code_against_write(const struct code_against *a, const char *const sides[CODE_SIDES],
			struct json_writer *w);

/* Writes what is told of a kernel alone as members of an open object. */
void code_kernel_write(const struct code_kernel *k, struct json_writer *w);

#endif
