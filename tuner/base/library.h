/* A shared library that is there or not: opened at run time, its functions found by one list.
 *
 * A library stays open once it is: some start threads of their own that do not survive closing. */
#ifndef ASCTUNE_BASE_LIBRARY_H
#define ASCTUNE_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct library_symbol {
	const char *name;
	size_t offset; /* of the function pointer in the caller's table */
	bool optional; /* NULL where the library lacks it */
};

/* Fills `table`; `symbols` ends with a NULL name. ASC_ABSENT in the loader's own words:
 * "libopenblas.so.0: cannot open shared object file", or which symbol is missing. */
enum asc_status library_open(const char *file, const struct library_symbol *symbols, void *table,
			     struct asc_err *e);

#endif
