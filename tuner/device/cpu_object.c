#include "tuner/device/cpu_object.h"

#include <dlfcn.h>
#include <fenv.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tuner/base/buf.h"

struct company {
	const struct link_map *own;
	bool met;         /* what follows came with it or after it */
	struct buf paths; /* each with its NUL */
};

static int note_library(struct dl_phdr_info *info, size_t size, void *user)
{
	struct company *c = user;

	(void)size;
	if (c->met && info->dlpi_name[0] == '/')
		buf_add(&c->paths, info->dlpi_name, strlen(info->dlpi_name) + 1);
	c->met |= info->dlpi_addr == c->own->l_addr && strcmp(info->dlpi_name, c->own->l_name) == 0;
	return 0;
}

/* Libraries that a kernel has brought with it stay when it goes: they may have threads, as OpenMP's
 * do, that would go on in memory no longer there. Listed under the loader's lock: other threads
 * load and drop libraries meanwhile, a GPU's driver for one. */
static void keep_libraries(void *handle)
{
	struct link_map *own = NULL;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &own) != 0)
		return;
	struct company c = {.own = own};
	(void)dl_iterate_phdr(note_library, &c);
	for (size_t at = 0; at < c.paths.len; at += strlen(c.paths.data + at) + 1)
		(void)dlopen(c.paths.data + at, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	buf_fini(&c.paths);
}

/* What is built with -ffast-math sets the thread that loads it to flush subnormals, for good: the
 * kernels after it, and our own comparison, would compute otherwise than alone. */
void *cpu_object_open(const char *artifact)
{
	fenv_t before;

	bool kept = fegetenv(&before) == 0;
	void *handle = dlopen(artifact, RTLD_NOW | RTLD_LOCAL);
	if (kept)
		(void)fesetenv(&before);
	if (handle)
		keep_libraries(handle);
	return handle;
}
