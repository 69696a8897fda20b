/* Large spaces, and those that are too large.
 * covers: space_new.c space_build.c */
#include <sys/resource.h>

#include "tests/tap.h"
#include "tests/unit/space/sketch.h"
#include "tuner/workload/space/space.h"

static void check_count(size_t n, size_t size, const char *condition, uint64_t want)
{
	struct space *s;
	struct asc_err e;
	uint64_t index;
	struct config c;

	if (!tap_ok(sketch_wide(n, size, condition, &s, &e) == ASC_OK, "%zu values to the %zu",
		    size, n))
		return;
	tap_ok(space_count(s) == want, "%llu of them", (unsigned long long)space_count(s));
	space_get(s, want - 1, &c);
	tap_ok(space_find(s, &c, &index) && index == want - 1, "the last is found again");
	space_free(s);
}

static void check_refused(size_t n, size_t size, const char *condition, const char *message)
{
	struct space *s;
	struct asc_err e = {0};

	tap_int(sketch_wide(n, size, condition, &s, &e), ASC_LIMIT, "%zu values to the %zu", size,
		n);
	tap_has(e.text, message, "is refused and says why");
	space_free(s);
}

/* Sums of products, of which every pair of factors makes more: refused before they take memory. */
static void test_refused_early(void)
{
	static const char sum[] = "(a * b + c * d + e * f + g * h + i * j + k * l) % 1000003 == 3";
	static const char *const names[] = {"a", "b", "c", "d", "e", "f",
					    "g", "h", "i", "j", "k", "l"};
	struct value values[12];
	struct space_param params[12];
	const struct space_condition condition = {sum, "constraints[0]"};
	const struct space_spec spec = {
		.params = params, .n_params = 12, .conditions = &condition, .n_conditions = 1};
	struct space *s = NULL;
	struct rusage usage;
	struct asc_err e;

	for (int i = 0; i < 12; i++)
		values[i] = value_int(1 + i * i * 37);
	for (int i = 0; i < 12; i++)
		params[i] = (struct space_param){names[i], 12, values, values[0]};
	tap_int(space_new(&spec, &s, &e), ASC_LIMIT, "a sum of six products");
	tap_has(e.text, "distinguishes too many combinations (", "is refused and says why");
	getrusage(RUSAGE_SELF, &usage);
#ifdef __SANITIZE_ADDRESS__
	tap_skip("memory is the sanitizer's");
#else
	tap_ok(usage.ru_maxrss < 256L * 1024, "in %ld KiB at most", usage.ru_maxrss);
#endif
}

/* Golden numbers are arithmetic: 65535^4 = 18445618199572250625, 2^64 = 18446744073709551616;
 * of 65535^4 combinations a == 0 and b == 0 hold on 65535^2, and a <= b on 65535^3 * 65536 / 2. Of
 * three numbers half the combinations have an even sum, and odd factors do not change which; the
 * first two leave 200^2 different sums, so that 200^3 values are tried. */
static void test_large(void)
{
	check_count(4, 65535, NULL, UINT64_C(18445618199572250625));
	check_count(4, 65535, "a == 0 and b == 0", UINT64_C(65535) * 65535);
	check_count(1, 65535, NULL, 65535);
	check_count(3, 200, NULL, 8000000);
	check_count(3, 200, "(a + b * 211 + c * 44521) % 2 == 0", 4000000);
	check_refused(5, 65535, NULL, "more than 2^64 - 1 configurations");
	check_refused(5, 65535, "a + b + c + d + e >= 0", "more than 2^64 - 1 configurations");
	/* Whatever comes last, three parameters leave 200^3 different sums. */
	check_refused(4, 200, "(a + b * 211 + c * 44521 + d * 9393931) % 1000003 < 5",
		      "constraints[0]: \"(a + b * 211 + c * 44521 + d * 9393931) % 1000003 < "
		      "5\" distinguishes too many combinations (");
}

static void test_limits(void)
{
	struct space_param many[CONFIG_MAX_PARAMETERS + 1] = {{0}};
	const struct space_spec spec = {.params = many, .n_params = CONFIG_MAX_PARAMETERS + 1};
	struct space *s = NULL;
	struct asc_err e;

	tap_int(sketch_wide(1, 65536, NULL, &s, &e), ASC_INPUT, "65536 values are too many");
	tap_int(space_new(&spec, &s, &e), ASC_LIMIT, "65 parameters are too many");
}

int main(void)
{
	test_large();
	test_refused_early();
	test_limits();
	return tap_done();
}
