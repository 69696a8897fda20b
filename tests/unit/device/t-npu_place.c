/* Places of NPUs, and the environment of the processes that open them.
 * covers: npu_place.c device_environment.c */
#include "tuner/device/npu/npu_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/device/device.h"
#include "tuner/device/device_environment.h"
#include "tuner/device/libs/library.h"

static struct asc_err e;
static char folder[300]; /* an installation of CANN, as far as names of files go */

static void put_file(const char *name)
{
	char path[400];

	snprintf(path, sizeof path, "%s/lib64/%s", folder, name);
	tap_int(file_write(path, "", 0, &e), ASC_OK, "%s", name);
}

static void make_installation(void)
{
	const char *base = getenv("TMPDIR");
	char path[400];

	snprintf(folder, sizeof folder, "%s/cann-XXXXXX", base && *base ? base : "/tmp");
	if (!tap_ok(mkdtemp(folder), "a folder"))
		exit(1);
	snprintf(path, sizeof path, "%s/lib64", folder);
	(void)mkdir(path, 0700);
}

/* ---- places ---- */

static void check_refused(const char *place, const char *words)
{
	struct npu_place p;

	tap_int(npu_place_parse(place, &p, &e), ASC_USAGE, "%s is refused", place);
	tap_has(e.text, words, "%s", place);
}

static void test_places(void)
{
	struct npu_place p;

	tap_ok(npu_place_parse("", &p, &e) == ASC_OK && !p.simulated, "none is the first device");
	tap_ok(npu_place_parse("1", &p, &e) == ASC_OK && !p.simulated, "a number is a device");
	tap_int(npu_place_parse("sim:Ascend910B3", &p, &e), ASC_OK, "a stand-in");
	tap_ok(p.simulated && strcmp(p.soc.name, "Ascend910B3") == 0, "has its SoC");
	tap_int(p.soc.facts.value[FACT_VECTOR_CORES], 40, "with its facts");
	tap_ok(npu_place_parse("sim:910B", &p, &e) == ASC_OK &&
		       strcmp(p.soc.name, "Ascend910B3") == 0,
	       "a common name is taken for what it means");
	check_refused("sim", "npu:sim:Ascend910B3");
	check_refused("sim:", "npu:sim:Ascend910B3");
	check_refused("sim:Ascend910B33", "did you mean \"Ascend910B3\"?");
	check_refused("sim:910B2", "did you mean \"Ascend910B2\"?");
	check_refused("sim:ascend910b4", "did you mean \"Ascend910B4\"?");
	check_refused("sim:sm_90", "sm_90 is a target to plan for");
	check_refused("sim:nothing", "list devices --all");
	check_refused("sim:Ascend910A", "first generation");
	check_refused("sim:SuperscalarNPU", "stand-ins are for Ascend SoCs");
}

/* ---- environments ---- */

/* Finds what a process is given for a variable; NULL: nothing. */
static const char *find(const struct device_environment *d, const char *name)
{
	const size_t n = strlen(name);

	for (size_t i = 0; d->variables[i]; i++)
		if (strncmp(d->variables[i], name, n) == 0 && d->variables[i][n] == '=')
			return d->variables[i] + n + 1;
	return NULL;
}

static void check_variable(const struct device_environment *d, const char *name, const char *value)
{
	const char *have = find(d, name);

	tap_str(have ? have : "(none)", value, "%s", name);
}

static void ask(const char *place, struct device_environment *out)
{
	tap_int(device_environment(&device_npu, place, out, &e), ASC_OK, "npu:%s", place);
}

static void test_real(void)
{
	struct device_environment d;

	(void)setenv("STANDIN", "fault=nan", 1);
	(void)setenv("STANDIN_LOG", "/tmp/log", 1);
	(void)unsetenv(toolkit_cann.variable);
	(void)setenv("LD_PRELOAD", "", 1);
	ask("0", &d);
	check_variable(&d, "STANDIN", "");
	check_variable(&d, "STANDIN_LOG", "");
	check_variable(&d, toolkit_cann.variable, "(none)");
	device_environment_fini(&d);
}

static void test_chosen(void)
{
	struct device_environment d;
	char path[400];

	(void)setenv(toolkit_cann.variable, folder, 1);
	tap_int(device_environment(&device_npu, "", &d, &e), ASC_ABSENT, "a folder without CANN");
	tap_has(e.text, "libascendcl.so", "what is missing");
	put_file("libascendcl.so");
	(void)setenv("LD_PRELOAD", "/usr/lib/mine.so", 1);
	(void)setenv("LD_LIBRARY_PATH", "/opt/lib", 1);
	ask("", &d);
	check_variable(&d, "LD_PRELOAD", "(none)");
	check_variable(&d, toolkit_cann.variable, folder);
	check_variable(&d, "ASCEND_HOME_PATH", folder);
	snprintf(path, sizeof path, "%s/lib64:/opt/lib", folder);
	check_variable(&d, "LD_LIBRARY_PATH", path);
	tap_ok(d.reads[0] && strcmp(d.reads[0], folder) == 0 && !d.reads[1], "it may be read");
	device_environment_fini(&d);
}

static void test_preload(void)
{
	struct device_environment d;
	char path[400];

	put_file("libmspti.so");
	ask("", &d);
	snprintf(path, sizeof path, "/usr/lib/mine.so:%s/lib64/libmspti.so", folder);
	check_variable(&d, "LD_PRELOAD", path);
	device_environment_fini(&d);
	(void)setenv("LD_PRELOAD", "/my/libmspti.so", 1);
	ask("", &d);
	check_variable(&d, "LD_PRELOAD", "(none)");
	device_environment_fini(&d);
}

static void test_standin(void)
{
	struct device_environment d;

	(void)setenv("STANDIN", "seed=3;soc=Ascend950PR_9579;fault=hang=2", 1);
	(void)setenv("LD_PRELOAD", "", 1);
	ask("sim:910B", &d);
	check_variable(&d, "STANDIN", "soc=Ascend910B3;seed=3;fault=hang=2");
	check_variable(&d, "STANDIN_LOG", "/tmp/log");
	tap_has(find(&d, "LD_PRELOAD"), "libmspti.so", "MSPTI is preloaded");
	tap_ok(d.reads[1] && strncmp(folder, d.reads[1], strlen(d.reads[1])) == 0,
	       "what the libraries share may be read");
	device_environment_fini(&d);
	(void)unsetenv("STANDIN");
	ask("sim:Ascend910B1", &d);
	check_variable(&d, "STANDIN", "soc=Ascend910B1");
	device_environment_fini(&d);
	tap_int(device_environment(&device_npu, "sim:Ascend", &d, &e), ASC_USAGE,
		"an unknown SoC has none");
	tap_ok(!d.variables[0], "nor variables");
	tap_int(device_environment(&device_cpu, "", &d, &e), ASC_OK, "a CPU needs nothing");
	tap_ok(!d.variables[0] && !d.reads[0], "and has nothing");
}

/* A program in the device's environment has its variables, and answers. */
static void test_ask(void)
{
	static const char *const says[] = {"sh", "-c",   "test \"$ASCEND_HOME_PATH\" = \"$1\"",
					   "sh", folder, NULL};
	char answer;

	tap_int(device_ask(&device_npu, "", says, &answer, sizeof answer, &e), ASC_CHILD,
		"a program that does not answer");
	tap_has(e.text, "exited with status 0", "has the variables");
}

int main(void)
{
	make_installation();
	test_places();
	test_real();
	test_chosen();
	test_preload();
	test_standin();
	test_ask();
	dir_remove(folder);
	return tap_done();
}
