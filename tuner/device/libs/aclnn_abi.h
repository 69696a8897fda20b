/* The objects that operators of CANN take (libnnopbase.so), from own declarations; and the two
 * functions of each operator, whose prototypes tuner/device/vendor/aclnn_operator.c has as data.
 *
 * Tensors, scalars, lists and executors are `void *` here, statuses and data types `int`.
 * Unverified on hardware. */
#ifndef ASCTUNE_DEVICE_LIBS_ACLNN_ABI_H
#define ASCTUNE_DEVICE_LIBS_ACLNN_ABI_H

#include <stdint.h>

/* member, symbol, result, parameters, optional */
#define ACLNN_OBJECT_LIST(X)                                                                       \
	X(tensor_create, aclCreateTensor, void *,                                                  \
	  (const int64_t *shape, uint64_t rank, int type, const int64_t *strides, int64_t offset,  \
	   int format, const int64_t *storage, uint64_t storage_rank, void *data),                 \
	  false)                                                                                   \
	X(tensor_destroy, aclDestroyTensor, int, (const void *tensor), false)                      \
	X(scalar_create, aclCreateScalar, void *, (void *value, int type), false)                  \
	X(scalar_destroy, aclDestroyScalar, int, (const void *scalar), false)                      \
	X(list_create, aclCreateTensorList, void *, (const void *const *tensors, uint64_t n),      \
	  false)                                                                                   \
	X(list_destroy, aclDestroyTensorList, int, (const void *list), false)                      \
	X(ints_create, aclCreateIntArray, void *, (const int64_t *values, uint64_t n), false)      \
	X(ints_destroy, aclDestroyIntArray, int, (const void *array), false)                       \
	X(executor_keep, aclSetAclOpExecutorRepeatable, int, (void *executor), true)               \
	X(executor_destroy, aclDestroyAclOpExecutor, int, (void *executor), true)

struct aclnn_objects {
#define X(member, symbol, result, parameters, optional) result(*member) parameters;
	ACLNN_OBJECT_LIST(X)
#undef X
};

/* Phase one of any operator, called by its own prototype; phase two, which all share. */
typedef void aclnn_phase_one(void);
typedef int aclnn_phase_two(void *workspace, uint64_t bytes, void *executor, void *stream);

/* aclFormat, then aclDataType: name here, name there, value */
#define ACLNN_CONSTANT_LIST(X)                                                                     \
	X(ACLNN_FORMAT_ND, ACL_FORMAT_ND, 2)                                                       \
	X(ACLNN_FLOAT, ACL_FLOAT, 0)                                                               \
	X(ACLNN_FLOAT16, ACL_FLOAT16, 1)                                                           \
	X(ACLNN_INT8, ACL_INT8, 2)                                                                 \
	X(ACLNN_INT32, ACL_INT32, 3)                                                               \
	X(ACLNN_UINT8, ACL_UINT8, 4)                                                               \
	X(ACLNN_INT16, ACL_INT16, 6)                                                               \
	X(ACLNN_UINT16, ACL_UINT16, 7)                                                             \
	X(ACLNN_UINT32, ACL_UINT32, 8)                                                             \
	X(ACLNN_INT64, ACL_INT64, 9)                                                               \
	X(ACLNN_UINT64, ACL_UINT64, 10)                                                            \
	X(ACLNN_DOUBLE, ACL_DOUBLE, 11)                                                            \
	X(ACLNN_BOOL, ACL_BOOL, 12)                                                                \
	X(ACLNN_BF16, ACL_BF16, 27)

enum aclnn_constant {
#define X(here, there, value) here = (value),
	ACLNN_CONSTANT_LIST(X)
#undef X
};

/* Statuses of what was passed: a NULL pointer, an argument or a shape that the operator does not
 * take. */
enum { ACLNN_NULL_GIVEN = 161001, ACLNN_NOT_TAKEN = 161002, ACLNN_SHAPE_NOT_TAKEN = 561002 };

#endif
