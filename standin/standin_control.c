#include "standin/standin_control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 4096, MAX_DEVICES = 16 };
enum {
	COMPUTE_MS = 10000
}; /* below the limits of its callers, so that its own message comes first */

/* Memory of a SoC whose platform file states none. */
#define UNKNOWN_MEMORY_BYTES (INT64_C(32) << 30)

static enum asc_status refuse(struct asc_err *e, const char *key, const char *value,
			      const char *expected)
{
	return asc_err_set(e, ASC_INPUT, "STANDIN: %s=%s: expected %s", key, value, expected);
}

/* Parses a whole number of at least `low`; `end` is what follows it. */
static bool number_parse(const char *text, int64_t low, int64_t *out, const char **end)
{
	char *rest = NULL;

	errno = 0;
	const long long v = strtoll(text, &rest, 10);
	if (*text < '0' || *text > '9' || errno || v < low)
		return false;
	*out = v;
	*end = rest;
	return true;
}

static bool whole_number(const char *text, int64_t low, int64_t *out)
{
	const char *end = "x";

	return number_parse(text, low, out, &end) && !*end;
}

/* ---- faults ---- */

enum argument { NONE, NUMBER, KERNEL, WHERE, CALL, SHARE };

static bool none_parse(const char *text, struct standin_fault_set *out)
{
	(void)out;
	return !text;
}

static bool count_parse(const char *text, struct standin_fault_set *out)
{
	return text && whole_number(text, 0, &out->number);
}

static bool kernel_parse(const char *text, struct standin_fault_set *out)
{
	static const char grid[] = "grid:";

	if (text && strncmp(text, grid, sizeof grid - 1) == 0)
		return whole_number(text + sizeof grid - 1, 1, &out->blocks);
	return text && whole_number(text, 1, &out->number);
}

static bool where_parse(const char *text, struct standin_fault_set *out)
{
	if (text && strcmp(text, "tail") == 0)
		out->where = STANDIN_OF_TAIL;
	else if (text && strcmp(text, "grid") == 0)
		out->where = STANDIN_OF_GRID;
	else
		return kernel_parse(text, out);
	return true;
}

static bool call_parse(const char *text, struct standin_fault_set *out)
{
	const char *end = "";
	int64_t code;

	if (!text || !number_parse(text, 1, &code, &end) || *end != '@' || code > 999999)
		return false;
	out->code = (int)code;
	return whole_number(end + 1, 1, &out->number);
}

static bool share_parse(const char *text, struct standin_fault_set *out)
{
	char *end = NULL;

	if (!text || *text < '0' || *text > '9')
		return false;
	out->share = strtod(text, &end);
	return !*end && out->share >= 0 && out->share <= 1;
}

static bool (*const argument_parse[])(const char *, struct standin_fault_set *) = {
	[NONE] = none_parse,   [NUMBER] = count_parse, [KERNEL] = kernel_parse,
	[WHERE] = where_parse, [CALL] = call_parse,    [SHARE] = share_parse};

static const struct {
	const char *name;
	enum argument argument;
	const char *meaning;
} faults[] = {
#define X(id, name, argument, meaning) {name, argument, meaning},
	STANDIN_FAULTS(X)
#undef X
};

static enum asc_status fault_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	char *argument = strchr(value, '=');

	if (argument)
		*argument++ = '\0';
	for (int i = 0; i < STANDIN_N_FAULTS; i++) {
		struct standin_fault_set *f = &out->faults[i];

		if (strcmp(value, faults[i].name) != 0)
			continue;
		if (f->on)
			return asc_err_set(e, ASC_INPUT, "STANDIN: the fault \"%s\" is there twice",
					   value);
		*f = (struct standin_fault_set){.on = true};
		if (argument_parse[faults[i].argument](argument, f))
			return ASC_OK;
		return refuse(e, value, argument ? argument : "", faults[i].meaning);
	}
	return asc_err_set(e, ASC_INPUT, "STANDIN: there is no fault \"%s\"", value);
}

/* ---- SoCs ---- */

/* Architectures (npu_arch of the platform files). */
enum { ARCH_910A = 1001, ARCH_A2_A3 = 2201, ARCH_310B = 3002, ARCH_950 = 3510 };

/* Clock and bytes of device memory for each cycle of a core, from the platform configuration files
 * of the runtime (hicann/runtime@681ef7610, src/platform/platform_config). */
static const struct {
	const char *name;
	int mhz, memory_per_cycle;
} socs[] = {
	{"Ascend950DT_950x", 1650, 19}, {"Ascend950DT_950y", 1650, 14},
	{"Ascend950DT_9571", 1650, 80}, {"Ascend950DT_9572", 1650, 80},
	{"Ascend950DT_9573", 1650, 70}, {"Ascend950DT_9574", 1650, 70},
	{"Ascend950DT_9575", 1650, 61}, {"Ascend950DT_9576", 1650, 61},
	{"Ascend950DT_9577", 1650, 54}, {"Ascend950DT_9578", 1650, 54},
	{"Ascend950DT_9581", 1650, 80}, {"Ascend950DT_9581x", 1650, 80},
	{"Ascend950DT_9582", 1650, 80}, {"Ascend950DT_9582x", 1650, 80},
	{"Ascend950DT_9583", 1650, 70}, {"Ascend950DT_9584", 1650, 70},
	{"Ascend950DT_9585", 1650, 61}, {"Ascend950DT_9586", 1650, 61},
	{"Ascend950DT_9587", 1650, 54}, {"Ascend950DT_9588", 1650, 54},
	{"Ascend950DT_9591", 1800, 80}, {"Ascend950DT_9592", 1800, 80},
	{"Ascend950DT_9595", 1800, 61}, {"Ascend950DT_9596", 1800, 61},
	{"Ascend950DT_95A1", 1800, 80}, {"Ascend950DT_95A2", 1800, 80},
	{"Ascend950PR_950z", 1650, 4},  {"Ascend950PR_9579", 1650, 31},
	{"Ascend950PR_957b", 1650, 27}, {"Ascend950PR_957bx", 1650, 27},
	{"Ascend950PR_957c", 1650, 27}, {"Ascend950PR_957d", 1650, 23},
	{"Ascend950PR_9589", 1650, 31}, {"Ascend950PR_958b", 1650, 27},
	{"Ascend950PR_9599", 1800, 31}, {"Ascend310B1", 1224, 17},
	{"Ascend310B2", 1224, 17},      {"Ascend310B3", 1224, 17},
	{"Ascend310B4", 500, 8},        {"Ascend310P1", 1060, 17},
	{"Ascend310P3", 1060, 17},      {"Ascend310P5", 800, 17},
	{"Ascend310P7", 550, 17},       {"Ascend910A", 1000, 32},
	{"Ascend910B", 900, 32},        {"Ascend910B1", 1850, 32},
	{"Ascend910B2", 1800, 32},      {"Ascend910B2C", 1800, 32},
	{"Ascend910B3", 1800, 32},      {"Ascend910B4-1", 1500, 32},
	{"Ascend910B4", 1500, 32},      {"Ascend910PremiumA", 1220, 32},
	{"Ascend910ProA", 1100, 32},    {"Ascend910ProB", 1150, 32},
	{"Ascend910_9362", 1500, 32},   {"Ascend910_9363", 1500, 32},
	{"Ascend910_9372", 1800, 32},   {"Ascend910_9381", 1800, 32},
	{"Ascend910_9382", 1800, 32},   {"Ascend910_9391", 1850, 32},
	{"Ascend910_9392", 1850, 32},
};

static bool find_rates(const char *soc, int npu_arch, struct standin_rates *out)
{
	for (size_t i = 0; i < sizeof socs / sizeof *socs; i++) {
		if (strcmp(socs[i].name, soc) != 0)
			continue;
		/* Ticks: 50 MHz, 48 MHz on 310B, else 1 GHz
		 * (src/runtime/core/inc/task/task_base.hpp of the same runtime). */
		*out = (struct standin_rates){.mhz = socs[i].mhz,
					      .memory_per_cycle = socs[i].memory_per_cycle,
					      .tick_ns = npu_arch == ARCH_A2_A3  ? 20
							 : npu_arch == ARCH_310B ? 1e3 / 48
										 : 1,
					      .has_ffts = npu_arch != ARCH_950 &&
							  npu_arch != ARCH_910A &&
							  npu_arch != ARCH_310B,
					      .malloc_extra = npu_arch != ARCH_950};
		return true;
	}
	return false;
}

/* ---- keys ---- */

static enum asc_status soc_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	if (!limits_find(value, &out->limits) || strcmp(out->limits.name, value) != 0 ||
	    !find_rates(value, (int)out->limits.facts.value[FACT_NPU_ARCH], &out->rates)) {
		const char *near = limits_nearest(value);

		return asc_err_set(e, ASC_INPUT, "STANDIN: there is no SoC \"%s\"%s%s%s", value,
				   near ? ", did you mean " : "", near ? near : "",
				   near ? "?" : "");
	}
	return ASC_OK;
}

static enum asc_status version_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	if (!*value || strspn(value, "0123456789.") != strlen(value) ||
	    strlen(value) >= sizeof out->version)
		return refuse(e, "version", value, "a version such as 8.5");
	memcpy(out->version, value, strlen(value) + 1);
	return ASC_OK;
}

static enum asc_status seed_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	int64_t seed;

	if (!whole_number(value, 0, &seed))
		return refuse(e, "seed", value, "a whole number");
	out->seed = (uint64_t)seed;
	return ASC_OK;
}

static enum asc_status devices_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	int64_t n;

	if (!whole_number(value, 0, &n) || n > MAX_DEVICES)
		return refuse(e, "devices", value, "a number of devices up to 16");
	out->devices = (int)n;
	return ASC_OK;
}

static enum asc_status memory_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	return whole_number(value, 1, &out->memory_bytes)
		       ? ASC_OK
		       : refuse(e, "memory", value, "a number of bytes");
}

static enum asc_status compute_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	return whole_number(value, 1, &out->compute_ms)
		       ? ASC_OK
		       : refuse(e, "compute", value, "a number of milliseconds");
}

static enum asc_status log_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	out->log_calls = strcmp(value, "calls") == 0;
	return out->log_calls || strcmp(value, "balance") == 0
		       ? ASC_OK
		       : refuse(e, "log", value, "calls or balance");
}

static enum asc_status path_parse(const char *key, const char *value, char *out, size_t size,
				  struct asc_err *e)
{
	if (*value != '/' || strlen(value) >= size)
		return refuse(e, key, value, "an absolute path");
	memcpy(out, value, strlen(value) + 1);
	return ASC_OK;
}

static enum asc_status once_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	return path_parse("once", value, out->once, sizeof out->once, e);
}

static enum asc_status alone_parse(char *value, struct standin_control *out, struct asc_err *e)
{
	return path_parse("alone", value, out->alone, sizeof out->alone, e);
}

static const struct {
	const char *name;
	enum asc_status (*parse)(char *value, struct standin_control *out, struct asc_err *e);
} keys[] = {
	{"soc", soc_parse},         {"version", version_parse}, {"seed", seed_parse},
	{"devices", devices_parse}, {"memory", memory_parse},   {"log", log_parse},
	{"once", once_parse},       {"alone", alone_parse},     {"fault", fault_parse},
	{"compute", compute_parse},
};

static enum asc_status entry_parse(char *entry, struct standin_control *out, struct asc_err *e)
{
	char *value = strchr(entry, '=');

	if (!value)
		return asc_err_set(e, ASC_INPUT, "STANDIN: \"%s\": expected key=value", entry);
	*value++ = '\0';
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strcmp(entry, keys[i].name) == 0)
			return keys[i].parse(value, out, e);
	return asc_err_set(e, ASC_INPUT, "STANDIN: there is no key \"%s\"", entry);
}

enum asc_status standin_control_parse(const char *text, struct standin_control *out,
				      struct asc_err *e)
{
	char copy[MAX_TEXT], soc[] = "Ascend910B3", *rest = NULL;

	*out = (struct standin_control){.version = "8.5",
					.seed = 1,
					.devices = 1,
					.log_calls = true,
					.compute_ms = COMPUTE_MS};
	if (soc_parse(soc, out, e))
		return e->status;
	if (strlen(text ? text : "") >= sizeof copy)
		return asc_err_set(e, ASC_LIMIT, "STANDIN: has more than %d characters",
				   MAX_TEXT - 1);
	memcpy(copy, text ? text : "", strlen(text ? text : "") + 1);
	for (char *entry = strtok_r(copy, ";", &rest); entry; entry = strtok_r(NULL, ";", &rest))
		if (entry_parse(entry, out, e))
			return e->status;
	if (out->memory_bytes == 0) {
		const struct facts *f = &out->limits.facts;

		out->memory_bytes = f->known[FACT_MEMORY_BYTES] ? f->value[FACT_MEMORY_BYTES]
								: UNKNOWN_MEMORY_BYTES;
	}
	return ASC_OK;
}
