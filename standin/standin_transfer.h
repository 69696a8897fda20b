/* Copies and fills, whose arguments were checked: as tasks of a stream, which take effect at their
 * turn, or at once. */
#ifndef ASCTUNE_STANDIN_STANDIN_TRANSFER_H
#define ASCTUNE_STANDIN_STANDIN_TRANSFER_H

#include "standin/standin_stream.h"

int standin_transfer_copy(void *to, const void *from, size_t n, struct standin_stream *s);
int standin_transfer_set(void *at, int byte, size_t n, struct standin_stream *s);

void standin_transfer_copy_now(void *to, const void *from, size_t n);
void standin_transfer_set_now(void *at, int byte, size_t n);

#endif
