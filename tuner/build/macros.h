/* What a kernel sees of its configuration and problem, as macros, whatever its language:
 *
 *     DTYPE_f64=0 ...         a number for each element type
 *     DTYPE_T=DTYPE_f32       the type of the problem's dtype variable T, for #if
 *     CTYPE_T=float           and the language's type for it
 *     BLOCK_M=64              every build-stage parameter; truth values as 0 and 1
 *
 * Sizes are arguments and launch-stage parameters are not seen at all, so one artifact serves all
 * problems of a type. The reference and fill functions get no macros: their tensors are doubles. */
#ifndef ASCTUNE_BUILD_MACROS_H
#define ASCTUNE_BUILD_MACROS_H

#include "tuner/base/err.h"
#include "tuner/model/dtype.h"

struct build_job;

struct macro_sink {
	enum asc_status (*add)(void *to, const char *name, const char *value, struct asc_err *e);
	void *to;
	const char *(*ctype)(enum dtype t); /* the language's types */
};

/* ASC_INPUT for a name that is no identifier of C. */
enum asc_status macros_each(const struct build_job *job, const struct macro_sink *sink,
			    struct asc_err *e);

/* Is it an identifier of C (and so no code of its own)? If not, ASC_INPUT says that `what` is not.
 */
enum asc_status macros_check_name(const char *what, const char *name, struct asc_err *e);

#endif
