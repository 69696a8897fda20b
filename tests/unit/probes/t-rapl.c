/* Counters of processors' energy, from a folder of files as the kernel shows them: names and
 * numbers as on a machine with two sockets. Golden numbers by arithmetic.
 * covers: rapl.c */
#include "probes/rapl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"

static char *folder;

static void write_file(const char *zone, const char *name, const char *text)
{
	char path[512];
	struct asc_err e;

	(void)snprintf(path, sizeof path, "%s/%s", folder, zone);
	if (dir_make(path, &e))
		tap_ok(false, "%s", e.text);
	(void)snprintf(path, sizeof path, "%s/%s/%s", folder, zone, name);
	/* Written in place: an open counter sees it, as the kernel's files are. */
	FILE *f = fopen(path, "we");

	if (tap_ok(f, "%s/%s is %s", zone, name, text)) {
		(void)fputs(text, f);
		(void)fclose(f);
	}
}

static void make_zone(const char *zone, const char *name, const char *uj)
{
	write_file(zone, "name", name);
	write_file(zone, "energy_uj", uj);
	write_file(zone, "max_energy_range_uj", "262143328850\n");
}

static void test_none(void)
{
	struct rapl r;
	char reason[512] = "";

	tap_ok(!rapl_open(&r, folder, reason, sizeof reason), "an empty folder has no counters");
	tap_has(reason, folder, "and is named");
	make_zone("intel-rapl:2", "psys\n", "1\n");
	tap_ok(!rapl_open(&r, folder, reason, sizeof reason), "the whole platform is none");
}

static void test_sum(void)
{
	struct rapl r;
	char reason[512];
	double joules = -1;

	make_zone("intel-rapl:0", "package-0\n", "262143328000\n");
	make_zone("intel-rapl:0:0", "core\n", "500\n");
	make_zone("intel-rapl:0:1", "dram\n", "1000000\n");
	make_zone("intel-rapl:1", "package-1\n", "7000000\n");
	make_zone("intel-rapl-mmio:0", "package-0\n", "9\n");
	if (!tap_ok(rapl_open(&r, folder, reason, sizeof reason), "zones: %s", reason))
		return;
	tap_int(r.n, 3, "two packages and one memory, each once");
	tap_ok(rapl_read(&r, &joules), "they are read");
	tap_real(joules, 0, 1e-12, "from 0 on");
	write_file("intel-rapl:1", "energy_uj", "9500000\n");
	write_file("intel-rapl:0:1", "energy_uj", "1250000\n");
	write_file("intel-rapl:0:0", "energy_uj", "99000000\n");
	tap_ok(rapl_read(&r, &joules), "they move");
	tap_real(joules, 2.75, 1e-12, "energies are added, a part of a package is not");
	/* 850 uJ to the end of the range, and 3000000 from there. */
	write_file("intel-rapl:0", "energy_uj", "3000000\n");
	tap_ok(rapl_read(&r, &joules), "a counter begins anew");
	tap_real(joules, 2.75 + 3.00085, 1e-9, "and has gone on");
	write_file("intel-rapl:1", "energy_uj", "none\n");
	tap_ok(!rapl_read(&r, &joules), "what is no number is not read");
	rapl_close(&r);
	tap_ok(!rapl_open(&r, folder, reason, sizeof reason), "nor is it opened");
	tap_has(reason, "intel-rapl:1/energy_uj", "by its name");
}

int main(void)
{
	struct asc_err e;

	if (tap_int(dir_make_scratch("rapl", &folder, &e), ASC_OK, "a folder")) {
		test_none();
		test_sum();
		dir_remove(folder);
	}
	free(folder);
	return tap_done();
}
