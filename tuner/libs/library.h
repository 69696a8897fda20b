/* Shared libraries that may be absent: opened at run time, their functions found by one list.
 *
 * A library stays open once it is: some start threads of their own that do not survive closing. */
#ifndef ASCTUNE_LIBS_LIBRARY_H
#define ASCTUNE_LIBS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct library_symbol {
	const char *name;
	size_t offset; /* place of the function pointer in the caller's table */
	bool optional; /* the pointer is NULL where the library lacks the function */
};

/* Opens a file and fills `table`; `symbols` ends with a NULL name. ASC_ABSENT in the loader's own
 * words: "libopenblas.so.0: cannot open shared object file", or which symbol is missing. */
enum asc_status library_open(const char *file, const struct library_symbol *symbols, void *table,
			     struct asc_err *e);

/* A library that a process opens once, when it is first wanted. */
struct library {
	const char *variable;     /* environment variable that names the one file to open:
				     "ASCTUNE_NVRTC"; NULL: none does */
	const char *const *files; /* names to try, the newest first; NULL-terminated */
	bool toolkit; /* files are tried in the folders of CUDA toolkits too (toolkit_folder()) */
	const char *advice; /* added to the words of the loader unless a file is named; or NULL */
	const struct library_symbol *symbols;
	void *table;                                 /* the caller's table of functions */
	void (*before)(void);                        /* called before the file is opened; or NULL */
	enum asc_status (*begin)(struct asc_err *e); /* makes the opened library usable; or NULL */
	bool tried;                                  /* set by library_once(): */
	struct asc_err failure; /* outcome; status ASC_OK: the library is usable */
};

/* Opens `l` with the first call and gives every caller the outcome of that call, but for
 * ASC_NOMEM, after which the next call tries again. ASC_ABSENT in the loader's words, of the first
 * name where none is found; else what `begin` answers. Thread-safe; `begin` asks for no other
 * library. */
enum asc_status library_once(struct library *l, struct asc_err *e);

/* Checks that library_once() succeeds; `reason` says why not. */
bool library_check(struct library *l, char *reason, size_t size);

/* Places where CUDA toolkits are installed: $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. */
enum { TOOLKIT_PLACES = 3 };

/* Path of the folder "lib64" or "include" in place i (below TOOLKIT_PLACES), a heap string; NULL
 * where the environment does not name the place or there is no memory. */
char *toolkit_folder(size_t i, const char *name);

/* Finds the headers of the toolkit that `file`, the absolute path of a library, belongs to: a heap
 * string, NULL when there are none or there is no memory. */
char *toolkit_include(const char *file);

#endif
