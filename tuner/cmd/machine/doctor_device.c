#include "tuner/cmd/machine/doctor_device.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/listing.h"
#include "tuner/cmd/machine/doctor_test.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_apart.h"
#include "tuner/workload/limits/limits.h"

static const int64_t LIMIT_NS = INT64_C(60000000000);

/* ---- files ---- */

struct examined {
	const char *path;
	const struct library_file *file;
};

/* Findings on a file, plain bytes from another process. */
struct found {
	bool opens;
	char lacks[2048];
};

/* A proc_apart_fn: a damaged file may end the process that opens it. */
static enum asc_status examine(const void *question, void *answer, struct asc_err *e)
{
	const char *path = ((const struct examined *)question)->path;
	struct found *f = answer;
	struct buf missing = {0};
	const enum asc_status status = library_examine(
		path, ((const struct examined *)question)->file->symbols, &missing, e);

	f->opens = status == ASC_OK;
	(void)snprintf(f->lacks, sizeof f->lacks, "%s", buf_str(&missing));
	buf_fini(&missing);
	return status;
}

/* Adds a row for a file of the vendor: where it lies, and which functions it lacks. */
static enum asc_status add_file(const struct library_files *files, const struct library_file *f,
				struct listing *l, struct asc_err *e)
{
	char *path = NULL, *name = str_print("file.%s", f->name);
	struct found found = {0};
	struct buf said = {0}, lack = {0};
	struct asc_err why = {0};

	if (!name || files->find(f->name, &path, e)) {
		free(name);
		return name ? e->status : asc_err_nomem(e);
	}
	const struct examined question = {path ? path : f->name, f};

	if (proc_apart(examine, &question, &found, sizeof found, PROC_APART_DRIVER_NS, &why) &&
	    !strstr(why.text, f->name))
		(void)asc_err_wrap(&why, "%s", question.path);
	buf_print(&said, "%s: %s%s%s", question.path, f->meaning, *found.lacks ? "; lacks " : "",
		  found.lacks);
	buf_print(&lack, "%s (%s)", why.text, f->meaning);
	listing_add(l, name, found.opens, buf_str(&said), buf_str(&lack));
	enum asc_status status = buf_check(&said, e) ? e->status : buf_check(&lack, e);

	buf_fini(&said);
	buf_fini(&lack);
	free(path);
	free(name);
	return status;
}

static enum asc_status add_files(const struct library_files *files, struct listing *l,
				 struct asc_err *e)
{
	for (const struct library_file *f = files->list; f->name; f++)
		if (add_file(files, f, l, e))
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
		*outcome = absent.status == ASC_USAGE ? DOCTOR_USAGE : DOCTOR_ABSENT;
		return ASC_OK;
	}
	listing_add(l, "device", true, why, "");
	if (add_facts(&info, l, e))
		return e->status;
	listing_add(l, "peaks", ops->peaks != NULL,
		    "rates of arithmetic and memory are measured at the end of a run",
		    "no peak rates are measured on this kind of device: results have no roofline");
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
	if (ops && ops->files && add_files(ops->files, l, e))
		return e->status;
	if (add_device(device, l, outcome, e))
		return e->status;
	if (ops && ops->files)
		listing_add(l, "send back", true,
			    *outcome == DOCTOR_WORKS ? "this output (--json), and the first runs "
						       "of docs/ascend.md"
						     : "this output (--json): it says what is "
						       "missing and what still works",
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
