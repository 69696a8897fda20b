#include "standin/standin_arguments.h"

#include <stdio.h>
#include <string.h>

#include "standin/standin_launch.h"
#include "standin/standin_memory.h"

enum { WIDE = 8, NARROW = 4 };

struct reader {
	const unsigned char *block;
	size_t bytes, at;
	char *why; /* "" until something fails */
	size_t size;
};

#define FAIL(r, ...)                                                                               \
	do {                                                                                       \
		if (!*(r)->why)                                                                    \
			(void)snprintf((r)->why, (r)->size, __VA_ARGS__);                          \
	} while (0)

/* Takes `n` bytes at the next multiple of `align`. */
static void take(struct reader *r, void *out, size_t n, size_t align)
{
	const size_t at = (r->at + align - 1) / align * align;

	memset(out, 0, n);
	if (at + n > r->bytes)
		FAIL(r, "the argument block of %zu bytes ends before its member at %zu", r->bytes,
		     at);
	else
		memcpy(out, r->block + at, n);
	r->at = at + n;
}

static int64_t take_integer(struct reader *r, size_t n)
{
	int64_t wide = 0;
	int32_t word = 0;
	int16_t half = 0;
	int8_t byte = 0;

	switch (n) {
	case sizeof wide: take(r, &wide, n, WIDE); return wide;
	case sizeof word: take(r, &word, n, NARROW); return word;
	case sizeof half: take(r, &half, n, NARROW); return half;
	default: take(r, &byte, sizeof byte, NARROW); return byte;
	}
}

static double take_real(struct reader *r, char letter)
{
	double wide = 0;
	float narrow = 0;

	if (letter == 'd') {
		take(r, &wide, sizeof wide, WIDE);
		return wide;
	}
	take(r, &narrow, sizeof narrow, NARROW);
	return narrow;
}

static void *take_address(struct reader *r)
{
	void *address = NULL;

	take(r, &address, sizeof address, WIDE);
	return address;
}

/* Takes a tensor's address; null is that of an absent one. */
static void take_tensor(struct reader *r, size_t i, struct standin_arguments *out)
{
	void *address = take_address(r);

	out->device[i] = address;
	out->values[i].address = address ? standin_memory_at(address, 1) : NULL;
	if (address && !out->values[i].address)
		FAIL(r, "argument %zu, %p, is no address of device memory", i, address);
}

static void take_argument(struct reader *r, char letter, size_t i, struct standin_arguments *out)
{
	static const char widths[] = "b\1h\2w\4q\10";
	const char *width = strchr(widths, letter);

	if (letter == 'p' || letter == 'o')
		take_tensor(r, i, out);
	else if (letter == 'f' || letter == 'd')
		out->values[i].real = take_real(r, letter);
	else if (width)
		out->values[i].integer = take_integer(r, (size_t)width[1]);
	else
		FAIL(r, "its binary names the unknown type %c", letter);
}

static void take_head(struct reader *r)
{
	if (standin_get_control()->rates.has_ffts && take_address(r) != standin_sync_address())
		FAIL(r, "its argument block does not begin with the synchronisation address");
	const void *lock = take_address(r), *workspace = take_address(r);
	if (lock || workspace)
		FAIL(r, "lock or workspace is given to a kernel that has none");
}

static void take_grid(struct reader *r, uint32_t blocks)
{
	const int64_t x = take_integer(r, NARROW), y = take_integer(r, NARROW),
		      z = take_integer(r, NARROW);

	if (x < 1 || y < 1 || z < 1 || x * y * z != (int64_t)blocks)
		FAIL(r, "its grid of %lldx%lldx%lld is launched with %u blocks", (long long)x,
		     (long long)y, (long long)z, blocks);
}

/* Refuses a launch that is beyond the device's limits, whatever its arguments are. */
static void check_limits(struct reader *r, const struct twin_kernel *k, uint32_t blocks)
{
	const struct limits *l = &standin_get_control()->limits;
	const struct memory_space *ub = limits_space(l, "ub"), *l0c = limits_space(l, "l0c");

	if (blocks > (uint32_t)l->grid_product)
		FAIL(r, "coreDim=%u can't be greater than UINT16_MAX", blocks);
	if (ub && k->ub_bytes > ub->bytes)
		FAIL(r, "it needs %lld bytes of UB of %lld", (long long)k->ub_bytes,
		     (long long)ub->bytes);
	if (l0c && k->l0c_bytes > l0c->bytes)
		FAIL(r, "it needs %lld bytes of L0C of %lld", (long long)k->l0c_bytes,
		     (long long)l0c->bytes);
}

bool standin_arguments_decode(const struct twin_kernel *k, const unsigned char *block, size_t bytes,
			      uint32_t blocks, struct standin_arguments *out, char *why,
			      size_t size)
{
	struct reader r = {.block = block, .bytes = bytes, .why = why, .size = size};

	*why = '\0';
	*out = (struct standin_arguments){.n = strlen(k->arguments)};
	check_limits(&r, k, blocks);
	if (out->n > STANDIN_MAX_ARGUMENTS)
		FAIL(&r, "it has %zu arguments", out->n);
	if (*why)
		return false;
	take_head(&r);
	for (size_t i = 0; i < out->n; i++)
		take_argument(&r, k->arguments[i], i, out);
	take_grid(&r, blocks);
	if (r.at != bytes)
		FAIL(&r, "its argument block has %zu bytes, expected %zu", bytes, r.at);
	return !*why;
}

void *standin_arguments_output(const struct twin_kernel *k, const struct standin_arguments *a)
{
	const char *o = strchr(k->arguments, 'o');

	return o ? a->values[o - k->arguments].address : NULL;
}

void standin_arguments_touch(const struct twin_kernel *k, const struct standin_arguments *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (k->arguments[i] == 'o' && a->device[i])
			standin_memory_touch(a->device[i]);
}
