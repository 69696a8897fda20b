/* Functions of the stand-in's libascendcl.so that asctune does not call, but other programs do. */
#include <string.h>

#include "standin_case.h"
#include "tests/tap.h"

enum { H2D = NPU_HOST_TO_DEVICE, D2H = NPU_DEVICE_TO_HOST };

struct aclrtPtrAttributes {
	uint32_t id;
	int32_t type;
	uint32_t rest[5];
};

/* ---- process ---- */

static void types(void)
{
	HOLDS(acl.type_bytes(0) == 4 && acl.type_bytes(1) == 2 && acl.type_bytes(27) == 2);
	HOLDS(acl.type_bytes(9) == 8 && acl.type_bytes(12) == 1 && acl.type_bytes(-1) == 0);
	HOLDS(acl.to_half(1) == 0x3c00 && acl.to_half(-2) == 0xc000 &&
	      acl.to_half(65504) == 0x7bff);
	HOLDS(acl.from_half(0x3555) == 0.333251953125F && acl.from_half(0x7bff) == 65504);
}

/* ---- streams and memory ---- */

static void rows(void)
{
	static const char from[] = "abc.def.ghi.";
	char back[13] = "------------";
	void *at = NULL;

	(void)standin_case_begin();
	GIVES(acl.alloc_32(&at, 64, 0), 0);
	HOLDS((uintptr_t)at % 32 == 0);
	GIVES(acl.alloc_32(&at, 64, 3), 107000);
	GIVES(acl.set_now(at, 64, '_', 64), 0);
	GIVES(acl.copy_rows(at, 8, from, 4, 3, 3, H2D), 0);
	GIVES(acl.copy_rows(back, 3, at, 8, 3, 3, D2H), 0);
	HOLDS(memcmp(back, "abcdefghi---", 12) == 0);
	GIVES(acl.copy_now(back, sizeof back, at, 8, D2H), 0);
	HOLDS(memcmp(back, "abc_____", 8) == 0);
	GIVES(acl.copy_rows(at, 8, from, 2, 3, 3, H2D), 107000);
	GIVES(acl.copy_rows(at, 2, from, 4, 3, 3, H2D), 107000);
	GIVES(acl.copy_rows(at, 32, from, 4, 3, 3, H2D), 107000); /* the last row lies outside */
	GIVES(acl.copy_rows(at, 8, from, 4, 3, 3, D2H), 107000);
	GIVES(acl.copy_rows(at, 8, from, 4, 3, 0, H2D), 107000);
}

static void caches(void)
{
	void *stream = standin_case_begin(), *at = NULL, *host = NULL;
	struct aclrtPtrAttributes a = {.type = 9};

	GIVES(acl.alloc(&at, 64, 0), 0);
	GIVES(acl.host_alloc(&host, 64), 0);
	GIVES(acl.cache_operation(at, 64, 0, stream), 0);
	GIVES(acl.cache_operation(at, 65, 0, stream), 107000);
	GIVES(acl.cache_operation(host, 64, 0, stream), 107000);
	GIVES(acl.cache_operation(at, 64, 4, stream), 107000);
	GIVES(acl.cache_operation(at, 64, 0, NULL), 107000);
	GIVES(acl.pointer_attributes((char *)at + 8, &a), 0);
	HOLDS(a.type == 1);
	GIVES(acl.pointer_attributes(host, &a), 0);
	HOLDS(a.type == 0);
	GIVES(acl.pointer_attributes(&a, &a), 0);
	HOLDS(a.type == 2);
	GIVES(acl.pointer_attributes(NULL, &a), 107000);
}


int main(void)
{
	standin_case("head", "", types, "element types");
	standin_case("head", "", rows, "copies of rows");
	standin_case("head", "", caches, "caches and pointers");
	return tap_done();
}
