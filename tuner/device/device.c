#include "tuner/device/device.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/units.h"
#include "tuner/device/devices.h"
#include "tuner/model/limits.h"

enum { MAX_NAMES = 16, REASON_SIZE = 256, NAMES_SIZE = 128 };

const struct device_ops *const device_list[] = {&device_cuda, &device_npu, &device_cpu, NULL};

const struct device_ops *device_find(const char *name)
{
	for (size_t i = 0; device_list[i]; i++)
		if (strcmp(device_list[i]->name, name) == 0)
			return device_list[i];
	return NULL;
}

/* What people call devices by: a GPU by its class or its model, which has the compute capability
 * that NVIDIA's list of CUDA GPUs says. */
static const struct {
	const char *called, *name;
} other_names[] = {{"gpu", "cuda"},    {"nvidia", "cuda"},  {"ascend", "npu"}, {"V100", "sm_70"},
		   {"T4", "sm_75"},    {"A100", "sm_80"},   {"A30", "sm_80"},  {"A10", "sm_86"},
		   {"A40", "sm_86"},   {"L4", "sm_89"},     {"L40", "sm_89"},  {"L40S", "sm_89"},
		   {"H20", "sm_90"},   {"H100", "sm_90"},   {"H200", "sm_90"}, {"GH200", "sm_90"},
		   {"B200", "sm_100"}, {"GB200", "sm_100"}, {NULL, NULL}};

/* Up to its colon; NULL: nobody calls one so. */
static const char *find_other_name(const char *text)
{
	const size_t n = strcspn(text, ":");

	for (size_t i = 0; other_names[i].called; i++)
		if (strlen(other_names[i].called) == n &&
		    strncasecmp(other_names[i].called, text, n) == 0)
			return other_names[i].name;
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
	if (limits_find(text, &model))
		return asc_err_set(e, ASC_ABSENT,
				   "%s is a target to plan for, not a device of this machine; to "
				   "measure, name one of %s",
				   text, all);
	const char *nearest = find_other_name(text);
	if (!nearest)
		nearest = str_nearest(text, names);
	if (!nearest)
		nearest = limits_nearest(text);
	if (nearest)
		return asc_err_set(e, ASC_USAGE, "no device \"%s\"; did you mean \"%s\"?", text,
				   nearest);
	return asc_err_set(e, ASC_USAGE,
			   "no device \"%s\"; there are %s (and models to plan for: "
			   "asctune list devices --all)",
			   text, all);
}

/* What follows the colon of "cuda:1"; `suffix` is NULL when there is none. */
static enum asc_status parse_ordinal(const char *text, const char *suffix, int *ordinal,
				     struct asc_err *e)
{
	uint64_t number = 0;

	*ordinal = 0;
	if (!suffix || strcmp(suffix, "0") == 0)
		return ASC_OK;
	if (strcmp(suffix, "all") == 0 || strncmp(suffix, "sim:", 4) == 0)
		return asc_err_set(e, ASC_ABSENT, "%s: this version measures on one real device",
				   text);
	if (!units_parse_count(suffix, &number) || number > 9999)
		return asc_err_set(e, ASC_USAGE, "%s: expected a device number after the colon",
				   text);
	*ordinal = (int)number;
	return ASC_OK;
}

/* `absent` names the devices that were asked before, in vain. */
static enum asc_status describe(const struct device_ops *ops, int ordinal, const char *absent,
				char *why, size_t size, struct asc_err *e)
{
	struct device_info info;
	char threads[40] = "";

	enum asc_status s = ops->inspect(ordinal, &info, e);
	if (s)
		return s;
	if (info.facts.known[FACT_THREADS])
		snprintf(threads, sizeof threads, ", %lld thread%s",
			 (long long)info.facts.value[FACT_THREADS],
			 info.facts.value[FACT_THREADS] == 1 ? "" : "s");
	snprintf(why, size, "%s: %s%s%s%s%s", ops->name, info.model, threads, *absent ? " (" : "",
		 absent, *absent ? ": not here; see `asctune list devices`)" : "");
	return ASC_OK;
}

static enum asc_status choose_first(const struct device_ops **ops, int *ordinal, char *why,
				    size_t size, struct asc_err *e)
{
	char reason[REASON_SIZE], others[3 * REASON_SIZE] = "", absent[NAMES_SIZE] = "";

	for (size_t i = 0; device_list[i]; i++) {
		if (device_list[i]->check(reason, sizeof reason)) {
			*ops = device_list[i];
			*ordinal = 0;
			return describe(*ops, 0, absent, why, size, e);
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

enum asc_status device_choose(const char *text, const struct device_ops **ops, int *ordinal,
			      char *why, size_t size, struct asc_err *e)
{
	char name[16], reason[REASON_SIZE];
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	if (strcmp(text, "auto") == 0)
		return choose_first(ops, ordinal, why, size, e);
	snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
	const struct device_ops *found = device_find(name);
	if (!found)
		return fail_unknown(text, e);
	enum asc_status s = parse_ordinal(text, colon ? colon + 1 : NULL, ordinal, e);
	if (s)
		return s;
	if (!found->check(reason, sizeof reason))
		return asc_err_set(e, ASC_ABSENT, "%s: %s", found->name, reason);
	if (*ordinal >= found->count())
		return asc_err_set(e, ASC_ABSENT, "%s: there are %d, numbered from 0", text,
				   found->count());
	*ops = found;
	return describe(found, *ordinal, "", why, size, e);
}

enum asc_status device_info_seal(struct device_info *info, const char *device, struct asc_err *e)
{
	struct hash *h = hash_new();

	if (!h)
		return asc_err_nomem(e);
	hash_add_str(h, device);
	hash_add_str(h, info->model);
	hash_add_str(h, info->arch);
	hash_add_str(h, info->driver);
	hash_add_str(h, info->clock);
	if (*info->machine)
		hash_add_str(h, info->machine);
	for (int i = 0; i < FACT_COUNT; i++) {
		if (!info->facts.known[i])
			continue; /* a fact that is new to the list is no new device */
		hash_add_str(h, facts_name((enum fact)i));
		hash_add(h, &info->facts.value[i], sizeof info->facts.value[i]);
	}
	hash_print(h, info->fingerprint);
	hash_free(h);
	return ASC_OK;
}
