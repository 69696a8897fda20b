/* Compilations with NVRTC, the work of the process `asctune compile-nvrtc`.
 *
 * In processes of their own, because threads of one wait for each other in the compiler's front
 * end, and because a process can be killed when a compilation does not end. They stay
 * (build/compile_server): loading the library and its first compilation cost as much as a small
 * kernel.
 */
#ifndef ASCTUNE_BUILD_NVRTC_COMPILE_H
#define ASCTUNE_BUILD_NVRTC_COMPILE_H

#include "tuner/build/compile_server.h"

#define NVRTC_COMMAND "compile-nvrtc"  /* the sub-command's name */
#define NVRTC_CHECKS  "ASCTUNE_CHECKS" /* a macro that stands at the end of what is compiled */

/* Appends the text that is compiled: `source` with `macros` put after the `#include <...>` lines
 * that it begins with, so that these are the same for all configurations, and NVRTC_CHECKS at its
 * end. Lines of the source keep their numbers. */
void nvrtc_splice(const char *source, const char *name, const char *macros, struct buf *out);

/* Compiles with NVRTC: words are the paths of source, macros and output, then options. A cubin says
 * all itself: there is no metadata. */
extern const struct compile_service nvrtc_service;

#endif
