#include "tuner/device/cuda/cuda_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/device/libs/nvrtc_library.h"

static enum asc_status take_image(const struct nvrtc *n, nvrtc_program program, struct buf *out,
				  struct asc_err *e)
{
	size_t bytes = 0;

	(void)n->get_cubin_size(program, &bytes);
	char *image = malloc(bytes + 1);
	if (!image)
		return asc_err_nomem(e);
	if (n->get_cubin(program, image) == NVRTC_SUCCESS)
		buf_add(out, image, bytes);
	free(image);
	return buf_check(out, e);
}

enum asc_status cuda_compile(const char *arch, const char *source, struct buf *image,
			     struct asc_err *e)
{
	char target[96];
	const char *options[] = {target, "-fmad=false"};
	const struct nvrtc *n;
	nvrtc_program program = NULL;

	if (nvrtc_open(&n, e))
		return e->status;
	(void)snprintf(target, sizeof target, "-arch=%s", arch);
	int rc = n->create_program(&program, source, "own.cu", 0, NULL, NULL);
	if (rc == NVRTC_SUCCESS)
		rc = n->compile_program(program, 2, options);
	enum asc_status s = rc == NVRTC_SUCCESS ? take_image(n, program, image, e)
						: asc_err_set(e, ASC_ABSENT,
							      "NVRTC refuses our own kernels: %s",
							      n->get_error_string(rc));
	if (program)
		(void)n->destroy_program(&program);
	return s;
}
