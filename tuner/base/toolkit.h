/* Libraries of NVIDIA's CUDA toolkit, opened where toolkits are installed: the file that an
 * environment variable names, else under their names as the loader finds them, else in
 * $CUDA_HOME/lib64, $CUDA_PATH/lib64 and /usr/local/cuda/lib64. */
#ifndef ASCTUNE_BASE_TOOLKIT_H
#define ASCTUNE_BASE_TOOLKIT_H

#include "tuner/base/err.h"
#include "tuner/base/library.h"

struct toolkit_library {
	const char *variable;     /* "ASCTUNE_NVRTC": names the one file to open */
	const char *const *files; /* names, the newest first; NULL-terminated */
	const struct library_symbol *symbols;
};

/* Fills `table` as library_open() does. ASC_ABSENT in the loader's words, of the first name. */
enum asc_status toolkit_open(const struct toolkit_library *l, void *table, struct asc_err *e);

/* The toolkit's headers that go with the library which `file` is (an absolute path): a heap string,
 * NULL when there are none or there is no memory. */
char *toolkit_include(const char *file);

#endif
