/* The entries of builder_list, each defined in a file of its own. A new builder is its file, a line
 * here and a line in builder.c. */
#ifndef ASCTUNE_BUILD_BUILDERS_H
#define ASCTUNE_BUILD_BUILDERS_H

#include "tuner/build/builder.h"

extern const struct builder_ops builder_cc, builder_nvrtc, builder_vendor;

#endif
