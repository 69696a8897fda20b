/* A profile for people: why a launch takes its time, in at most 16 lines of 80 columns. */
#ifndef ASCTUNE_CMD_PROFILE_PROFILE_TEXT_H
#define ASCTUNE_CMD_PROFILE_PROFILE_TEXT_H

#include "reports/results/profile_view.h"
#include "tuner/cmd/terminal/ink.h"

struct buf;
struct prose;

/* Appends the label's line, "memory: 94 % of the 4.06 TB/s ...; 1.06x is left at most". */
void profile_text_add_label(const struct profile *p, struct buf *out);

/* Prints a profile. `h` NULL: without the lines that say whose it is. */
void profile_text_print(struct prose *to, const struct profile_heading *h, const struct profile *p);

/* Prints a profile beside another one of the same kernel: figures that differ, what explains the
 * times first, with the other's as multiples of its own. */
void profile_text_print_beside(struct prose *to, const struct profile_heading *h,
			       const struct profile *p, const struct profile_heading *other_h,
			       const struct profile *other);

#endif
