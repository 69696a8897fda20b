/* Copies and fills as tasks of a stream: they take effect at their turn. */
#ifndef ASCTUNE_STANDIN_STANDIN_TRANSFER_H
#define ASCTUNE_STANDIN_STANDIN_TRANSFER_H

#include "tuner/standin/standin_stream.h"

/* The arguments were checked. */
int standin_transfer_copy(void *to, const void *from, size_t n, struct standin_stream *s);
int standin_transfer_set(void *at, int byte, size_t n, struct standin_stream *s);

#endif
