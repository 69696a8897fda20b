/* Functions of vendor libraries: nothing to build. What a device loads is the source's own name,
 * "openblas:gemm"; which libraries are there is for tuner/device/vendor/vendor to say. */
#include "tuner/base/buf.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"

static enum asc_status vendor_builder_toolchain(struct buf *out, struct asc_err *e)
{
	buf_add_str(out, "none");
	return buf_check(out, e);
}

static void vendor_builder_key(const struct build_request *r, struct hash *h)
{
	hash_add_str(h, r->source);
	hash_add_str(h, r->entry);
}

static const char *const devices[] = {"cpu", "cuda", "npu", NULL};

const struct builder_ops builder_vendor = {
	.name = "vendor",
	.summary = "functions of vendor libraries (asctune list vendors)",
	.devices = devices,
	.toolchain = vendor_builder_toolchain,
	.key = vendor_builder_key,
};
