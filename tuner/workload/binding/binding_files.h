/* Contents of a problem's tensors in files: the sets of a problem, and files of single fills.
 *
 * A header is checked when a workload is read. The digests of all contents are part of the
 * problem's key, so that has to be asked for: binding_read_files() where nothing is known of them
 * yet, binding_take_digests() in a process that was told. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_FILES_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_FILES_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/workload/binding/binding_digests.h"

struct binding;
struct json_node;
struct tensor_file;
struct tensor_member;

/* Files of a bound problem, of which one is open at a time: `{.binding = b}`, then
 * binding_files_close(). */
struct binding_files {
	const struct binding *binding;
	char *path; /* of the open file; NULL: none is */
	struct tensor_file *file;
};

/* Finds a content of tensor `i` in a set, and checks type and shape: an input has the tensor's
 * type, what a launch has left has that type or f64. *out is borrowed until the next call. It is
 * NULL where no file has to hold it: the fill is of another kind, or nothing was recorded. */
enum asc_status binding_files_find(struct binding_files *f, size_t set, size_t i, enum content what,
				   const struct tensor_member **out, struct asc_err *e);

/* Reads what binding_files_find() finds, *out, into `to`. Where the digest of the content is known,
 * ASC_INPUT for a file that was changed since. */
enum asc_status binding_files_read(struct binding_files *f, size_t set, size_t i, enum content what,
				   const struct tensor_member *m, void *to, struct asc_err *e);
void binding_files_close(struct binding_files *f);

/* Checks the headers of all files of the problem. */
enum asc_status binding_check_files(const struct binding *b, struct asc_err *e);

/* Reads all files of the problem for their digests, and sets b->key with these. Nothing without
 * files. */
enum asc_status binding_read_files(struct binding *b, struct asc_err *e);

/* Takes digests that binding_write_digests() wrote, and sets b->key with these. */
enum asc_status binding_take_digests(struct binding *b, const struct json_node *list,
				     struct asc_err *e);

#endif
