/* Buffers of records on their way to the caller of libmspti: requested by its callback, filled back
 * to back, and given back by its other one.
 *
 * The caller holds one lock around all calls; records are lost, with a line in the log, where there
 * is no buffer or it cannot be used. */
#ifndef ASCTUNE_STANDIN_STANDIN_MSPTI_BUFFER_H
#define ASCTUNE_STANDIN_STANDIN_MSPTI_BUFFER_H

#include "standin/standin_mspti_record.h"

void mspti_buffer_set(mspti_request_fn *requested, mspti_complete_fn *completed);
void mspti_buffer_add(const struct mspti_record *r);

/* Gives the buffer back, if there is one. Texts that records point to end with it. */
void mspti_buffer_give_back(void);

#endif
