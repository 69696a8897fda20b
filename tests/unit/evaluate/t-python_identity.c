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
	"  \"source\": \"call.py:f\", \"arguments\": [{\"tensor\": \"x\"}]},"
	" {\"name\": \"second\", \"devices\": [\"cpu\"], \"builder\": \"python\","
	"  \"source\": \"call.py:g\", \"arguments\": [{\"tensor\": \"x\"}]},"
	" {\"name\": \"none\", \"devices\": [\"cpu\"], \"builder\": \"python\","
	"  \"source\": \"call.py:h\", \"arguments\": [{\"tensor\": \"x\"}]},"
	" {\"name\": \"torch\", \"devices\": [\"cpu\"], \"builder\": \"python\", \"tensors\": "
	"\"torch\","
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
	char digest[HASH_TEXT_SIZE];

	tap_int(python_identity_find(w, c, &t, INT64_C(1500000000), &i, &e), ASC_ABSENT,
		"an import that waits for ever");
	tap_has(e.text, "call.py:f cannot be imported: that takes longer than 1.5 s", "and why");
	/* With this limit another attempt would wait as long. */
	tap_int(python_identity_find(w, c, &t, INT64_MAX, &i, &e), ASC_ABSENT, "is remembered");
	tap_has(e.text, "that takes longer than 1.5 s", "as it was");
	put("call.py", "def f(x): pass\ndef g(x): pass\n");
	put("torch.py", "raise ImportError('not here')\n");
	tap_int(python_identity_find(w, c, &t, PYTHON_IDENTITY_LIMIT_NS, &i, &e), ASC_OK,
		"another file is imported");
	tap_ok(i.toolchain && strncmp(i.toolchain, "CPython 3.", 10) == 0, "by its interpreter");
	tap_ok(i.sources && strncmp(i.sources, "{\"call.py\":\"", 12) == 0, "its source");
	tap_int((long long)strlen(i.digest), 32, "and digest");
	memcpy(digest, i.digest, sizeof digest);
	python_identity_fini(&i);
	tap_int(python_identity_find(w, c, &t, 0, &i, &e), ASC_OK, "it is kept");
	python_identity_fini(&i);
	tap_int(python_identity_find(w, &w->implementations[1].calls[0], &t, 0, &i, &e), ASC_OK,
		"with the other function of its file");
	tap_str(i.digest, digest, "which consists of the same");
	python_identity_fini(&i);
	tap_int(python_identity_find(w, &w->implementations[2].calls[0], &t, 0, &i, &e), ASC_ABSENT,
		"one that is not there");
	tap_str(e.text, "call.py has no function h", "has its own reason");
	tap_int(python_identity_find(w, &w->implementations[3].calls[0], &t,
				     PYTHON_IDENTITY_LIMIT_NS, &i, &e),
		ASC_ABSENT, "one that takes tensors of PyTorch");
	tap_has(e.text, "tensors of PyTorch are asked for: ImportError: not here",
		"needs that, too");
	free(cache);
}

int main(void)
{
	const struct worker_python *python;
	struct workload *w = NULL;
	char *path;

	if (!tap_int(dir_make_scratch("t-python_identity", &folder, &e), ASC_OK, "a folder"))
		return tap_done();
	path = path_of("calls.json");
	setenv("ASCTUNE_PYTHON", "python3", 1);
	setenv("PYTHONPATH", folder, 1); /* its torch.py comes before one that is installed */
	if (worker_python_get(&python, &e))
		tap_skip("%s", e.text);
	else if (put("call.py", "import time\ntime.sleep(1000)\n") && put("calls.json", text) &&
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
