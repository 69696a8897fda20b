#include "tuner/device/npu/npu_place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/device/libs/cann.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/npu/npu_clock.h"
#include "tuner/process/proc.h"
#include "tuner/process/proc_apart.h"

static const char SIMULATED[] = "sim";
static const char CONTROL[] = "STANDIN", LOG[] = "STANDIN_LOG";
static const char EXAMPLE[] = "Ascend910B3";

/* ---- places ---- */

/* A device that calls itself Ascend910B is of the first generation, although 910B commonly means
 * the second. */
enum asc_status npu_check_soc(const char *soc, struct asc_err *e)
{
	static const char *const first[] = {
		"Ascend910",     "Ascend910A",    "Ascend910B", "Ascend910PremiumA",
		"Ascend910ProA", "Ascend910ProB", NULL};

	if (!str_is_in(soc, first))
		return ASC_OK;
	return asc_err_set(e, ASC_ABSENT,
			   "%s is of the first generation, whose kernels are TBE operators: "
			   "asctune measures on Ascend910B1 to B4, 910_93, 950 and 310",
			   soc);
}

/* Fails with the nearest name; one that lacks the vendor's prefix is near to that with it. */
static enum asc_status fail_unknown(const char *name, struct asc_err *e)
{
	char whole[DEVICE_PLACE_SIZE + sizeof "Ascend"];
	struct limits found;
	const char *nearest = limits_nearest(name);

	(void)snprintf(whole, sizeof whole, "Ascend%s", name);
	if (limits_find(whole, &found))
		nearest = found.name;
	if (!nearest || strncmp(nearest, "Ascend", strlen("Ascend")) != 0)
		nearest = limits_nearest(whole);
	if (nearest && strncmp(nearest, "Ascend", strlen("Ascend")) == 0)
		return asc_err_set(e, ASC_USAGE, "no SoC \"%s\"; did you mean \"%s\"?", name,
				   nearest);
	return asc_err_set(e, ASC_USAGE,
			   "no SoC \"%s\"; `asctune list devices --all` names them, such as %s",
			   name, EXAMPLE);
}

enum asc_status npu_place_parse(const char *place, struct npu_place *out, struct asc_err *e)
{
	const size_t n = strlen(SIMULATED);

	*out = (struct npu_place){0};
	if (strncmp(place, SIMULATED, n) != 0 || (place[n] && place[n] != ':'))
		return ASC_OK;
	if (!place[n] || !place[n + 1])
		return asc_err_set(e, ASC_USAGE, "expected a SoC, such as npu:sim:%s", EXAMPLE);
	out->simulated = true;
	if (!limits_find(place + n + 1, &out->soc))
		return fail_unknown(place + n + 1, e);
	if (npu_check_soc(out->soc.name, e))
		return e->status = ASC_USAGE;
	if (!out->soc.has_standin)
		return asc_err_set(e, ASC_USAGE,
				   "%s is a target to plan for; stand-ins are for Ascend SoCs, "
				   "such as %s",
				   out->soc.name, EXAMPLE);
	return ASC_OK;
}

/* ---- environments ---- */

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* Sets what controls a stand-in; nothing for a real device. */
static enum asc_status set_control(const struct npu_place *p, struct device_environment *out,
				   struct asc_err *e)
{
	struct buf control = {0};

	/* The SoC of the place, and what the user's control says beside that. */
	if (p->simulated)
		buf_print(&control, "soc=%s", p->soc.name);
	for (const char *at = p->simulated ? variable(CONTROL) : ""; *at;) {
		const size_t n = strcspn(at, ";");

		if (n > 0 && strncmp(at, "soc=", strlen("soc=")) != 0)
			buf_print(&control, ";%.*s", (int)n, at);
		at += n + (at[n] == ';');
	}
	enum asc_status status = buf_check(&control, e);

	if (status == ASC_OK)
		status = device_environment_set(out, e, "%s=%s", CONTROL, buf_str(&control));
	if (status == ASC_OK)
		status = device_environment_set(out, e, "%s=%s", LOG,
						p->simulated ? variable(LOG) : "");
	buf_fini(&control);
	return status;
}

/* True where a process starts with `preload`, an entry "LD_PRELOAD=..." beside the environment so
 * far; `why` gets how it ended, and the loader's first line. */
static bool starts_with(const struct device_environment *with, const char *preload, struct buf *why)
{
	static const char *const argv[] = {"true", NULL};
	const char *variables[DEVICE_MAX_VARIABLES + 2] = {preload};
	const struct proc_options options = {.argv = argv, .variables = variables, .capture = true};
	struct buf words = {0};
	struct asc_err e;
	struct proc p;
	char text[80];

	for (size_t i = 0; i < DEVICE_MAX_VARIABLES && with->variables[i]; i++)
		variables[i + 1] = with->variables[i];
	if (proc_start(&p, &options, &e))
		return true; /* that program is not here: nothing is known */
	if (!proc_await_end(&p, PROC_APART_DRIVER_NS))
		proc_signal_end(&p);
	proc_collect(&p, PATH_MAX, &words);
	proc_kill(&p);
	const bool starts = WIFEXITED(p.status) && WEXITSTATUS(p.status) == 0;

	if (!starts)
		buf_print(why, "a process with it %s%s%.*s",
			  proc_print_status(p.status, text, sizeof text), words.len ? ": " : "",
			  (int)strcspn(buf_str(&words), "\n"), buf_str(&words));
	buf_fini(&words);
	return starts;
}

/* Finds whether the library can be preloaded, and logs why not: once, since processes to come have
 * the same. */
static bool is_preloadable(const struct device_environment *with, const char *library,
			   const char *preload)
{
	static bool known, starts;
	struct buf why = {0};

	if (known)
		return starts;
	known = true;
	starts = starts_with(with, preload, &why);
	if (!starts)
		log_print(LOG_NOTE, "%s is not preloaded, and events time launches: %s", library,
			  buf_str(&why));
	buf_fini(&why);
	return starts;
}

/* LD_PRELOAD takes no such path: newer versions do without. */
static bool is_splitting(const char *library)
{
	static bool logged;
	const bool splits = strpbrk(library, " :") != NULL;

	if (splits && !logged)
		log_print(LOG_NOTE,
			  "%s is not preloaded: LD_PRELOAD takes no path with a space or a colon",
			  library);
	logged |= splits;
	return splits;
}

static enum asc_status add_preload(const char *library, struct device_environment *out,
				   struct asc_err *e)
{
	const char *had = variable("LD_PRELOAD");
	char *preload = str_print("LD_PRELOAD=%s%s%s", had, *had ? ":" : "", library);
	enum asc_status status = ASC_OK;

	if (!preload)
		return asc_err_nomem(e);
	if (is_preloadable(out, library, preload))
		status = device_environment_set(out, e, "%s", preload);
	else if (!*variable(NPU_CLOCK_VARIABLE))
		status = device_environment_set(out, e, "%s=event", NPU_CLOCK_VARIABLE);
	free(preload);
	return status;
}

/* Names MSPTI's library behind what the user preloads: it is opened before a process starts. Where
 * the loader does not get it, which would end every process, events are the clock. */
static enum asc_status set_preload(const char *folder, struct device_environment *out,
				   struct asc_err *e)
{
	static const char file[] = "libmspti.so";
	enum asc_status status = ASC_OK;
	char *library;

	if (strstr(variable("LD_PRELOAD"), file))
		return ASC_OK;
	if (cann_find_library(folder, file, &library, e))
		return e->status;
	if (library && !is_splitting(library))
		status = add_preload(library, out, e);
	free(library);
	return status;
}

/* Names the places of an installation as its own script for shells does. */
static enum asc_status set_installation(const char *folder, struct device_environment *out,
					struct asc_err *e)
{
	const char *had = variable("LD_LIBRARY_PATH");
	char *libraries;

	if (cann_libraries(folder, &libraries, e))
		return e->status;
	enum asc_status status = device_environment_set(out, e, "LD_LIBRARY_PATH=%s%s%s", libraries,
							*had ? ":" : "", had);
	free(libraries);
	if (status || device_environment_set(out, e, "%s=%s", toolkit_cann.variable, folder) ||
	    device_environment_set(out, e, "ASCEND_HOME_PATH=%s", folder) ||
	    device_environment_set(out, e, "ASCEND_TOOLKIT_HOME=%s", folder) ||
	    device_environment_set(out, e, "ASCEND_OPP_PATH=%s/opp", folder))
		return e->status;
	return device_environment_read(out, folder, e);
}

enum asc_status npu_environment(const char *place, struct device_environment *out,
				struct asc_err *e)
{
	const char *chosen = cann_chosen();
	struct npu_place p;
	char *standin = NULL;

	if (npu_place_parse(place, &p, e) ||
	    (p.simulated && !chosen && cann_find_standin(&standin, e)))
		return e->status;
	const char *folder = standin ? standin : chosen;
	enum asc_status status = set_control(&p, out, e);

	if (status == ASC_OK && folder)
		status = set_installation(folder, out, e);
	if (status == ASC_OK)
		status = set_preload(folder, out, e);
	/* The library that those of a stand-in share lies in the folder around them. */
	if (status == ASC_OK && p.simulated) {
		char *around = path_folder(folder);

		status = around ? device_environment_read(out, around, e) : asc_err_nomem(e);
		free(around);
	}
	free(standin);
	return status;
}
