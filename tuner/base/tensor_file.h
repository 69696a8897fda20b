/* Tensors in files: the members of a .safetensors file, or the one array of a .npy file (versions 1
 * to 3, in C order), both little endian.
 *
 * Files come from anywhere: a header is checked as a whole before a member is given out, and only a
 * regular file that is no link is opened. Content is read, not mapped: a mapped file that somebody
 * else shortens would end the process. Members are borrowed from the file that tensor_file_open()
 * gave, and live as long. */
#ifndef ASCTUNE_BASE_TENSOR_FILE_H
#define ASCTUNE_BASE_TENSOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"
#include "tuner/base/hash.h"

struct tensor_file;

struct tensor_member {
	const char *name; /* "": the array of a .npy file */
	const char *type; /* as the file has it: "F8_E4M3" */
	bool known;       /* `dtype` is that type; else no tensor of a workload has it */
	enum dtype dtype;
	const int64_t *shape; /* slowest first; sizes may be 0 */
	size_t rank;
	int64_t count; /* elements */
	int64_t bytes; /* of its content */
	int64_t at;    /* place of that in the file */
};

/* Format of a file by the end of its name: .safetensors or .npy. */
enum tensor_format { TENSOR_FILE_NONE, TENSOR_FILE_SAFETENSORS, TENSOR_FILE_NPY };
enum tensor_format tensor_file_format(const char *path);

/* Opens a file and reads its header. ASC_INPUT with the path for anything but a whole, regular file
 * of either format, which the end of its name tells; ASC_IO where it cannot be read. */
enum asc_status tensor_file_open(const char *path, struct tensor_file **out, struct asc_err *e);
void tensor_file_close(struct tensor_file *f); /* NULL: nothing */

/* Finds a member; a .npy file has one for every name. NULL: there is none. */
const struct tensor_member *tensor_file_find(const struct tensor_file *f, const char *name);

/* Checks that a member has this type and shape: ASC_INPUT that names both. */
enum asc_status tensor_file_check(const struct tensor_file *f, const struct tensor_member *m,
				  enum dtype dtype, const int64_t *shape, size_t rank,
				  struct asc_err *e);

/* Reads the content of a member into `out`, m->bytes of it, and prints its digest: XXH3-128 of
 * these bytes. Either may be NULL. ASC_INPUT where the file was changed since it was opened, and
 * for a truth value that is neither 0 nor 1. */
enum asc_status tensor_file_read(const struct tensor_file *f, const struct tensor_member *m,
				 void *out, char digest[HASH_TEXT_SIZE], struct asc_err *e);

#endif
