/* Labels of buffers, for what is said of a kernel or reference that dies beside one. */
#ifndef ASCTUNE_WORKER_BUFFER_LABEL_H
#define ASCTUNE_WORKER_BUFFER_LABEL_H

#include "tuner/base/dtype.h"

struct bound_argument;
struct bound_tensor;
struct device_buffer;
struct device_ops;

/* Labels a tensor's buffer "y (f32[8, 4096])": its elements have `type` there, which is not that of
 * the tensor where a reference computes. Does nothing for NULL and for devices without labels. */
void buffer_label_tensor(const struct device_ops *ops, struct device_buffer *b, const char *name,
			 const struct bound_tensor *t, enum dtype type);

/* Labels memory of an argument that is the configuration's own: "scratch tensor t (f32[64])", or "a
 * scratch buffer (256 B)" where `name` is NULL. */
void buffer_label_scratch(const struct device_ops *ops, struct device_buffer *b, const char *name,
			  const struct bound_argument *a);

#endif
