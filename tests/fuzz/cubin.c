/* Any bytes as a cubin: they are read, or refused, and nothing beyond their end is touched.
 * covers: cubin.c */
#include "tuner/build/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kernels[] = {"plain", "spills", ""};

	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		struct cubin_kernel k;
		struct asc_err e;

		if (cubin_read(data, size, kernels[i], &k, &e) == ASC_OK &&
		    (k.registers < 0 || k.local_bytes < 0 || k.shared_bytes < 0 || k.spills < -1))
			abort();
	}
	return 0;
}
