/* Objects of the vendor's operator libraries: tensors, scalars, lists, and the numbers that tensors
 * hold. Shapes, strides and offsets count elements. */
#ifndef ASCTUNE_STANDIN_STANDIN_TENSOR_H
#define ASCTUNE_STANDIN_STANDIN_TENSOR_H

#include "standin/standin_core.h"
#include "tuner/base/dtype.h"

enum { ACLNN_NULLPTR = 161001, ACLNN_INVALID = 161002, ACLNN_RUNTIME_ERROR = 361001 };
enum { ACLNN_INNER_SHAPE = 561002, ACLNN_INNER_NULLPTR = 561103 };
enum { STANDIN_MAX_RANK = 8, STANDIN_MAX_LIST = 8 };

/* A tensor: its place, type and shape. */
struct standin_view {
	enum dtype type;
	size_t rank;
	int64_t dims[STANDIN_MAX_RANK], strides[STANDIN_MAX_RANK];
	int64_t offset;
	void *data; /* device memory */
};

struct aclTensor {
	struct standin_object object;
	struct standin_view view;
};

struct aclScalar {
	struct standin_object object;
	double value;
};

struct aclIntArray {
	struct standin_object object;
	uint64_t n;
};

struct aclTensorList {
	struct standin_object object;
	uint64_t n;
	struct aclTensor *tensors[STANDIN_MAX_LIST]; /* it owns them */
};

bool standin_dtype_find(int acl_type, enum dtype *out);

int64_t standin_view_count(const struct standin_view *v);
bool standin_view_same(const struct standin_view *a, const struct standin_view *b); /* shapes */

/* Bytes of its elements; those of a stride of 0 are one. */
double standin_view_bytes(const struct standin_view *v);
/* Makes a view of the shape of `to` that repeats elements of `v`; false: the shapes do not go
 * together. */
bool standin_view_broadcast(const struct standin_view *v, const struct standin_view *to,
			    struct standin_view *out);

/* Bytes behind the tensor's data; NULL where its elements do not all lie in device memory. The lock
 * is held. */
void *standin_view_at(const struct standin_view *v);

/* Read all elements at those bytes in row-major order, or write and round them. They need no lock:
 * the caller keeps the memory (standin_memory_use). */
void standin_view_read(const struct standin_view *v, const void *at, double *out);
void standin_view_write(const struct standin_view *v, void *at, const double *in);
/* Copies all elements as they are to as many of the same type. */
void standin_view_move(const struct standin_view *from, const void *from_at,
		       const struct standin_view *to, void *to_at);

#endif
