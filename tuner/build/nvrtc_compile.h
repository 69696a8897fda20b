/* One compilation with NVRTC, the work of the process `asctune compile-nvrtc`.
 *
 * A process for each compilation, because threads of one process wait for each other in the
 * compiler's front end, and because a process can be killed when a compilation does not end. */
#ifndef ASCTUNE_BUILD_NVRTC_COMPILE_H
#define ASCTUNE_BUILD_NVRTC_COMPILE_H

#include <stddef.h>

#include "tuner/base/err.h"

struct buf;

#define NVRTC_COMMAND "compile-nvrtc"  /* the sub-command's name */
#define NVRTC_CHECKS  "ASCTUNE_CHECKS" /* a macro that stands at the end of what is compiled */

/* Appends the text that is compiled: `source` with `macros` put after the `#include <...>` lines
 * that it begins with, so that these are the same for all configurations, and NVRTC_CHECKS at its
 * end. Lines of the source keep their numbers. */
void nvrtc_splice(const char *source, const char *name, const char *macros, struct buf *out);

/* `arguments` are the paths of source, macros and output, then options of NVRTC. Appends
 * what the compiler said to `log`, also when it was content. ASC_CHILD when it refused the source:
 * then the log says why. */
enum asc_status nvrtc_compile(const char *const *arguments, size_t n, struct buf *log,
			      struct asc_err *e);

#endif
