/* Any text as the record of a process: it is refused, or each of its problems is in one form, whose
 * workload is written, or has a reason. No program is run.
 * covers: capture.c capture_record.c capture_workload.c capture_write.c capture_draft.c
 * capture_space.c capture_tensors.c */
#include "reports/exchange/capture.h"

#include <assert.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/workload_open.h"

static char *folder; /* of this process, with the files that the corpus names */

static void forget(void)
{
	dir_remove(folder);
	free(folder);
}

static char *place(const char *name)
{
	char *path = path_join(folder, name);

	if (!path)
		abort();
	return path;
}

static void put(const char *name, const void *data, size_t size)
{
	char *path = place(name);
	struct asc_err e;

	if (file_write(path, size > 0 ? data : "", size, &e))
		abort();
	free(path);
}

/* Copies the files of a folder that the recorder made. */
static void copy_folder(const char *name)
{
	char *from = path_join(TEST_DATA "/data/capture/add", name), *to = place(name);
	DIR *d = from ? opendir(from) : NULL;
	struct buf text = {0};
	struct asc_err e;

	if (!d || dir_make(to, &e))
		abort();
	for (const struct dirent *i; (i = readdir(d));) {
		char *source = path_join(from, i->d_name), *file = path_join(to, i->d_name);

		buf_clear(&text);
		if (i->d_name[0] != '.' && (file_read(source, 0, &text, &e) ||
					    file_write(file, buf_str(&text), text.len, &e)))
			abort();
		free(source);
		free(file);
	}
	closedir(d);
	buf_fini(&text);
	free(from);
	free(to);
}

/* Makes the files that the records of the corpus name. */
static void make_folder(void)
{
	static const char header[] =
		"{\"x\":{\"dtype\":\"F32\",\"shape\":[8,4],\"data_offsets\":[0,128]},"
		"\"y\":{\"dtype\":\"F32\",\"shape\":[8,4],\"data_offsets\":[128,256]}}";
	char tensors[8 + sizeof header - 1 + 256] = {sizeof header - 1};
	struct asc_err e;

	if (dir_make_scratch("fuzz-capture", &folder, &e))
		abort();
	(void)atexit(forget);
	copy_folder("records");
	copy_folder("kernels");
	copy_folder("code");
	copy_folder("data");
	static const char kernel[] = "import triton\nimport triton.language as tl\n\n\n"
				     "@triton.jit\ndef k(x, y, n, B: tl.constexpr):\n    pass\n";
	static const char ttir[] =
		"module {\n  tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {\n"
		"    %v = tt.load %x : !tt.ptr<f32>\n    tt.store %y, %v : !tt.ptr<f32>\n"
		"    tt.return\n  }\n}\n";

	static_assert(sizeof header - 1 < 128, "its length is one byte");
	memcpy(tensors + 8, header, sizeof header - 1);
	put("data/a.safetensors", tensors, sizeof tensors);
	put("kernels/k.py", kernel, sizeof kernel - 1);
	put("code/k.ttir", ttir, sizeof ttir - 1);
}

/* Reads a workload as the file that it becomes. */
static void check_workload(const struct capture *c, struct capture_form *form)
{
	char *path = place("w.json");
	struct workload *w = NULL;
	struct buf text = {0};
	struct asc_err e;

	if (capture_write_workload(c, form, 16, &text, &e) == ASC_OK && !*form->reason) {
		struct json_doc *doc = NULL;

		if (json_open_text("w.json", buf_str(&text), text.len, &doc, &e))
			abort();
		json_close(doc);
		(void)workload_open_text(path, buf_str(&text), text.len, &w, &e);
		workload_close(w);
	}
	buf_fini(&text);
	free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct capture_forms forms = {0};
	struct capture *c = NULL;
	struct buf summary = {0};
	struct json_doc *doc = NULL;
	struct asc_err e;
	size_t n = 0;

	if (!folder)
		make_folder();
	put("records/1-0.jsonl", data, size);
	if (capture_open(folder, &c, &e))
		return 0;
	if (capture_find_forms(c, &forms, &e))
		abort();
	for (size_t i = 0; i < forms.n; i++) {
		if (forms.list[i].n_problems == 0)
			abort();
		n += forms.list[i].n_problems;
		if (!*forms.list[i].reason)
			check_workload(c, &forms.list[i]);
	}
	/* No problem is lost, and none counts twice. */
	for (size_t i = 0; i < c->n_kernels; i++)
		n -= c->kernels[i].n_problems;
	if (n != 0)
		abort();
	capture_print(c, &forms, &summary);
	if (json_open_text("capture.json", buf_str(&summary), summary.len, &doc, &e))
		abort();
	json_close(doc);
	buf_fini(&summary);
	capture_forms_fini(&forms);
	capture_close(c);
	return 0;
}
