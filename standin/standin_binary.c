#include "standin/standin_binary.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int64_t functions; /* found so far */

/* Checks that the table is one of this version and for this product. */
static int check_table(const struct twin_binary *t, const char *what)
{
	const char *soc = standin_get_control()->limits.name;

	if (!t || t->magic != TWIN_MAGIC)
		return standin_fail(ACL_INVALID_FILE, "%s is no binary of kernels", what);
	if (*t->soc && strcmp(t->soc, soc) != 0)
		return standin_fail(ACL_INVALID_FILE, "%s is for %s, the device is %s", what,
				    t->soc, soc);
	return STANDIN_OK;
}

int standin_binary_load(const char *path, struct standin_binary **out)
{
	if (!path || *path != '/')
		return standin_fail(RT_PARAM_INVALID, "%s: the path of a binary is absolute",
				    path ? path : "(null)");
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return standin_fail(ACL_INVALID_FILE, "%s", dlerror());
	const struct twin_binary *table = dlsym(library, "twin_binary");
	const int code = check_table(table, path);
	struct standin_binary *b = code ? NULL : standin_new(STANDIN_BINARY, sizeof *b);
	if (!b) {
		dlclose(library);
		return code ? code : standin_fail(RT_MEMORY_ALLOCATION, "no host memory");
	}
	b->library = library;
	b->file = -1;
	b->table = table;
	*out = b;
	return STANDIN_OK;
}

static bool write_all(int file, const char *data, size_t n)
{
	while (n) {
		const ssize_t written = write(file, data, n);

		if (written <= 0)
			return false;
		data += written;
		n -= (size_t)written;
	}
	return true;
}

int standin_binary_load_bytes(const void *data, size_t n, struct standin_binary **out)
{
	const int file = data && n ? memfd_create("binary", MFD_CLOEXEC) : -1;
	char path[64];

	if (file < 0)
		return standin_fail(RT_PARAM_INVALID, "a binary of %zu bytes", n);
	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	const int code = write_all(file, data, n)
				 ? standin_binary_load(path, out)
				 : standin_fail(RT_MEMORY_ALLOCATION, "no host memory");
	/* The loader knows libraries by their paths: the descriptor is another's only when the
	 * library is closed. */
	if (code)
		close(file);
	else
		(*out)->file = file;
	return code;
}

int standin_binary_check(const struct standin_binary *b)
{
	return standin_is(STANDIN_BINARY, b)
		       ? STANDIN_OK
		       : standin_fail(RT_INVALID_HANDLE, "%p is no binary", (const void *)b);
}

int standin_binary_unload(struct standin_binary *b)
{
	struct standin_function *f = standin_first(STANDIN_FUNCTION);

	if (b->launches) {
		standin_lose(RT_AICORE_EXCEPTION, "a binary was unloaded while a kernel runs");
		return standin_lost();
	}
	while (f) {
		struct standin_function *next = (struct standin_function *)f->object.next;

		if (f->binary == b)
			standin_free(f);
		f = next;
	}
	dlclose(b->library);
	if (b->file >= 0)
		close(b->file);
	standin_free(b);
	return STANDIN_OK;
}

static const struct twin_kernel *find_kernel(const struct twin_binary *t, const char *name)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (strcmp(t->kernels[i].name, name) == 0)
			return &t->kernels[i];
	return NULL;
}

int standin_binary_find(struct standin_binary *b, const char *name, struct standin_function **out)
{
	const struct twin_kernel *kernel = name ? find_kernel(b->table, name) : NULL;
	struct standin_function *f = standin_first(STANDIN_FUNCTION);

	if (!kernel)
		return standin_fail(RT_KERNEL_LOOKUP, "the binary has no kernel \"%s\"",
				    name ? name : "(null)");
	while (f && (f->kernel != kernel || f->binary != b))
		f = (struct standin_function *)f->object.next;
	if (!f) {
		f = standin_new(STANDIN_FUNCTION, sizeof *f);
		if (!f)
			return standin_fail(RT_MEMORY_ALLOCATION, "no host memory");
		f->binary = b;
		f->kernel = kernel;
		f->number = ++functions;
	}
	*out = f;
	return STANDIN_OK;
}

int standin_function_check(const struct standin_function *f)
{
	return standin_is(STANDIN_FUNCTION, f)
		       ? STANDIN_OK
		       : standin_fail(RT_INVALID_HANDLE, "%p is no function", (const void *)f);
}
