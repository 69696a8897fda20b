/* Skeletons: each is a workload that opens, under any name; a failure leaves nothing, whatever it
 * was. That they run is a case of the command line's, and of the devices'.
 * covers: skeleton.c */
#include "tuner/workload/skeleton.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/workload/binding/workload_open.h"

static struct asc_err e;

static void test_each(void)
{
	for (const struct skeleton *s = skeletons; s->language; s++) {
		struct workload *w = NULL;
		char path[64];

		snprintf(path, sizeof path, "%s.+-_1/%s.+-_1.json", s->language, s->language);
		tap_ok(skeleton_find(s->language) == s, "%s is found by its name", s->language);
		char *name = path_folder(path);

		tap_int(skeleton_write(s, name, NULL, &e), ASC_OK, "%s is written", name);
		tap_int(workload_open(path, &w, &e), ASC_OK, "%s is a workload", path);
		tap_ok(w && strcmp(w->name, name) == 0, "%s has its name", path);
		tap_ok(w && w->n_implementations == 1 &&
			       name_list_has(&w->implementations[0].devices, s->device) &&
			       w->implementations[0].n_parameters >= 2,
		       "%s has a kernel for %s with parameters", path, s->device);
		workload_close(w);
		tap_int(skeleton_write(s, name, NULL, &e), ASC_INPUT, "%s is not written again: %s",
			name, e.text);
		free(name);
	}
	tap_ok(!skeleton_find("fortran") && !skeleton_find(""), "no other language is found");
}

static enum asc_status write_one(struct asc_err *failure)
{
	const enum asc_status s = skeleton_write(&skeletons[0], "job", NULL, failure);

	if (s && file_exists("job"))
		tap_ok(false, "a failure leaves nothing: %s", failure->text);
	dir_remove("job");
	return s;
}

int main(void)
{
	char folder[] = "/tmp/t-skeleton.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder) != 0) {
		perror(folder);
		return 1;
	}
	test_each();
	nomem_exhaust("a skeleton", write_one);
	dir_remove(folder);
	return tap_done();
}
