/* Any text as the TTIR of a kernel: its roles are read or it is refused, and a pointer that nothing
 * touches has none.
 * covers: ttir_roles.c */
#include "tuner/code/ttir_roles.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy without a NUL behind it: nothing is read there. */
	char *text = malloc(size + 1);
	struct ttir_roles r;
	struct asc_err e;
	unsigned any = 0;

	if (!text)
		return 0;
	text = realloc(text, size ? size : 1);
	memcpy(text, data, size);
	if (ttir_read_roles(text, size, &r, &e) == ASC_OK) {
		for (size_t i = 0; i < r.n; i++)
			any |= r.uses[i];
		if (r.n > TTIR_MAX_POINTERS || any > (TTIR_LOADS | TTIR_STORES | TTIR_UPDATES))
			abort();
		if (any & TTIR_LOADS && !memmem(text, size, "_load", 5) &&
		    !memmem(text, size, "tt.load", 7) && !memmem(text, size, "gather", 6) &&
		    !memmem(text, size, "inline_asm", 10))
			abort();
	}
	free(text);
	return 0;
}
