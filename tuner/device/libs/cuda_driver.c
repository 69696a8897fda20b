#include "tuner/device/libs/cuda_driver.h"

#include "tuner/device/libs/library.h"

static const struct library_symbol symbols[] = {
#define X(member, symbol, parameters, optional)                                                    \
	{#symbol, offsetof(struct cuda_driver, member), optional},
	CUDA_DRIVER_LIST(X)
#undef X
		{0}};

static struct cuda_driver driver;

/* A driver that cannot be used counts as absent. */
static enum asc_status begin(struct asc_err *e)
{
	if (cuda_driver_check(&driver, driver.init(0), "cuInit", e) == ASC_OK)
		return ASC_OK;
	return e->status = ASC_ABSENT;
}

static const char *const files[] = {"libcuda.so.1", NULL};
static struct library library = {
	.files = files, .symbols = symbols, .table = &driver, .begin = begin};

enum asc_status cuda_driver_get(const struct cuda_driver **out, struct asc_err *e)
{
	*out = &driver;
	return library_once(&library, e);
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
