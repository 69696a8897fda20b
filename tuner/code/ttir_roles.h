/* Roles of a Triton kernel's arguments that point to memory, read from its TTIR: the
 * dialect of MLIR that Triton's front end makes and prints. */
#ifndef ASCTUNE_CODE_TTIR_ROLES_H
#define ASCTUNE_CODE_TTIR_ROLES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

enum { TTIR_MAX_POINTERS = 63 };

enum ttir_use { /* bits */
		TTIR_LOADS = 1,
		TTIR_STORES = 2,
		TTIR_UPDATES = 4 /* by an atomic operation, which reads and writes */
};

struct ttir_roles {
	unsigned uses[TTIR_MAX_POINTERS]; /* of the kernel's pointers and descriptors, in order:
					     enum ttir_use; 0: never */
	size_t n;
	bool loops;        /* there is a loop that stages may overlap */
	bool follows_data; /* some address is made of loaded or passed numbers */
};

/* Reads the kernel of a module, its one public function, with the functions that it calls. Where
 * control flow decides which of two pointers is meant, both count. ASC_INPUT: it is no such text;
 * ASC_LIMIT: the kernel has more pointers than TTIR_MAX_POINTERS. */
enum asc_status ttir_read_roles(const char *text, size_t len, struct ttir_roles *out,
				struct asc_err *e);

#endif
