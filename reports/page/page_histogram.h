/* Samples as a small picture of bars, without axes and text. */
#ifndef ASCTUNE_PAGE_PAGE_HISTOGRAM_H
#define ASCTUNE_PAGE_PAGE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* Appends `<svg class="spark" role="img" …>` of 120 x 28 pixels, whose label says in words how many
 * samples there are between what times; nothing for fewer than two samples or equal ones. */
void page_histogram_print(const int64_t *samples_ns, size_t n, struct buf *out);

#endif
