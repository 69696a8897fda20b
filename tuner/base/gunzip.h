/* Files that may be compressed with gzip. */
#ifndef ASCTUNE_BASE_GUNZIP_H
#define ASCTUNE_BASE_GUNZIP_H

#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct long_text;

/* Appends what the file holds, unpacked where it is a gzip file; refuses one that holds more than
 * `max_bytes`, is damaged or ends too early. Errors name the path. */
enum asc_status gunzip_read(const char *path, size_t max_bytes, struct buf *out, struct asc_err *e);

/* The same into a zeroed text, which the caller ends, whatever comes of it. */
enum asc_status gunzip_map(const char *path, size_t max_bytes, struct long_text *out,
			   struct asc_err *e);

#endif
