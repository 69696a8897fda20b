/* Shared libraries that may be absent: opened at run time, their functions found by one list.
 *
 * A library stays open once it is: some start threads of their own that do not survive closing. */
#ifndef ASCTUNE_DEVICE_LIBS_LIBRARY_H
#define ASCTUNE_DEVICE_LIBS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;

struct library_symbol {
	const char *name;
	size_t offset; /* place of the function pointer in the caller's table */
	bool optional; /* the pointer is NULL where the library lacks the function */
};

/* Opens a file and fills `table`; `symbols` ends with a NULL name. Functions that the process has
 * preloaded go before those of the file. ASC_ABSENT in the loader's own words: "libopenblas.so.0:
 * cannot open shared object file", or which symbol is missing. */
enum asc_status library_open(const char *file, const struct library_symbol *symbols, void *table,
			     struct asc_err *e);

/* Files of a vendor that are looked at to say what is missing. */
struct library_files {
	const struct library_file {
		const char *name, *meaning;
		const struct library_symbol *symbols; /* NULL: none in particular */
	} * list;                                     /* ends with a NULL name */
	/* Finds the path of one, a heap string; NULL: where the loader looks. */
	enum asc_status (*find)(const char *name, char **path, struct asc_err *e);
};

/* Places where a vendor's toolkits are installed. */
struct toolkit {
	const char *variable;      /* environment variable that names the one folder to look in:
				      "ASCTUNE_CANN"; NULL: none does */
	const char *const *places; /* folders, or "$NAME" for what a variable names;
				      NULL-terminated */
};

extern const struct toolkit toolkit_cuda, toolkit_cann;

/* Opens a file as library_open() does, whatever it lacks, and appends the names of functions that
 * it lacks, each optional one in parentheses. */
enum asc_status library_examine(const char *file, const struct library_symbol *symbols,
				struct buf *missing, struct asc_err *e);

/* True for the path of a library whose file's name begins with `name`, of any version, renamed or
 * not: "/a/libcupti.so.13" and "/a/libcupti-1f2e.so.12" for "libcupti". */
bool library_is(const char *path, const char *name);

/* Path of number `i` of such libraries in the order in which the process has loaded them, valid as
 * long as it is loaded; NULL: there are no more. */
const char *library_find_loaded(const char *name, size_t i);

/* A library that a process opens once, when it is first wanted. */
struct library {
	const char *variable;          /* environment variable that names the one file to open:
					  "ASCTUNE_NVRTC"; NULL: none does */
	const char *loaded;            /* name, "libcupti": one that the process has loaded goes
					  before all files, the first of several; NULL: it does not */
	const char *const *files;      /* names to try, the newest first; NULL-terminated */
	const char *usual;             /* name whose failure is reported; NULL: the first */
	const struct toolkit *toolkit; /* files are tried in its folders lib64 too; or NULL */
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

/* Path of the folder "lib64" or "include" in place i of a toolkit, below the NULL of its list, a
 * heap string; NULL where the environment does not name the place. */
enum asc_status toolkit_folder(const struct toolkit *t, size_t i, const char *name, char **out,
			       struct asc_err *e);

/* Finds the headers of the CUDA toolkit that `file`, the absolute path of a library, belongs to: a
 * heap string, NULL when there are none. */
enum asc_status toolkit_include(const char *file, char **out, struct asc_err *e);

#endif
