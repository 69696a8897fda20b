/* Peaks in the cache: the best of all processes, whole files, and what is not trusted.
 * covers: peaks_file.c */
#include "tuner/result/peaks_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/result/roofline.h"

enum { WRITERS = 4, ROUNDS = 50 };

static char folder[4096];
static struct asc_err e;

static struct peaks memory(double rate, double low, int64_t moments)
{
	return (struct peaks){.rows = {{PEAK_MEMORY, "", rate, low, moments}}, .n = 1};
}

static struct peak kept(const char *fingerprint)
{
	struct peaks p;

	if (peaks_file_read(folder, fingerprint, &p, &e)) {
		tap_note("%s", e.text);
		return (struct peak){.rate = -1};
	}
	return *peaks_find(&p, PEAK_MEMORY, "");
}

static void write_text(const char *name, const char *text)
{
	char path[5000];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	tap_int(file_write(path, text, strlen(text), &e), ASC_OK, "%s is written", name);
}

static void test_best(void)
{
	struct peaks p = memory(5, 4, 5);

	tap_real(kept("f1").rate, 0, 0, "nothing is kept at first");
	tap_int(peaks_file_put(folder, "f1", &p, &e), ASC_OK, "a first measurement");
	p = memory(9, 8, 0);
	tap_int(peaks_file_put(folder, "f1", &p, &e), ASC_OK, "a faster one, beside load");
	p = memory(3, 2, 5);
	tap_int(peaks_file_put(folder, "f1", &p, &e), ASC_OK, "a slower one");
	tap_ok(p.rows[0].rate == 9 && p.rows[0].moments == 5, "which knows of the others then");
	const struct peak k = kept("f1");
	tap_ok(k.rate == 9 && k.low == 2 && k.moments == 5, "the best stands");
	tap_real(kept("f2").rate, 0, 0, "of its device alone");
}

/* Processes that each keep rows of their own lose none of each other's. */
static void test_processes(void)
{
	static const char *const types[WRITERS] = {"f64", "f32", "f16", "bf16"};
	struct peaks p;
	int status, failed = 0;

	for (int w = 0; w < WRITERS; w++)
		if (fork() == 0) {
			bool good = true;

			for (int i = 1; i <= ROUNDS; i++) {
				struct peaks mine = {0};

				peaks_add(&mine, PEAK_ARITHMETIC, types[w], i, false);
				good &= peaks_file_put(folder, "f3", &mine, &e) == ASC_OK;
			}
			_exit(!good);
		}
	while (wait(&status) > 0)
		failed += status != 0;
	tap_int(failed, 0, "processes that fail to keep their peaks");
	tap_int(peaks_file_read(folder, "f3", &p, &e), ASC_OK, "what they have kept is read");
	tap_int(p.n, WRITERS, "rows of all of them");
	for (int w = 0; w < WRITERS; w++)
		tap_real(peaks_find(&p, PEAK_ARITHMETIC, types[w])->rate, ROUNDS, 0,
			 "the best of %s", types[w]);
}

/* When a type was measured, and whether the machine was quiet: the later of two processes stands.
 */
static void test_tries(void)
{
	struct peaks p = memory(5, 4, 5), later = memory(4, 4, 1);

	peaks_note_try(&p, DTYPE_F32, 1000);
	peaks_note_try(&later, DTYPE_F32, 2000);
	peaks_note_try(&later, DTYPE_F16, 3000);
	tap_int(peaks_file_put(folder, "f5", &later, &e), ASC_OK, "a later try");
	tap_int(peaks_file_put(folder, "f5", &p, &e), ASC_OK, "and an earlier one");
	tap_int(peaks_file_read(folder, "f5", &p, &e), ASC_OK, "are kept");
	tap_ok(p.tries[DTYPE_F32].ms == 2000 && !p.tries[DTYPE_F32].calm, "the later stands");
	tap_int(p.tries[DTYPE_F16].ms, 3000, "each type has its own");
	tap_int(p.tries[DTYPE_F64].ms, 0, "and none where nothing was tried");
	write_text("peaks/f6.json",
		   "{\"peaks\":[],\"tries\":[{\"type\":\"f1\",\"ms\":5,\"calm\":true},"
		   "{\"type\":\"f64\",\"ms\":7,\"calm\":true}]}\n");
	tap_int(peaks_file_read(folder, "f6", &p, &e), ASC_OK, "a type that is not known");
	tap_ok(p.tries[DTYPE_F64].ms == 7 && p.tries[DTYPE_F64].calm, "is passed over");
	write_text("peaks/f6.json", "{\"peaks\":[],\"tries\":[{\"type\":\"f64\",\"ms\":\"x\"}]}\n");
	tap_int(peaks_file_read(folder, "f6", &p, &e), ASC_INPUT, "a date that is none");
}

static void test_damaged(void)
{
	struct peaks p;

	write_text("peaks/f4.json", "{\"peaks\":[{\"unit\":\"B/s\"");
	tap_int(peaks_file_read(folder, "f4", &p, &e), ASC_INPUT, "a part of a file");
	tap_int(p.n, 0, "has no peaks");
	p = memory(5, 4, 5);
	tap_int(peaks_file_put(folder, "f4", &p, &e), ASC_OK, "and is replaced");
	tap_real(kept("f4").rate, 5, 0, "by what was measured");
	write_text("peaks/f4.json", "{\"peaks\":[{\"unit\":\"B/s\",\"type\":\"\",\"rate\":-5,"
				    "\"low\":1,\"moments\":2}]}\n");
	tap_int(peaks_file_read(folder, "f4", &p, &e), ASC_INPUT, "a rate below 0");
	write_text("peaks/f4.json", "{\"other\":1}\n");
	tap_int(peaks_file_read(folder, "f4", &p, &e), ASC_INPUT, "a file of something else");
}

/* A fingerprint of a foreign database is no path. */
static void test_names(void)
{
	struct peaks p = memory(5, 4, 5);

	write_text("outside.json", "{\"peaks\":[{\"unit\":\"B/s\",\"type\":\"\",\"rate\":77,"
				   "\"low\":1,\"moments\":2}]}\n");
	tap_real(kept("../outside").rate, 0, 0, "a fingerprint that leads elsewhere has no peaks");
	tap_int(peaks_file_put(folder, "../outside", &p, &e), ASC_INPUT, "and gets none");
	tap_real(kept("").rate, 0, 0, "an empty one has none");
}

static void test_owners(void)
{
	struct peaks p = memory(5, 4, 5);
	char path[5000];

	snprintf(path, sizeof path, "%s/peaks", folder);
	chmod(path, 0777);
	tap_int(peaks_file_read(folder, "f1", &p, &e), ASC_IO, "a folder that others can write to");
	tap_has(e.text, "peaks", "is named");
	tap_int(peaks_file_put(folder, "f1", &p, &e), ASC_IO, "nothing is kept in it");
	chmod(path, 0700);
	if (geteuid() != 0) {
		tap_skip("only root can give files away");
		return;
	}
	snprintf(path, sizeof path, "%s/peaks/f1.json", folder);
	tap_ok(chown(path, 65534, 65534) == 0, "a file of another user");
	tap_int(peaks_file_read(folder, "f1", &p, &e), ASC_IO, "is not read");
	p = memory(6, 5, 5);
	tap_int(peaks_file_put(folder, "f1", &p, &e), ASC_OK, "and is replaced");
	tap_real(kept("f1").rate, 6, 0, "without what was in it");
}

int main(void)
{
	const char *parent = getenv("TMPDIR");

	snprintf(folder, sizeof folder, "%s/t-peaks.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	test_best();
	test_processes();
	test_tries();
	test_damaged();
	test_names();
	test_owners();
	dir_remove(folder);
	return tap_done();
}
