/* Compilations with NVRTC, the work of the process `asctune compile-nvrtc`.
 *
 * In processes of their own, because threads of one wait for each other in the compiler's front
 * end, and because a process can be killed when a compilation does not end. They stay
 * (build/resident): loading the library and its first compilation cost as much as a small kernel.
 */
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

/* A resident_run_fn. The words are the paths of source, macros and output, then options of NVRTC;
 * appends what the compiler said, also when it was content. 0: done. */
int nvrtc_run(const char *const *words, size_t n, struct buf *log);

#endif
