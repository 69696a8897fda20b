#include "tuner/base/library.h"

#include <dlfcn.h>
#include <string.h>

enum asc_status library_open(const char *file, const struct library_symbol *symbols, void *table,
			     struct asc_err *e)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		const char *words = dlerror();
		return asc_err_set(e, ASC_ABSENT, "%s", words ? words : file);
	}
	for (; symbols->name; symbols++) {
		void *symbol = dlsym(handle, symbols->name);
		if (!symbol && !symbols->optional) {
			dlclose(handle);
			return asc_err_set(e, ASC_ABSENT, "%s: has no function %s", file,
					   symbols->name);
		}
		/* C has no cast from object to function. */
		memcpy((char *)table + symbols->offset, &symbol, sizeof symbol);
	}
	return ASC_OK;
}
