/* Kernels of a GPU: a cubin's entry, or the function of a vendor library, bound to its arguments.
 *
 * Arguments are passed by value in the order of the plan: a tensor or scratch buffer as its address
 * (0 for an absent tensor), a scalar in its type, a tensor map as the driver encodes it. */
#ifndef ASCTUNE_DEVICE_CUDA_CUDA_KERNEL_H
#define ASCTUNE_DEVICE_CUDA_CUDA_KERNEL_H

#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/device_kernel.h"

/* Operations as in device_ops. */
enum asc_status cuda_kernel_load(struct device *d, const char *artifact, const char *entry,
				 struct device_kernel **out, struct asc_err *e);
/* Does what cuda_kernel_load() does, from an image in memory. */
enum asc_status cuda_kernel_load_image(struct device *d, const char *image, const char *entry,
				       struct device_kernel **out, struct asc_err *e);
enum asc_status cuda_kernel_adopt(struct device *d, struct vendor_kernel *v,
				  struct device_kernel **out, struct asc_err *e);
enum asc_status cuda_kernel_match(struct device *d, const struct device_kernel *k,
				  const struct plan *plan, struct asc_err *e);
enum asc_status cuda_kernel_facts(const struct device_sequence *s, struct result *out,
				  struct asc_err *e);

enum asc_status cuda_kernels_halve(struct device *d, const struct device_sequence *s, bool half,
				   struct asc_err *e);

/* Part of cuda_kernel_match() that asks the driver. */
enum asc_status cuda_parameters_check(const struct cuda_driver *cu, struct CUfunc_st *function,
				      const struct plan *plan, struct asc_err *e);

/* True for a kernel that was launched since it was loaded. The first launch may have to load code,
 * which waits for all that the stream holds. */
bool cuda_kernel_is_known(const struct device_kernel *k);

/* Puts one launch of each kernel into the stream; does not wait. */
enum asc_status cuda_kernels_launch(struct device *d, const struct device_sequence *s,
				    struct asc_err *e);

/* Operations as in device_ops. */
enum asc_status cuda_kernels_capture(struct device *d, const struct device_sequence *s,
				     struct asc_err *e);
enum asc_status cuda_kernels_replay(struct device *d, struct asc_err *e);

/* Puts what the kernels' modules would keep from earlier launches back into its first state, in the
 * stream; does not wait. */
enum asc_status cuda_kernels_restore(struct device *d, const struct device_sequence *s,
				     struct asc_err *e);

/* Loads a module from an image in memory and finds one of its functions. */
enum asc_status cuda_module_load(struct device *d, const void *image, const char *entry,
				 struct CUmod_st **module, struct CUfunc_st **function,
				 struct asc_err *e);

#endif
