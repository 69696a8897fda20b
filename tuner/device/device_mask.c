#include "tuner/device/device_mask.h"

#include <string.h>
#include <unistd.h>

#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"

void device_mask_draw(struct device_mask *out)
{
	struct rng rng;

	if (getentropy(out->key, sizeof out->key) == 0)
		return;
	rng_init(&rng, (uint64_t)clock_now_ns());
	for (size_t i = 0; i < sizeof out->key / sizeof *out->key; i++)
		out->key[i] = rng_next(&rng);
}

void device_mask_apply(const struct device_mask *m, uint64_t first, const double *from, size_t n,
		       double *to)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;

		memcpy(&bits, from + i, sizeof bits);
		bits ^= rng_mix(rng_mix((first + i) ^ m->key[0]) ^ m->key[1]) ^ m->key[2];
		memcpy(to + i, &bits, sizeof bits);
	}
}
