#include "tuner/device/cpu_object.h"

#include <dlfcn.h>
#include <fenv.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* Libraries that a kernel has brought with it stay when it goes: they may have threads, as OpenMP's
 * do, that would go on in memory no longer there. */
static void keep_libraries(void *handle)
{
	struct link_map *own = NULL;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &own) != 0)
		return;
	for (const struct link_map *l = own->l_next; l; l = l->l_next)
		if (l->l_name[0] == '/')
			(void)dlopen(l->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
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
