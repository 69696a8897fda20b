/* What device memory holds, as numbers: contents are equal where their numbers are, so that a
 * launch whose results are there, or are written over before anybody reads them, need not be
 * computed again. A region is what the elements of an operator's output cover; what lies around
 * regions has the number of the newest write by anything else. All numbers are those of contents
 * once the launches that were put off are made. The lock is held throughout. */
#ifndef ASCTUNE_STANDIN_STANDIN_CONTENT_H
#define ASCTUNE_STANDIN_STANDIN_CONTENT_H

#include "standin/standin_tensor.h"

/* Number of what a tensor holds. */
uint64_t standin_content_find(const struct standin_view *v);

/* True where a region covers a part of the tensor's elements, or more than these. */
bool standin_content_is_split(const struct standin_view *v);

/* Makes the tensor a region with that content. Regions that overlap it are gone, and all of their
 * memory has new numbers. */
void standin_content_set(const struct standin_view *v, uint64_t content);

/* A number that is the same where all regions hold the same. */
uint64_t standin_content_all(void);

void standin_content_clear(void); /* nothing is known any more */

#endif
