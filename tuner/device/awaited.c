/* Devices without a back end, listed so that `list devices` and `auto` say what is missing: the
 * driver's library, in the loader's own words, or the back end. */
#include <dlfcn.h>
#include <stdio.h>

#include "tuner/device/device.h"

static bool explain(const char *library, const char *platform, char *reason, size_t size)
{
	void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);

	if (!handle) {
		const char *words = dlerror();
		snprintf(reason, size, "%s", words ? words : library);
		return false;
	}
	dlclose(handle);
	snprintf(reason, size, "this version has no %s back end yet", platform);
	return false;
}

static bool npu_check(char *reason, size_t size)
{
	return explain("libascendcl.so", "Ascend", reason, size);
}

static int count_none(void)
{
	return 0;
}

static enum asc_status inspect_none(const char *place, struct device_info *out, struct asc_err *e)
{
	(void)out;
	return asc_err_set(e, ASC_ABSENT, "this version has no back end for device \"%s\"", place);
}

const struct device_ops device_npu = {
	.name = "npu",
	.summary = "Ascend NPUs",
	.check = npu_check,
	.count = count_none,
	.inspect = inspect_none,
};
