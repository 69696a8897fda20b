/* The identity of a Python function that does not come back from its import, and of one that does.
 * covers: python_identity.c */
#include "tuner/tune/evaluate/python_identity.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/build/worker_python.h"
#include "tuner/device/device.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

static const char text[] =
	"{\"asctune\": 1, \"name\": \"calls\", \"operator\": \"none\", \"problems\": ["
	"{\"name\": \"p\", \"dims\": {\"N\": 4}, \"dtypes\": {\"T\": \"f32\"}}],"
	"\"tensors\": {\"x\": {\"shape\": [\"N\"], \"dtype\": \"T\", \"role\": \"out\","
	"  \"verify\": {\"kind\": \"exact\"}}}, \"reference\": {\"source\": \"call.c\","
	"  \"entry\": \"f\", \"arguments\": [{\"tensor\": \"x\"}]},"
	"\"implementations\": [{\"name\": \"call\", \"devices\": [\"cpu\"], \"builder\": "
	"\"python\","
	"  \"source\": \"call.py:f\", \"arguments\": [{\"tensor\": \"x\"}]}]}";

static struct asc_err e;

static char *folder;

static char *path_of(const char *name)
{
	return path_join(folder, name);
}

static bool put(const char *name, const char *content)
{
	char *path = path_of(name);
	const enum asc_status s =
		path ? file_write(path, content, strlen(content), &e) : asc_err_nomem(&e);

	free(path);
	return tap_int(s, ASC_OK, "%s", name);
}

static void test_import(const struct workload *w)
{
	const struct device_info info = {.model = "none", .shares_host = true};
	char *cache = path_of("cache");
	const struct evaluator_target t = {
		.device = device_find("cpu"), .place = "", .info = &info, .cache = cache};
	const struct callable *c = &w->implementations[0].calls[0];
	struct python_identity i;

	tap_int(python_identity_find(w, c, &t, INT64_C(1500000000), &i, &e), ASC_ABSENT,
		"an import that waits for ever");
	tap_has(e.text, "call.py:f cannot be imported: that takes longer than 1.5 s", "and why");
	/* With this limit another attempt would wait as long. */
	tap_int(python_identity_find(w, c, &t, INT64_MAX, &i, &e), ASC_ABSENT, "is remembered");
	tap_has(e.text, "that takes longer than 1.5 s", "as it was");
	put("call.py", "def f(x): pass\n");
	tap_int(python_identity_find(w, c, &t, PYTHON_IDENTITY_LIMIT_NS, &i, &e), ASC_OK,
		"another file is imported");
	tap_ok(i.toolchain && strncmp(i.toolchain, "CPython 3.", 10) == 0, "by its interpreter");
	tap_ok(i.sources && strncmp(i.sources, "{\"call.py\":\"", 12) == 0, "its source");
	tap_int((long long)strlen(i.digest), 32, "and digest");
	python_identity_fini(&i);
	tap_int(python_identity_find(w, c, &t, 0, &i, &e), ASC_OK, "it is kept");
	python_identity_fini(&i);
	free(cache);
}

int main(void)
{
	const struct worker_python *python;
	struct workload *w = NULL;
	char *path;

	setenv("ASCTUNE_PYTHON", "python3", 1);
	if (worker_python_get(&python, &e)) {
		tap_skip("%s", e.text);
		return tap_done();
	}
	if (!tap_int(dir_make_scratch("t-python_identity", &folder, &e), ASC_OK, "a folder"))
		return tap_done();
	path = path_of("calls.json");
	if (put("call.py", "import time\ntime.sleep(1000)\n") && put("calls.json", text) &&
	    put("call.c", "void f(double *x) { x[0] = 0; }\n") &&
	    tap_int(workload_open(path, &w, &e), ASC_OK, "a workload") &&
	    tap_int(sandbox_grant(path, false, &e), ASC_OK, "that children read"))
		test_import(w);
	workload_close(w);
	dir_remove(folder);
	free(folder);
	free(path);
	return tap_done();
}
