/* Lists of devices: which ones are named, and what is refused.
 * covers: device_names.c */
#include "tuner/device/device_names.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static int here; /* devices of each kind */

/* A device_count_fn. */
static int count(const struct device_ops *ops)
{
	(void)ops;
	return here;
}

/* Prints the names, "a b c", or the reason why there are none. */
static const char *names(const char *text, bool twice, bool shown)
{
	static char out[512];
	struct device_names d;
	struct asc_err e;

	*out = '\0';
	if (device_names_parse(text, count, twice, &d, &e))
		(void)snprintf(out, sizeof out, "%.500s", e.text);
	for (size_t i = 0; i < d.n; i++) {
		if (i > 0)
			(void)strcat(out, " ");
		(void)strcat(out, shown ? d.list[i].shown : d.list[i].text);
	}
	device_names_fini(&d);
	return out;
}

static void named(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"cuda", "cuda"},
		{"cuda:1", "cuda:1"},
		{"auto", "auto"},
		{"anything", "anything"},
		{"npu:sim:910B", "npu:sim:910B"},
		{"cuda:0,2", "cuda:0 cuda:2"},
		{"cuda:0,cuda:2", "cuda:0 cuda:2"},
		{"cuda,1", "cuda:0 cuda:1"},
		{"cuda:02,001", "cuda:2 cuda:1"},
		{"npu:3,0,1", "npu:3 npu:0 npu:1"},
		{"cuda:all", "cuda:0 cuda:1 cuda:2"},
		{"npu:all", "npu:0 npu:1 npu:2"},
		{"npu:sim:910B,npu:sim:910B", "npu:sim:910B npu:sim:910B"},
	};

	here = 3;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		tap_str(names(cases[i].text, false, false), cases[i].want, "%s", cases[i].text);
	tap_str(names("cuda:0,2", false, true), "cuda:0 cuda:2", "shown by their names");
	tap_str(names("npu:sim:910B,npu:sim:910B", false, true), "npu:sim:910B#1 npu:sim:910B#2",
		"or with a number where these are equal");
	tap_str(names("cuda:0,0", true, true), "cuda:0#1 cuda:0#2", "a device twice, for tests");
}

static void refused(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"cuda:0,0", "--device cuda:0,0: cuda:0 is named twice"},
		{"cuda,cuda:00", "cuda:0 is named twice"},
		{"cpu,cpu", "named twice"},
		{"cuda:0,npu:0", "devices of two kinds, cuda and npu"},
		{"cuda:0,cpu", "devices of two kinds, cuda and cpu"},
		{"cuda:all,0", "cuda:all stands alone"},
		{"cuda:0,cuda:all", "cuda:all stands alone"},
		{"auto,cuda:1", "auto is one device"},
		{"cuda:0,", "--device cuda:0,: "},
		{",cuda:0", "no device \"\""},
		{"0,1", "no device \"0\""},
		{"cuda:0,xpu", "out of scope"},
		{"cuda:,1", "expected a device number"},
		{"xpu:all", "out of scope"},
		{"cpu:all",
		 "--device cpu:all: the cpu is one device; cuda and npu may have several"},
	};

	here = 3;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		tap_has(names(cases[i].text, false, false), cases[i].want, "%s", cases[i].text);
	here = 0;
	tap_str(names("cuda:all", false, false),
		"--device cuda:all: no cuda is usable here; `asctune list devices` says why",
		"all of none, as where CUDA_VISIBLE_DEVICES is empty");
}

int main(void)
{
	named();
	refused();
	return tap_done();
}
