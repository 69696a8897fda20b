#include "tuner/device/cuda_driver.h"

#include <pthread.h>
#include <stdbool.h>

#include "tuner/base/library.h"

static const struct library_symbol symbols[] = {
#define X(member, symbol, parameters, optional)                                                    \
	{#symbol, offsetof(struct cuda_driver, member), optional},
	CUDA_DRIVER_LIST(X)
#undef X
		{0}};

static struct {
	pthread_once_t once;
	struct cuda_driver driver;
	struct asc_err failure; /* status ASC_OK: the driver is there */
} library = {.once = PTHREAD_ONCE_INIT};

/* A driver that cannot be used is as good as none. */
static void open_driver(void)
{
	struct asc_err *e = &library.failure;

	if (library_open("libcuda.so.1", symbols, &library.driver, e))
		return;
	if (cuda_driver_check(&library.driver, library.driver.init(0), "cuInit", e))
		e->status = ASC_ABSENT;
}

enum asc_status cuda_driver_get(const struct cuda_driver **out, struct asc_err *e)
{
	(void)pthread_once(&library.once, open_driver);
	*out = &library.driver;
	if (library.failure.status)
		*e = library.failure;
	return library.failure.status;
}

static enum asc_status status_of(unsigned rc)
{
	static const struct {
		unsigned rc;
		enum asc_status status;
	} known[] = {
		{CUDA_ERROR_NOMEM, ASC_NOMEM},           {CUDA_ERROR_NONE_HERE, ASC_ABSENT},
		{CUDA_ERROR_BAD_IMAGE, ASC_INPUT},       {CUDA_ERROR_OTHER_ARCH, ASC_INPUT},
		{CUDA_ERROR_NO_SYMBOL, ASC_INPUT},       {CUDA_ERROR_RESOURCES, ASC_LIMIT},
		{CUDA_ERROR_TOO_MANY_BLOCKS, ASC_LIMIT},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].rc == rc)
			return known[i].status;
	return ASC_IO;
}

enum asc_status cuda_driver_check(const struct cuda_driver *cu, unsigned rc, const char *what,
				  struct asc_err *e)
{
	const char *name = "?", *text = "unknown error";

	if (rc == 0)
		return ASC_OK;
	(void)cu->error_name(rc, &name);
	(void)cu->error_text(rc, &text);
	return asc_err_set(e, status_of(rc), "%s: %s (%s, %u)", what, text, name ? name : "?", rc);
}
