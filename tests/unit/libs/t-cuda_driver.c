/* What the CUDA driver's error codes mean, in the driver's words. Needs no driver.
 * covers: cuda_driver.c */
#include "tuner/device/libs/cuda_driver.h"

#include <stddef.h>

#include "tests/tap.h"

static unsigned error_name(unsigned rc, const char **name)
{
	*name = rc == 999 ? NULL : "CUDA_ERROR_NAME";
	return rc == 999;
}

static unsigned error_text(unsigned rc, const char **text)
{
	*text = rc == 2 ? "out of memory" : "some words";
	return 0;
}

/* Numbers of cuda.h. */
static void test_statuses(void)
{
	static const struct {
		unsigned rc;
		enum asc_status status;
	} cases[] = {{2, ASC_NOMEM},   {100, ASC_ABSENT}, {200, ASC_INPUT}, {209, ASC_INPUT},
		     {500, ASC_INPUT}, {701, ASC_LIMIT},  {720, ASC_LIMIT}, {700, ASC_IO}};
	const struct cuda_driver cu = {.error_name = error_name, .error_text = error_text};
	struct asc_err e;

	tap_int(cuda_driver_check(&cu, 0, "cuInit", &e), ASC_OK, "0 is success");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		tap_int(cuda_driver_check(&cu, cases[i].rc, "cuCall", &e), cases[i].status,
			"error %u: %s", cases[i].rc, asc_status_name(cases[i].status));
	cuda_driver_check(&cu, 2, "cuMemAlloc", &e);
	tap_str(e.text, "cuMemAlloc: out of memory (CUDA_ERROR_NAME, 2)", "call, words and number");
	cuda_driver_check(&cu, 999, "cuInit", &e);
	tap_str(e.text, "cuInit: some words (?, 999)", "an error without a name");
}

int main(void)
{
	test_statuses();
	return tap_done();
}
