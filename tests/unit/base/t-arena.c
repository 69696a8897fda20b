/* Memory that ends together: zeroed, aligned, apart, whatever its size.
 * covers: arena.c */
#include "tuner/base/arena.h"

#include <stdint.h>
#include <string.h>

#include "tests/tap.h"

int main(void)
{
	enum { N = 3000 };
	struct arena a = {0};
	unsigned char *parts[N];
	size_t zeroed = 0, aligned = 0, kept = 0;

	for (size_t i = 0; i < N; i++) {
		const size_t size = 1 + i % 97 + (i % 500 == 0 ? 100000 : 0);

		parts[i] = arena_alloc(&a, size);
		size_t at = 0;

		while (at < size && parts[i][at] == 0)
			at++;
		zeroed += at == size;
		aligned += (uintptr_t)parts[i] % _Alignof(max_align_t) == 0;
		memset(parts[i], (int)(i % 251) + 1, size);
	}
	for (size_t i = 0; i < N; i++) {
		const size_t size = 1 + i % 97 + (i % 500 == 0 ? 100000 : 0);

		kept += parts[i][0] == i % 251 + 1 && parts[i][size - 1] == i % 251 + 1;
	}
	tap_int((int64_t)zeroed, N, "all parts are zeroed");
	tap_int((int64_t)aligned, N, "and aligned");
	tap_int((int64_t)kept, N, "none overlaps another");
	tap_str(arena_copy(&a, "a text"), "a text", "a copy of a text");
	tap_str(arena_copy(&a, ""), "", "of an empty one");
	arena_clear(&a);
	const struct arena_block *kept_block = a.blocks;
	const unsigned char *part = arena_alloc(&a, 100);

	tap_ok(part && a.blocks == kept_block && a.used < 200,
	       "a cleared arena has its last block");
	arena_fini(&a);
	arena_clear(&a);
	tap_ok(!a.blocks && a.size == 0, "an arena that has ended is empty");
	arena_fini(&a);
	return tap_done();
}
