/* NVRTC, NVIDIA's compiler as a library: opened with dlopen from these declarations.
 *
 * $ASCTUNE_NVRTC names the file, else libnvrtc.so.13, .12 or the plain name where toolkits lie
 * (toolkit_cuda). It stays open. */
#ifndef ASCTUNE_DEVICE_LIBS_NVRTC_LIBRARY_H
#define ASCTUNE_DEVICE_LIBS_NVRTC_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;

/* Values and types of nvrtc.h, 12.0 to 13.x; a program is a pointer that the library owns. */
enum nvrtc_result {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6
};
typedef void *nvrtc_program;

struct nvrtc {
	int (*version)(int *major, int *minor);
	const char *(*get_error_string)(int result);
	int (*create_program)(nvrtc_program *out, const char *source, const char *name,
			      int n_headers, const char *const *headers,
			      const char *const *include_names);
	int (*destroy_program)(nvrtc_program *program);
	int (*compile_program)(nvrtc_program program, int n_options, const char *const *options);
	int (*get_log_size)(nvrtc_program program, size_t *bytes);
	int (*get_log)(nvrtc_program program, char *log);
	int (*get_cubin_size)(nvrtc_program program, size_t *bytes);
	int (*get_cubin)(nvrtc_program program, char *cubin);
};

/* Opens NVRTC once in a process; *out is borrowed. ASC_ABSENT in the loader's words. */
enum asc_status nvrtc_open(const struct nvrtc **out, struct asc_err *e);

/* Appends "NVRTC 13.0 libnvrtc.so.13.0.88 109383856": the version, and name and size of the file,
 * in which builds of a version differ. */
enum asc_status nvrtc_identity(struct buf *out, struct asc_err *e);

/* Finds the folder of the toolkit's headers, a heap string; NULL when there are none. */
enum asc_status nvrtc_include(char **out, struct asc_err *e);

/* True for a version (12.9 on) that keeps compiled programs in a cache of its own and knows the
 * option to leave that out. */
bool nvrtc_caches(const struct nvrtc *n);

#endif
