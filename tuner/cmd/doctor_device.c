#include "tuner/cmd/doctor_device.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/proc.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/doctor_test.h"
#include "tuner/cmd/listing.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/device/vendor.h"
#include "tuner/libs/acl_abi.h"
#include "tuner/libs/aclnn_abi.h"
#include "tuner/libs/cann.h"
#include "tuner/libs/library.h"
#include "tuner/libs/mspti_abi.h"
#include "tuner/limits/limits.h"

static const int64_t LIMIT_NS = INT64_C(180000000000);

/* ---- files ---- */

static const struct library_symbol acl_symbols[] = {
#define X(member, symbol, result, parameters, release) {#symbol, 0, (release) > ACL_2022},
	ACL_LIST(X)
#undef X
		{0}};
static const struct library_symbol rt_symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, 0, true},
	RT_LIST(X)
#undef X
		{0}};
static const struct library_symbol mspti_symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, 0, false},
	MSPTI_LIST(X)
#undef X
		{0}};
static const struct library_symbol mstx_symbols[] = {
#define X(member, symbol, result, parameters) {#symbol, 0, false},
	MSTX_LIST(X)
#undef X
		{0}};
static const struct library_symbol object_symbols[] = {
#define X(member, symbol, result, parameters, optional) {#symbol, 0, optional},
	ACLNN_OBJECT_LIST(X)
#undef X
		{0}};
static const struct library_symbol no_symbols[] = {{0}};

static const struct file {
	const char *name, *meaning;
	const struct library_symbol *symbols;
} cann_files[] = {
	{"libascendcl.so", "the runtime: nothing goes without it", acl_symbols},
	{"libacl_rt.so", "the runtime of newer versions, where there is no libascendcl.so",
	 acl_symbols},
	{"libruntime.so", "loads kernels where the runtime does not", rt_symbols},
	{"libmspti.so", "times each kernel; without it events do", mspti_symbols},
	{"libms_tools_ext.so", "names configurations for msprof", mstx_symbols},
	{"libnnopbase.so", "objects of the vendor's operators", object_symbols},
	{"libopapi.so", "the vendor's operators (newer versions: libopapi_*.so)", no_symbols},
};

/* Adds a row for a library of CANN: where it lies, and which functions it lacks. */
static enum asc_status add_file(const struct file *f, struct listing *l, struct asc_err *e)
{
	char *path = NULL, *name = str_print("file.%s", f->name);
	struct buf said = {0}, missing = {0};
	struct asc_err why = {0};

	if (!name || cann_find_library(cann_chosen(), f->name, &path, e)) {
		free(name);
		return name ? e->status : asc_err_nomem(e);
	}
	const char *file = path ? path : f->name;
	const bool opens = library_examine(file, f->symbols, &missing, &why) == ASC_OK;

	buf_print(&said, "%s: %s", file, f->meaning);
	if (missing.len)
		buf_print(&said, "; lacks %s", buf_str(&missing));
	listing_add(l, name, opens, buf_str(&said), why.text);
	enum asc_status status = buf_check(&said, e) || buf_check(&missing, e) ? e->status : ASC_OK;

	buf_fini(&said);
	buf_fini(&missing);
	free(path);
	free(name);
	return status;
}

static enum asc_status add_files(struct listing *l, struct asc_err *e)
{
	for (size_t i = 0; i < sizeof cann_files / sizeof *cann_files; i++)
		if (add_file(&cann_files[i], l, e))
			return e->status;
	return ASC_OK;
}

static void add_vendors(const char *device, struct listing *l)
{
	for (size_t i = 0; vendor_list[i]; i++) {
		struct asc_err why = {0};
		char *name = str_print("vendor.%s", vendor_list[i]->name);

		if (name && strcmp(vendor_list[i]->device, device) == 0)
			listing_add(l, name, vendor_list[i]->open(&why) == ASC_OK,
				    vendor_list[i]->summary, why.text);
		free(name);
	}
}

/* ---- the device ---- */

static void print_limits(const struct device_info *info, struct buf *out)
{
	struct limits limits;
	char text[UNITS_TEXT_SIZE];

	for (int i = 0; i < FACT_COUNT; i++)
		if (info->facts.known[i])
			buf_print(out, "%s%s %lld", out->len ? ", " : "", facts_name((enum fact)i),
				  (long long)info->facts.value[i]);
	if (info->shares_host)
		return;
	if (!limits_find(info->arch, &limits)) {
		buf_print(out, "; no model of that name is known: nothing is pruned by its limits");
		return;
	}
	for (size_t i = 0; i < limits.n_spaces; i++)
		buf_print(out, ", %s %s", limits.spaces[i].name,
			  units_print_bytes((double)limits.spaces[i].bytes, text));
}

static enum asc_status add_facts(const struct device_info *info, struct listing *l,
				 struct asc_err *e)
{
	struct buf limits = {0}, clock = {0};

	listing_add(l, "model", true, info->model, "");
	listing_add(l, "versions", *info->driver != '\0', info->driver,
		    "the runtime does not tell them");
	buf_print(&clock, "%s%s%s", info->clock, *info->clock_passed ? "; " : "",
		  info->clock_passed);
	listing_add(l, "clock", true, buf_str(&clock), "");
	print_limits(info, &limits);
	listing_add(l, "limits", true, buf_str(&limits), "");
	enum asc_status status = buf_check(&limits, e) ? e->status : buf_check(&clock, e);

	buf_fini(&limits);
	buf_fini(&clock);
	return status;
}

/* Adds what is known of the device and its tests; a row with the reason where it is not usable. */
static enum asc_status add_device(const char *device, struct listing *l,
				  enum doctor_outcome *outcome, struct asc_err *e)
{
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE], why[512] = "";
	struct device_info info = {0};
	struct asc_err absent = {0};

	*outcome = DOCTOR_ABSENT;
	if (device_choose(device, &ops, place, why, sizeof why, &absent) ||
	    ops->inspect(place, &info, &absent)) {
		listing_add(l, "device", false, device, absent.text);
		return ASC_OK;
	}
	listing_add(l, "device", true, why, "");
	if (add_facts(&info, l, e))
		return e->status;
	add_vendors(ops->name, l);
	*outcome = doctor_test(ops, place, l) ? DOCTOR_WORKS : DOCTOR_FAILED;
	return ASC_OK;
}

enum asc_status doctor_device(const char *device, struct listing *l, enum doctor_outcome *outcome,
			      struct asc_err *e)
{
	const struct device_ops *ops;
	char place[DEVICE_PLACE_SIZE];

	*outcome = DOCTOR_ABSENT;
	if (device_parse(device, &ops, place, e))
		return e->status;
	if (ops == &device_npu && add_files(l, e))
		return e->status;
	if (add_device(device, l, outcome, e))
		return e->status;
	listing_add(l, "send back", true,
		    *outcome == DOCTOR_WORKS
			    ? "this output (--json), and docs/ascend.md's first runs"
			    : "this output (--json): it says what is missing and what still works",
		    "");
	return ASC_OK;
}

/* ---- in another process ---- */

enum asc_status doctor_device_apart(const char *device, bool json, int *status, struct asc_err *e)
{
	const struct device_ops *ops;
	struct device_environment environment;
	const char *variables[DEVICE_MAX_VARIABLES + 1];
	char place[DEVICE_PLACE_SIZE], *program;
	struct proc p;

	if (device_parse(device, &ops, place, e))
		return e->status;
	if (!ops)
		return asc_err_set(e, ASC_USAGE, "--device: name one device, not auto");
	if (device_environment(ops, place, &environment, e))
		return asc_err_wrap(e, "%s", device);
	for (size_t i = 0; i <= DEVICE_MAX_VARIABLES; i++)
		variables[i] = environment.variables[i];
	enum asc_status s = command_own_path(&program, e);
	if (s == ASC_OK) {
		const char *const argv[] = {program, "examine", device, json ? "--json" : NULL,
					    NULL};

		s = proc_start(&p, &(struct proc_options){.argv = argv, .variables = variables}, e);
		free(program);
	}
	device_environment_fini(&environment);
	if (s)
		return s;
	const bool ended = proc_await_end(&p, LIMIT_NS);

	if (!ended) {
		proc_signal_end(&p);
		return asc_err_set(e, ASC_TIMEOUT, "%s: the test did not end: a driver may hang",
				   device);
	}
	(void)proc_reap(&p);
	if (!WIFEXITED(p.status)) {
		char text[80];

		return asc_err_set(e, ASC_CHILD, "%s: the test %s", device,
				   proc_print_status(p.status, text, sizeof text));
	}
	*status = WEXITSTATUS(p.status);
	return ASC_OK;
}
