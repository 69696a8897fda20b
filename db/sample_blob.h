/* Samples as bytes: zigzag deltas as little-endian base-128 varints, first value against 0. 32
 * samples take about 60 bytes. */
#ifndef ASCTUNE_DB_SAMPLE_BLOB_H
#define ASCTUNE_DB_SAMPLE_BLOB_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;

void sample_blob_write(const int64_t *samples, size_t n, struct buf *out);

/* Reads a blob; *out is a heap array. ASC_INPUT for bytes that are no such blob. */
enum asc_status sample_blob_read(const void *data, size_t bytes, int64_t **out, size_t *n,
				 struct asc_err *e);

#endif
