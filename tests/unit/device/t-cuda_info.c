/* What tells one GPU from another of its model, and what becomes of it in a fingerprint. Needs no
 * GPU.
 * covers: device.c */
#include "tuner/device/cuda/cuda_info.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

/* As NVIDIA's tools print it: groups of 4, 2, 2, 2 and 6 bytes (RFC 4122). */
static void test_uuid(void)
{
	unsigned char bytes[16];
	char text[48], few[9];

	for (int i = 0; i < 16; i++)
		bytes[i] = (unsigned char)(0xf0 - 15 * i);
	device_print_uuid("GPU", bytes, text, sizeof text);
	tap_str(text, "GPU-f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f", "all of it");
	device_print_uuid("GPU", bytes, few, sizeof few);
	tap_str(few, "GPU-f0e1", "as much as there is room for");
}

static void seal(struct device_info *info)
{
	struct asc_err e;

	tap_int(device_info_seal(info, "cuda", &e), ASC_OK, "sealed");
}

static void test_fingerprint(void)
{
	struct device_info one = {.model = "H200", .arch = "sm_90a", .machine = "GPU-1"};
	struct device_info other = one, newer = one, unknown = one;

	(void)snprintf(other.machine, sizeof other.machine, "GPU-2");
	(void)snprintf(newer.driver, sizeof newer.driver, "590");
	*unknown.machine = '\0';
	seal(&one);
	seal(&other);
	seal(&newer);
	seal(&unknown);
	tap_ok(strcmp(one.fingerprint, other.fingerprint) != 0, "two machines are two");
	tap_ok(strcmp(one.fingerprint, newer.fingerprint) != 0, "so are two drivers");
	tap_ok(strcmp(one.fingerprint, unknown.fingerprint) != 0, "and one that is not known");
	tap_str(one.machine, newer.machine, "but another driver makes no other machine");
}

/* Two GPUs of one name: of one kind, and with other clocks or memory. */
static void test_alike(void)
{
	struct device_info one = {.model = "H200", .driver = "580", .clock = "event"};
	struct device_info same, slower, larger;

	facts_set(&one.facts, FACT_CLOCK_MHZ, 1980);
	facts_set(&one.facts, FACT_MEMORY_BYTES, INT64_C(141) << 30);
	same = slower = larger = one;
	(void)snprintf(same.machine, sizeof same.machine, "GPU-2");
	(void)snprintf(same.clock, sizeof same.clock, "activity");
	(void)snprintf(slower.machine, sizeof slower.machine, "GPU-2");
	facts_set(&slower.facts, FACT_CLOCK_MHZ, 1755);
	facts_set(&larger.facts, FACT_MEMORY_BYTES, INT64_C(282) << 30);
	seal(&one);
	seal(&same);
	seal(&slower);
	seal(&larger);
	tap_ok(device_info_is_alike(&one, "cuda", "GPU-9", "x", one.fingerprint), "itself");
	tap_ok(device_info_is_alike(&one, "cuda", "GPU-2", "activity", same.fingerprint),
	       "another one of its kind");
	tap_ok(!device_info_is_alike(&one, "cuda", "GPU-3", "activity", same.fingerprint),
	       "with its own identity");
	tap_ok(!device_info_is_alike(&one, "cuda", "GPU-2", "event", slower.fingerprint),
	       "another clock");
	tap_ok(!device_info_is_alike(&one, "cuda", "", "event", larger.fingerprint),
	       "another memory");
}

int main(void)
{
	test_uuid();
	test_fingerprint();
	test_alike();
	return tap_done();
}
