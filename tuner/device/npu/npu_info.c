#include "tuner/device/npu/npu_info.h"

#include <stdio.h>
#include <string.h>

#include "tuner/device/clock.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/acl.h"
#include "tuner/device/npu/npu_clock.h"
#include "tuner/device/npu/npu_place.h"
#include "tuner/workload/limits/limits.h"

/* ---- which chip ---- */

/* Prints the SoC's name: "Ascend910B3". All devices of a host are of one kind. */
static enum asc_status find_soc(const struct acl_runtime *acl, char *text, size_t size,
				struct asc_err *e)
{
	const struct rt_runtime *rt;
	char old[NPU_SOC_NAME_BYTES] = "";
	const char *name = acl->soc_name ? acl->soc_name() : NULL;

	if (!name && rt_open(&rt, e))
		return asc_err_wrap(e, "%s",
				    acl->soc_name ? "aclrtGetSocName names no NPU"
						  : "this CANN has no aclrtGetSocName");
	if (!name && acl_check(acl, rt->soc_name(old, sizeof old), "rtGetSocVersion", e))
		return e->status = ASC_ABSENT;
	(void)snprintf(text, size, "%s", name ? name : old);
	if (!*text)
		return asc_err_set(e, ASC_ABSENT,
				   "the runtime has no name for the NPU that is here");
	return ASC_OK;
}

static enum asc_status start(const struct acl_runtime **acl, char *soc, size_t size,
			     struct asc_err *e)
{
	if (acl_start(acl, e) || find_soc(*acl, soc, size, e) || npu_check_soc(soc, e))
		return e->status;
	return ASC_OK;
}

static enum asc_status count_devices(const struct acl_runtime *acl, int *n, struct asc_err *e)
{
	uint32_t all = 0;

	if (acl_check(acl, acl->device_count(&all), "aclrtGetDeviceCount", e))
		return e->status = ASC_ABSENT;
	*n = (int)all;
	return ASC_OK;
}

int npu_info_count(void)
{
	const struct acl_runtime *acl;
	struct asc_err e;
	int n = 0;

	return acl_start(&acl, &e) || count_devices(acl, &n, &e) ? 0 : n;
}

bool npu_info_check(char *reason, size_t size)
{
	const struct acl_runtime *acl;
	struct asc_err e;
	char soc[64];
	int n = 0;

	if (acl_start(&acl, &e) || count_devices(acl, &n, &e) ||
	    (n > 0 && (find_soc(acl, soc, sizeof soc, &e) || npu_check_soc(soc, &e))))
		(void)snprintf(reason, size, "%s", e.text);
	else if (n == 0)
		(void)snprintf(reason, size, "CANN is here, but no NPU is");
	else
		return true;
	return false;
}

/* Refuses a stand-in that is named as a device, and a device that is named as a stand-in. */
static enum asc_status check_standin(const struct acl_runtime *acl, const struct npu_place *p,
				     struct asc_err *e)
{
	if (p->simulated && !acl->standin)
		return asc_err_set(e, ASC_USAGE, "the CANN of npu:sim:%s is no stand-in",
				   p->soc.name);
	if (!p->simulated && acl->standin)
		return asc_err_set(e, ASC_USAGE,
				   "this CANN is a stand-in, whose times a model gives: name its "
				   "device npu:sim:SOC");
	return ASC_OK;
}

enum asc_status npu_info_find(const char *place, int *number, struct asc_err *e)
{
	const struct acl_runtime *acl;
	struct npu_place p;
	int n = 0;

	*number = 0;
	if (npu_place_parse(place, &p, e) || acl_start(&acl, e) || check_standin(acl, &p, e) ||
	    count_devices(acl, &n, e))
		return e->status;
	return p.simulated ? ASC_OK : device_parse_number("npu", place, n, number, e);
}

/* ---- facts ---- */

/* Reads the facts that this version of the runtime has functions for; the others stay as the table
 * of models has them. */
static void read_facts(const struct acl_runtime *acl, int number, struct facts *f)
{
	static const struct {
		enum fact fact;
		unsigned attribute;
		int info; /* number in the older function; -1: none */
	} table[] = {
		{FACT_PROCESSORS, NPU_ATTRIBUTE_AI_CORES, NPU_DEVICE_INFO_AI_CORES},
		{FACT_VECTOR_CORES, NPU_ATTRIBUTE_VECTOR_CORES, NPU_DEVICE_INFO_VECTOR_CORES},
		{FACT_L2_BYTES, NPU_ATTRIBUTE_L2_BYTES, NPU_DEVICE_INFO_L2_BYTES},
		{FACT_CUBE_CORES, NPU_ATTRIBUTE_CUBE_CORES, -1},
		{FACT_UB_BYTES, NPU_ATTRIBUTE_UB_BYTES, -1},
		{FACT_MEMORY_BYTES, NPU_ATTRIBUTE_MEMORY_BYTES, -1},
	};
	const uint32_t device = (uint32_t)number;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		int64_t value = 0;
		int rc =
			acl->device_info ? acl->device_info(device, table[i].attribute, &value) : 1;

		if (rc != 0 && acl->device_capability && table[i].info >= 0)
			rc = acl->device_capability(device, table[i].info, &value);
		facts_set(f, table[i].fact, rc == 0 ? value : 0);
	}
	if (f->known[FACT_L2_BYTES])
		facts_set(f, FACT_LLC_BYTES, f->value[FACT_L2_BYTES]);
}

/* Prints "ACL 1.15.0, runtime 8.2.RC1, driver 25.2": versions that may change results. */
static void print_driver(const struct acl_runtime *acl, char *text, size_t size)
{
	int32_t v[3] = {0};
	size_t used = 0;

	if (acl->version(&v[0], &v[1], &v[2]) == 0)
		used = (size_t)snprintf(text, size, "ACL %d.%d.%d", (int)v[0], (int)v[1],
					(int)v[2]);
	for (size_t i = 0; acl->package_version && i < 2 && used < size; i++) {
		char package[] = "runtime", driver[] = "driver", version[NPU_VERSION_BYTES] = "";
		char *name = i == 0 ? package : driver;

		if (acl->package_version(name, version) == 0 && *version)
			used += (size_t)snprintf(text + used, size - used, "%s%s %.30s",
						 used > 0 ? ", " : "", name, version);
	}
}

static void read_machine(const struct acl_runtime *acl, int number, char *text, size_t size)
{
	unsigned char uuid[NPU_UUID_BYTES] = {0};

	if (acl->device_uuid && acl->device_uuid(number, (void *)uuid) == 0)
		device_print_uuid("NPU", uuid, text, size);
}

enum asc_status npu_info_read(const char *place, struct device_info *out, struct asc_err *e)
{
	const struct acl_runtime *acl;
	struct limits model;
	int number = 0;

	*out = (struct device_info){.queues = true};
	if (npu_info_find(place, &number, e) || start(&acl, out->model, sizeof out->model, e))
		return e->status;
	(void)snprintf(out->arch, sizeof out->arch, "%.60s", out->model);
	if (limits_find(out->model, &model) && strcmp(model.name, out->model) == 0)
		out->facts = model.facts;
	read_facts(acl, number, &out->facts);
	print_driver(acl, out->driver, sizeof out->driver);
	read_machine(acl, number, out->machine, sizeof out->machine);
	if (clock_describe(&npu_clocks, out, e))
		return e->status;
	out->simulated = acl->standin != NULL;
	if (out->simulated)
		(void)snprintf(out->model, sizeof out->model, "%s (stand-in)", out->arch);
	return device_info_seal(out, "npu", e);
}
