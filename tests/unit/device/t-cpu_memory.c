/* Memory of the machine that is free, in files like those of the kernel.
 * covers: cpu_memory.c */
#include "tuner/device/cpu/cpu_memory.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/file.h"

static char *root;

static void put(const char *name, const char *text)
{
	struct asc_err e;
	char *path = path_join(root, name), *folder = path_folder(path);

	if (dir_make(folder, &e) || file_write(path, text, strlen(text), &e))
		tap_ok(false, "%s", e.text);
	free(folder);
	free(path);
}

static int64_t left(const char *groups)
{
	put("groups", groups);
	char *path = path_join(root, "groups");
	int64_t bytes = cpu_memory_group_bytes(path, root);

	free(path);
	return bytes;
}

int main(void)
{
	struct asc_err e;

	if (!tap_ok(dir_make_scratch("t-cpu_memory", &root, &e) == ASC_OK, "a scratch folder"))
		return tap_done();
	tap_int(left("0::/a/b\n"), INT64_MAX, "groups without files limit nothing");
	put("a/b/memory.max", "max\n");
	put("a/b/memory.current", "900\n");
	tap_int(left("0::/a/b\n"), INT64_MAX, "a group without a limit");
	put("a/memory.max", "5000\n");
	put("a/memory.current", "3000\n");
	tap_int(left("0::/a/b\n"), 2000, "the limit of a group above");
	put("a/b/memory.max", "1000\n");
	tap_int(left("0::/a/b\n"), 100, "the least of two");
	put("a/b/memory.stat", "anon 7\nactive_file 8\ninactive_file 50\nfile 9\n");
	tap_int(left("0::/a/b\n"), 150, "pages of files are given up");
	put("a/b/memory.current", "2000\n");
	tap_int(left("0::/a/b\n"), 1, "a group that is over its limit leaves hardly any");
	tap_int(left("0::/ab\n"), INT64_MAX, "another group");
	put("memory.max", "70\n");
	put("memory.current", "10\n");
	tap_int(left("0::/of/the/host\n"), 60, "a group of the host's: the topmost that is seen");
	put("memory/c/memory.limit_in_bytes", "300\n");
	put("memory/c/memory.usage_in_bytes", "100\n");
	put("memory/c/memory.stat", "inactive_file 1000\ntotal_inactive_file 5\n");
	tap_int(left("12:cpu:/x\n4:memory:/c\n"), 205, "the first version");
	put("memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("memory/memory.usage_in_bytes", "100\n");
	tap_int(left("4:memory:/c\n0::/\n"), 60, "both versions");
	tap_int(left("nonsense\n::\n7:\n"), 60, "nonsense is passed over");
	tap_int(left(""), INT64_MAX, "no groups");
	tap_ok(cpu_memory_free_bytes() > 1 << 20, "this machine has some");
	dir_remove(root);
	free(root);
	return tap_done();
}
