/* The stand-in's libmsprofiler.so: the order of its calls, its codes, the folders that it makes. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "standin/standin_mspti.h"
#include "standin/standin_profiler.h"
#include "standin_case.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { TASK_TIME = 2, AICORE_METRICS = 4, PIPE_UTILIZATION = 1 };

static struct {
#define X(member, symbol, result, parameters, release) result(*member) parameters;
	STANDIN_PROFILER_LIST(X)
#undef X
} prof;

static char results[] = "/tmp/standin-prof-XXXXXX";

static void find_functions(const char *folder, const char *library_name)
{
	void *library = standin_case_open(folder, library_name);

	if (!HOLDS(library != NULL))
		exit(1);
#define X(member, symbol, result, parameters, release)                                             \
	*(void **)&prof.member = dlsym(library, #symbol);
	STANDIN_PROFILER_LIST(X)
#undef X
}

static struct aclprofConfig *create(uint32_t device)
{
	return prof.create(&device, 1, PIPE_UTILIZATION, NULL, TASK_TIME | AICORE_METRICS);
}

static void *begin(void)
{
	find_functions("head", "libmsprofiler.so");
	return standin_case_begin();
}

static void order(void)
{
	(void)begin();
	struct aclprofConfig *c = create(0), *other = create(0);

	HOLDS(c && other);
	GIVES(prof.start(c), 100043);
	GIVES(prof.stop(c), 100043);
	GIVES(prof.finalize(), 100043);
	GIVES(prof.set(1, "100MB", 5), 100043);
	GIVES(prof.init(NULL, 1), 100000);
	GIVES(prof.init(results, 0), 100000);
	GIVES(prof.init(results, 4097), 100000);
	GIVES(prof.init("/no/such/folder", 15), 100003);
	GIVES(prof.init(results, strlen(results)), 0);
	GIVES(prof.init(results, strlen(results)), 100042);
	GIVES(prof.set(1, "100MB", 5), 0);
	GIVES(prof.set(17, "x", 1), 100000);
	GIVES(prof.stop(c), 100043);
	GIVES(prof.start(c), 0);
	GIVES(prof.start(c), 100042);
	GIVES(prof.start(other), 100042); /* the same device */
	GIVES(prof.set(1, "100MB", 5), 100042);
	GIVES(prof.destroy(c), 100042);
	GIVES(prof.finalize(), 100042);
	GIVES(prof.stop(other), 100043);
	GIVES(prof.stop(c), 0);
	GIVES(prof.start(other), 0);
	GIVES(prof.stop(other), 0);
	GIVES(prof.destroy(c), 0);
	GIVES(prof.destroy(c), 100000);
	GIVES(prof.start(c), 100000);
	GIVES(prof.destroy(other), 0);
	GIVES(prof.finalize(), 0);
	GIVES(prof.finalize(), 100043);
	GIVES(acl.finalize(), 0);
}

static void before_init(void)
{
	find_functions("head", "libmsprofiler.so");
	GIVES(prof.init(results, strlen(results)), 100001);
	HOLDS(create(0) == NULL);
}

static void configurations(void)
{
	uint32_t devices[] = {1, 0, 1};

	(void)begin();
	HOLDS(prof.create(devices, 2, PIPE_UTILIZATION, NULL, TASK_TIME) != NULL);
	HOLDS(prof.create(devices, 2, 255, NULL, TASK_TIME) != NULL);
	HOLDS(prof.create(devices, 3, PIPE_UTILIZATION, NULL, TASK_TIME) == NULL);
	HOLDS(strcmp(acl.recent_error(), "device 1 is listed twice") == 0);
	HOLDS(prof.create(devices, 0, PIPE_UTILIZATION, NULL, TASK_TIME) == NULL);
	HOLDS(prof.create(NULL, 1, PIPE_UTILIZATION, NULL, TASK_TIME) == NULL);
	HOLDS(prof.create(devices, 1, 9, NULL, TASK_TIME) == NULL);
	HOLDS(prof.create(devices, 1, -1, NULL, TASK_TIME) == NULL);
	HOLDS(prof.create(devices, 1, PIPE_UTILIZATION, devices, TASK_TIME) == NULL);
	HOLDS(prof.create(devices, 1, PIPE_UTILIZATION, NULL, 0) == NULL);
	HOLDS(prof.create(devices, 1, PIPE_UTILIZATION, NULL, 0x400) == NULL);
	HOLDS(create(2) == NULL);
}

/* MSPTI and this interface exclude each other. */
static void conflict(void)
{
	struct msptiSubscriber_st *subscriber = NULL;

	(void)begin();
	void *library = standin_case_open("head", "libmspti.so");
	unsigned (*subscribe)(struct msptiSubscriber_st **, mspti_callback_fn *, void *) = NULL;
	unsigned (*unsubscribe)(struct msptiSubscriber_st *) = NULL;

	*(void **)&subscribe = dlsym(library, "msptiSubscribe");
	*(void **)&unsubscribe = dlsym(library, "msptiUnsubscribe");
	struct aclprofConfig *c = create(0);
	GIVES(prof.init(results, strlen(results)), 0);
	GIVES((int)subscribe(&subscriber, NULL, NULL), 0);
	GIVES(prof.start(c), 148047);
	GIVES((int)unsubscribe(subscriber), 0);
	GIVES(prof.start(c), 0);
	GIVES(prof.stop(c), 0);
}

static void taken(void)
{
	(void)begin();
	HOLDS(prof.init(results, strlen(results)) == 100042);
	const char *why = acl.recent_error();
	HOLDS(why && strstr(why, "another process profiles"));
}

/* ---- what is in a folder ---- */

static void launch(void *f, void *stream, int n)
{
	struct standin_block b;
	void *to = NULL;

	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	for (int i = 0; i < n; i++)
		GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	GIVES(acl.stream_synchronize(stream), 0);
}

static void profile(void)
{
	void *stream = begin(), *f = standin_case_load("nothing");
	struct aclprofConfig *c = create(0);

	GIVES(prof.init(results, strlen(results)), 0);
	launch(f, stream, 1);
	GIVES(prof.mark("early", 5, stream), 100043);
	GIVES(prof.start(c), 0);
	GIVES(prof.mark("tuning", 6, stream), 0);
	launch(f, stream, 3);
	GIVES(prof.stop(c), 0);
	launch(f, stream, 2);
	GIVES(prof.destroy(c), 0);
	GIVES(prof.finalize(), 0);
	GIVES(acl.finalize(), 0);
}

/* Path of the one folder of results whose name begins with PROF_; "" where there is another. */
static void find_profile(char *out, size_t size)
{
	DIR *d = opendir(results);
	const struct dirent *entry;
	int n = 0;

	while (d && (entry = readdir(d)))
		if (strncmp(entry->d_name, "PROF_000001_", 12) == 0) {
			snprintf(out, size, "%s/%s", results, entry->d_name);
			n++;
		}
	if (d)
		closedir(d);
	if (n != 1)
		*out = '\0';
}

static int count_in(const char *folder, const char *name, const char *text)
{
	struct buf data = {0};
	struct asc_err e;
	char path[600];
	int n = 0;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (!tap_int(file_read(path, 0, &data, &e), ASC_OK, "%s is read", name))
		return -1;
	for (const char *at = strstr(buf_str(&data), text); at; at = strstr(at + 1, text))
		n++;
	buf_fini(&data);
	return n;
}

static void check_folder(void)
{
	char folder[512] = "";

	standin_case("head", "", profile, "kernels between start and stop");
	find_profile(folder, sizeof folder);
	tap_ok(*folder, "one folder is made");
	tap_int(count_in(folder, "device_0/kernels", " AI_VECTOR_CORE nothing\n"), 3,
		"a line for each kernel");
	tap_int(count_in(folder, "device_0/kernels", "\n"), 3, "and no other");
	tap_int(count_in(folder, "profile", "soc Ascend910B3\nmetrics 1\ndata 0x6\n"), 1,
		"its facts");
	tap_int(count_in(folder, "marks", " tuning\n"), 1, "marks");
	tap_has(standin_case_log(), "balance profiler configurations: 1 made, 1 freed",
		"the log has the balance");
}

static void check_taken(void)
{
	const int folder = open(results, O_RDONLY | O_DIRECTORY);

	tap_int(flock(folder, LOCK_EX), 0, "the folder is locked");
	standin_case("head", "", taken, "two processes with one folder");
	close(folder);
}

/* ---- where the functions are ---- */

static void of_2022(void)
{
	find_functions("2022", "libascendcl.so");
	HOLDS(prof.start != NULL && prof.set == NULL && prof.mark == NULL);
	HOLDS(standin_case_open("2022", "libmsprofiler.so") == NULL);
}

static void of_split(void)
{
	find_functions("split", "libmsprofiler.so");
	HOLDS(prof.start != NULL && prof.set != NULL && prof.mark != NULL);
	find_functions("split", "libacl_rt.so");
	HOLDS(prof.start == NULL);
}

int main(void)
{
	if (!tap_ok(mkdtemp(results), "a folder"))
		return tap_done();
	check_folder();
	standin_case("head", "", order, "the order of calls");
	standin_case("head", "", before_init, "before aclInit");
	standin_case("head", "devices=2", configurations, "configurations");
	standin_case("head", "", conflict, "a subscriber of MSPTI");
	check_taken();
	standin_case("2022", "", of_2022, "the functions of 2022");
	standin_case("split", "", of_split, "the functions of the split");
	dir_remove(results);
	return tap_done();
}
