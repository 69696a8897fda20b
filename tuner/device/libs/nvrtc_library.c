#include "tuner/device/libs/nvrtc_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/library.h"

#define SYMBOL(name, member)                                                                       \
	{                                                                                          \
		name, offsetof(struct nvrtc, member), false                                        \
	}

static const struct library_symbol symbols[] = {SYMBOL("nvrtcVersion", version),
						SYMBOL("nvrtcGetErrorString", get_error_string),
						SYMBOL("nvrtcCreateProgram", create_program),
						SYMBOL("nvrtcDestroyProgram", destroy_program),
						SYMBOL("nvrtcCompileProgram", compile_program),
						SYMBOL("nvrtcGetProgramLogSize", get_log_size),
						SYMBOL("nvrtcGetProgramLog", get_log),
						SYMBOL("nvrtcGetCUBINSize", get_cubin_size),
						SYMBOL("nvrtcGetCUBIN", get_cubin),
						{0}};

static const char *const files[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
static struct nvrtc nvrtc;
static struct library library = {.variable = "ASCTUNE_NVRTC",
				 .files = files,
				 .toolkit = &toolkit_cuda,
				 .symbols = symbols,
				 .table = &nvrtc};

enum asc_status nvrtc_open(const struct nvrtc **out, struct asc_err *e)
{
	*out = &nvrtc;
	return library_once(&library, e);
}

/* Finds the absolute path of the library's file; a heap string. */
static enum asc_status get_file(const struct nvrtc *n, char **out, struct asc_err *e)
{
	Dl_info info;
	void *symbol;

	*out = NULL;
	/* C has no cast from function to object. */
	memcpy(&symbol, &n->version, sizeof symbol);
	if (dladdr(symbol, &info) == 0 || !info.dli_fname)
		return asc_err_set(e, ASC_ABSENT, "the loader does not say where libnvrtc lies");
	*out = path_absolute(info.dli_fname, e);
	return *out ? ASC_OK : e->status;
}

enum asc_status nvrtc_identity(struct buf *out, struct asc_err *e)
{
	const struct nvrtc *n;
	struct stat st;
	char *file = NULL;
	int major = 0, minor = 0;

	if (nvrtc_open(&n, e) || get_file(n, &file, e) || !file)
		return e->status;
	enum asc_status s = stat(file, &st) == 0 ? ASC_OK : file_fail(e, "read", file);
	if (s == ASC_OK && n->version(&major, &minor) != NVRTC_SUCCESS)
		s = asc_err_set(e, ASC_ABSENT, "%s does not tell its version", file);
	/* Updates of a version keep its number, but hardly the size of its file. */
	if (s == ASC_OK) {
		buf_print(out, "NVRTC %d.%d %s %lld", major, minor, strrchr(file, '/') + 1,
			  (long long)st.st_size);
		s = buf_check(out, e);
	}
	free(file);
	return s;
}

enum asc_status nvrtc_include(char **out, struct asc_err *e)
{
	const struct nvrtc *n;
	char *file = NULL;

	*out = NULL;
	if (nvrtc_open(&n, e) || get_file(n, &file, e))
		return e->status;
	const enum asc_status s = toolkit_include(file, out, e);
	free(file);
	return s;
}

bool nvrtc_caches(const struct nvrtc *n)
{
	int major = 0, minor = 0;

	return n->version(&major, &minor) == NVRTC_SUCCESS &&
	       (major > 12 || (major == 12 && minor >= 9));
}
