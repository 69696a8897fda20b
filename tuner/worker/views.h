/* Memories that hold views: what lies in one before a launch, elements of a tensor out of one and
 * into one, and what a launch has written beside its outputs.
 *
 * A memory is that of the tensor `owner`. An image is a copy of it in the host's memory, its
 * memory_bytes; all are the caller's. */
#ifndef ASCTUNE_WORKER_VIEWS_H
#define ASCTUNE_WORKER_VIEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binding;
struct bound_tensor;

/* True for a memory that is not one tensor from end to end. */
bool views_has(const struct binding *b, size_t owner);
/* True where something in the memory is an output. */
bool views_written(const struct binding *b, size_t owner);

/* Use that launches make of a memory. */
struct view_use {
	bool renewed; /* they change what they read: a tensor is both, or elements of an output are
			 those of an input, too */
	bool kept;    /* there are outputs, and bytes of none of their elements, which have to stay
			 as they were */
};

/* Finds what launches do to a memory; both images are overwritten. */
struct view_use views_find_use(const struct binding *b, size_t owner, void *image, void *spare);

/* Copy the elements of a tensor between an image of its memory and a list in the order of their
 * indices. */
void view_scatter(const struct bound_tensor *t, const void *elements, void *image);
void view_gather(const struct bound_tensor *t, const void *image, void *elements);

/* Fills an image with what the memory holds before a launch: outputs[i] of output i, `poison` in
 * every byte where that is NULL, then inputs[i] of what is read, in the order of the file. So an
 * element of two tensors has the content of the input, of two inputs that of the later one. Other
 * bytes get DEVICE_PATTERN. */
void views_lay_out(const struct binding *b, size_t owner, void *const *outputs, int poison,
		   void *const *inputs, void *image);

/* A write to no output's element. */
struct view_stray {
	size_t tensor; /* to be named: an input that has the byte, else the nearest one before it */
	bool is_input; /* written to itself */
	bool is_within; /* between its elements, `at` bytes from the first */
	int64_t at;     /* else beside it, as of device_ops.find_stray */
};

/* Finds the first byte of `now`, the memory after a launch, that differs from the image and is of
 * no output's element; false: none. `spare` is another image, overwritten. */
bool views_find_stray(const struct binding *b, size_t owner, const void *image, const void *now,
		      void *spare, struct view_stray *out);
/* Names the write to byte `at` of the memory, which may lie before or behind it. */
void views_name_stray(const struct binding *b, size_t owner, int64_t at, void *spare,
		      struct view_stray *out);

#endif
