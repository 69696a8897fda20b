#include "tuner/device/device.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/workload/limits/limits.h"

enum { MAX_NAMES = 16, REASON_SIZE = 256, NAMES_SIZE = 128 };

const struct device_ops *const device_list[] = {&device_cuda, &device_npu, &device_cpu, NULL};

const struct device_ops *device_find(const char *name)
{
	for (size_t i = 0; device_list[i]; i++)
		if (strcmp(device_list[i]->name, name) == 0)
			return device_list[i];
	return NULL;
}

struct alias {
	const char *called, *means;
};

/* Common names of devices: a GPU by its class or its model, which has the compute capability that
 * NVIDIA's list of CUDA GPUs says. */
static const struct alias other_names[] = {
	{"gpu", "cuda"},    {"nvidia", "cuda"},  {"ascend", "npu"}, {"V100", "sm_70"},
	{"T4", "sm_75"},    {"A100", "sm_80"},   {"A30", "sm_80"},  {"A10", "sm_86"},
	{"A40", "sm_86"},   {"L4", "sm_89"},     {"L40", "sm_89"},  {"L40S", "sm_89"},
	{"H20", "sm_90"},   {"H100", "sm_90"},   {"H200", "sm_90"}, {"GH200", "sm_90"},
	{"B200", "sm_100"}, {"GB200", "sm_100"}, {NULL, NULL}};

/* Names that other programs and vendors' runtimes have for devices that asctune does not tune on.
 */
static const char INTEL[] = "Intel's GPUs and accelerators", AMD[] = "AMD's GPUs",
		  GPU[] = "GPUs other than NVIDIA's", NPU[] = "NPUs other than Ascend's";
static const struct alias out_of_scope[] = {
	{"xpu", INTEL}, {"intel", INTEL}, {"sycl", INTEL}, {"oneapi", INTEL}, {"hpu", INTEL},
	{"hip", AMD},   {"rocm", AMD},    {"amd", AMD},    {"amdgpu", AMD},   {"mps", GPU},
	{"metal", GPU}, {"musa", GPU},    {"maca", GPU},   {"tpu", NPU},      {"mlu", NPU},
	{"gcu", NPU},   {"neuron", NPU},  {NULL, NULL}};

/* Finds what `text`, up to its colon, means in a list of names; NULL: nothing. */
static const char *find_alias(const struct alias *list, const char *text)
{
	const size_t n = strcspn(text, ":");

	for (size_t i = 0; list[i].called; i++)
		if (strlen(list[i].called) == n && strncasecmp(list[i].called, text, n) == 0)
			return list[i].means;
	return NULL;
}

static enum asc_status fail_unknown(const char *text, struct asc_err *e)
{
	const char *names[MAX_NAMES + 2] = {"auto"};
	char all[NAMES_SIZE] = "auto";
	struct limits model;

	for (size_t i = 0; device_list[i] && i < MAX_NAMES; i++) {
		size_t used = strlen(all);
		names[i + 1] = device_list[i]->name;
		snprintf(all + used, sizeof all - used, ", %s", device_list[i]->name);
	}
	const bool known = limits_find(text, &model);
	const bool has_standin = known && model.has_standin;

	/* A model of the table: planning takes it, measuring does not. */
	if (known)
		return asc_err_set(e, ASC_ABSENT,
				   "%s is a target to plan for, not a device of this machine; to "
				   "measure, name one of %s%s%s%s",
				   text, all, has_standin ? " (or npu:sim:" : "",
				   has_standin ? text : "", has_standin ? ", a stand-in)" : "");
	/* No near name would be one that such a device has. */
	const char *foreign = find_alias(out_of_scope, text);
	if (foreign)
		return asc_err_set(e, ASC_USAGE,
				   "no device \"%s\": %s are out of scope; there are %s", text,
				   foreign, all);
	/* From what it surely means to what it may be a slip of. */
	const char *nearest = find_alias(other_names, text);
	if (!nearest)
		nearest = str_nearest(text, names);
	if (!nearest)
		nearest = limits_nearest(text);
	if (nearest)
		return asc_err_set(e, ASC_USAGE, "no device \"%s\"; did you mean \"%s\"?", text,
				   nearest);
	return asc_err_set(e, ASC_USAGE,
			   "no device \"%s\"; there are %s (and models to plan for: "
			   "`%s list devices --all`)",
			   text, all, shell_program());
}

enum asc_status device_parse_number(const char *device, const char *place, int count, int *number,
				    struct asc_err *e)
{
	uint64_t n = 0;

	*number = 0;
	if (strcmp(place, "all") == 0 || strncmp(place, "sim:", 4) == 0)
		return asc_err_set(e, ASC_ABSENT, "%s:%s: this version measures on one real device",
				   device, place);
	if (*place && strcmp(place, "0") != 0 && (!units_parse_count(place, &n) || n > 9999))
		return asc_err_set(e, ASC_USAGE, "%s:%s: expected a device number after the colon",
				   device, place);
	*number = (int)n;
	if (*number >= count)
		return asc_err_set(e, ASC_ABSENT, "%s:%d: there are %d, numbered from 0", device,
				   *number, count);
	return ASC_OK;
}

/* Prints the one line about the chosen device; `absent` names the devices that were found unusable
 * before. */
static enum asc_status describe(const struct device_ops *ops, const char *place, const char *absent,
				char *why, size_t size, struct asc_err *e)
{
	struct device_info info;
	char threads[40] = "";

	enum asc_status s = ops->inspect(place, &info, e);
	if (s)
		return s;
	const char *caveat = info.simulated ? NULL : ops->caveat;

	if (info.facts.known[FACT_THREADS])
		snprintf(threads, sizeof threads, ", %lld thread%s",
			 (long long)info.facts.value[FACT_THREADS],
			 info.facts.value[FACT_THREADS] == 1 ? "" : "s");
	const int n = snprintf(why, size, "%s: %s%s%s%s%s", ops->name, info.model, threads,
			       caveat ? ", " : "", caveat ? caveat : "",
			       info.simulated ? ": no device, a model gives its times" : "");
	if (*absent && n >= 0 && (size_t)n < size)
		snprintf(why + n, size - (size_t)n, " (%s: not here; see `%s list devices`)",
			 absent, shell_program());
	return ASC_OK;
}

static enum asc_status choose_first(const struct device_ops **ops, char *why, size_t size,
				    struct asc_err *e)
{
	char reason[REASON_SIZE], others[3 * REASON_SIZE] = "", absent[NAMES_SIZE] = "";

	for (size_t i = 0; device_list[i]; i++) {
		/* The line names those before it; `list devices` has their reasons. */
		if (device_list[i]->check(reason, sizeof reason)) {
			*ops = device_list[i];
			return describe(*ops, "", absent, why, size, e);
		}
		size_t named = strlen(absent);
		snprintf(absent + named, sizeof absent - named, "%s%s", named ? ", " : "",
			 device_list[i]->name);
		size_t used = strlen(others);
		snprintf(others + used, sizeof others - used, "%s%s: %s", used ? "; " : "",
			 device_list[i]->name, reason);
	}
	return asc_err_set(e, ASC_ABSENT, "no device is usable here (%s)", others);
}

enum asc_status device_parse(const char *text, const struct device_ops **ops,
			     char place[DEVICE_PLACE_SIZE], struct asc_err *e)
{
	char name[16];
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	/* `auto` has no place: the first of the kind that is found. */
	*place = '\0';
	*ops = NULL;
	if (strcmp(text, "auto") == 0)
		return ASC_OK;
	snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
	*ops = device_find(name);
	if (!*ops)
		return fail_unknown(text, e);
	if (colon && (!colon[1] || strlen(colon + 1) >= DEVICE_PLACE_SIZE))
		return asc_err_set(e, ASC_USAGE, "%s: expected a device number after the colon",
				   text);
	if (colon)
		snprintf(place, DEVICE_PLACE_SIZE, "%s", colon + 1);
	return ASC_OK;
}

enum asc_status device_choose(const char *text, const struct device_ops **ops,
			      char place[DEVICE_PLACE_SIZE], char *why, size_t size,
			      struct asc_err *e)
{
	char reason[REASON_SIZE];

	if (device_parse(text, ops, place, e))
		return e->status;
	if (!*ops)
		return choose_first(ops, why, size, e);
	if (!(*ops)->check(reason, sizeof reason))
		return asc_err_set(e, ASC_ABSENT, "%s: %s", text, reason);
	return describe(*ops, place, "", why, size, e);
}

enum asc_status device_load(const struct device_ops *ops, struct device *d, const char *artifact,
			    const char *entry, struct vendor_kernel **v, struct device_kernel **out,
			    struct asc_err *e)
{
	*v = NULL;
	if (vendor_is_source(artifact))
		return vendor_load(ops, d, artifact, entry, v, out, e);
	return ops->load(d, artifact, entry, out, e);
}

enum asc_status device_look(const struct device_ops *ops, struct device *d, struct device_buffer *b,
			    enum device_harm *harm, struct asc_err *e)
{
	return ops->look(d, &b, 1, harm, e);
}

enum asc_status device_info_seal(struct device_info *info, const char *device, struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	hash_add_str(&h, device);
	hash_add_str(&h, info->model);
	hash_add_str(&h, info->arch);
	hash_add_str(&h, info->driver);
	hash_add_str(&h, info->clock);
	if (*info->machine)
		hash_add_str(&h, info->machine);
	for (int i = 0; i < FACT_COUNT; i++) {
		if (!info->facts.known[i])
			continue; /* a fact that is new to the list is no new device */
		hash_add_str(&h, facts_name((enum fact)i));
		hash_add(&h, &info->facts.value[i], sizeof info->facts.value[i]);
	}
	return hash_end(&h, info->fingerprint, e);
}

bool device_info_is_alike(const struct device_info *info, const char *device, const char *machine,
			  const char *clock, const char *fingerprint)
{
	struct device_info other = *info;
	struct asc_err ignored;

	(void)snprintf(other.machine, sizeof other.machine, "%s", machine);
	(void)snprintf(other.clock, sizeof other.clock, "%s", clock);
	return strcmp(info->fingerprint, fingerprint) == 0 ||
	       (device_info_seal(&other, device, &ignored) == ASC_OK &&
		strcmp(other.fingerprint, fingerprint) == 0);
}

void device_print_uuid(const char *prefix, const unsigned char *uuid, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", prefix);

	for (size_t i = 0; i < DEVICE_UUID_BYTES && used < size; i++) {
		const bool group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;

		used += (size_t)snprintf(text + used, size - used, "%s%02x", group ? "-" : "",
					 uuid[i]);
	}
}

void scalar_store(enum dtype t, struct value v, void *out)
{
	double real = value_as_real(v);
	uint64_t bits = (uint64_t)v.i;
	uint8_t byte = (uint8_t)bits;
	uint16_t half = (uint16_t)bits;
	uint32_t word = (uint32_t)bits;

	/* Integers of 64 bits go by their bits: a double does not hold all of them. */
	if (dtype_is_float(t) || v.kind == VALUE_REAL)
		dtype_from_double(t, &real, out, 1);
	else if (dtype_bytes(t) == 8)
		memcpy(out, &bits, sizeof bits);
	else if (dtype_bytes(t) == 4)
		memcpy(out, &word, sizeof word);
	else if (dtype_bytes(t) == 2)
		memcpy(out, &half, sizeof half);
	else
		memcpy(out, &byte, sizeof byte);
}
