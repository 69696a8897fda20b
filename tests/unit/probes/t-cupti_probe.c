/* The probe `cupti` on a libcuda and a libcupti that the test plays: what is counted, of one kernel
 * and of several, and each way in which nothing is counted.
 * covers: cupti_probe.c cupti_range.c */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/libs/fake_cupti.h"
#include "tests/unit/probes/fake_cuda.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"

static struct asc_err e;

static struct {
	void (*play)(const struct fake_profiler *);
	void (*launch)(size_t kernels);
	size_t (*rounds)(void);
} fake;

static void find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof symbol);
}

/* ---- a file of the driver that the sandbox denies ---- */

static bool denied; /* the only file that matches a pattern, /dev/null, cannot be opened */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_glob(const char *pattern, int flags, int (*fails)(const char *, int), glob_t *out);
void __wrap_globfree(glob_t *g);

int __wrap_open(const char *path, int flags, ...)
{
	if (!denied || strcmp(path, "/dev/null") != 0)
		return __real_open(path, flags);
	errno = EACCES;
	return -1;
}

int __wrap_glob(const char *pattern, int flags, int (*fails)(const char *, int), glob_t *out)
{
	static char path[] = "/dev/null";
	static char *paths[] = {path, NULL};

	(void)flags;
	(void)fails;
	if (strcmp(pattern, "/dev/nvidia-caps/*") != 0)
		return GLOB_NOMATCH;
	*out = (glob_t){.gl_pathc = 1, .gl_pathv = paths};
	return 0;
}

void __wrap_globfree(glob_t *g)
{
	*g = (glob_t){0};
}

/* ---- launches ---- */

struct launches {
	bool vendor; /* a function of a vendor launches the kernels */
	size_t kernels, launched, restored, flushed;
	int to;           /* announcements are written there, too; 0: nowhere */
	char passes[64];  /* that were announced: "1/7 2/7" */
	bool fails;       /* a launch fails while the profiler runs */
	bool fails_twice; /* and without it */
};

static enum asc_status pass(void *user, size_t pass, size_t of, struct asc_err *err)
{
	struct launches *l = user;
	const size_t n = strlen(l->passes);

	(void)err;
	(void)snprintf(l->passes + n, sizeof l->passes - n, "%s%zu/%zu", n ? " " : "", pass, of);
	return l->to == 0 || write(l->to, l->passes + n, strlen(l->passes + n)) > 0 ? ASC_OK
										    : ASC_IO;
}

static enum asc_status restore(void *user, struct asc_err *err)
{
	(void)err;
	((struct launches *)user)->restored++;
	return ASC_OK;
}

static enum asc_status flush(void *user, struct asc_err *err)
{
	(void)err;
	((struct launches *)user)->flushed++;
	return ASC_OK;
}

static enum asc_status launch(void *user, int64_t n, struct asc_err *err)
{
	struct launches *l = user;

	l->launched += (size_t)n;
	if (l->fails && (l->launched == 1 || l->fails_twice))
		return asc_err_set(err, ASC_CHILD, "cuLaunchKernelEx: not supported");
	fake.launch(l->kernels);
	return ASC_OK;
}

/* ---- one replay ---- */

static const char text[] =
	"{\"metrics\": ["
	" {\"name\": \"kernel_ns\", \"unit\": \"ns\", \"meaning\": \"m\", \"probe\": \"cupti\","
	"  \"kernels\": \"sum\", \"counters\": {\"*\": [\"gpu__time_duration.sum\"]}},"
	" {\"name\": \"bytes\", \"unit\": \"B\", \"meaning\": \"m\", \"probe\": \"cupti\","
	"  \"kernels\": \"sum\", \"counters\": {\"GB20*\": [\"new\"], \"*\": [\"no_old\", "
	"\"seven_7\"]}},"
	" {\"name\": \"share\", \"unit\": \"%\", \"meaning\": \"m\", \"probe\": \"cupti\","
	"  \"kernels\": \"time\", \"counters\": {\"*\": [\"pct\"]}},"
	" {\"name\": \"most\", \"unit\": \"1\", \"meaning\": \"m\", \"probe\": \"cupti\","
	"  \"kernels\": \"most\", \"counters\": {\"*\": [\"four\"]}},"
	" {\"name\": \"again\", \"unit\": \"1\", \"meaning\": \"m\", \"probe\": \"cupti\","
	"  \"kernels\": \"least\", \"counters\": {\"*\": [\"four\"]}},"
	" {\"name\": \"lacking\", \"unit\": \"1\", \"meaning\": \"m\", \"probe\": \"cupti\","
	"  \"kernels\": \"sum\", \"counters\": {\"*\": [\"no_such\"]}},"
	" {\"name\": \"of_others\", \"unit\": \"1\", \"meaning\": \"m\", \"probe\": \"cupti\","
	"  \"kernels\": \"sum\", \"counters\": {\"GB*\": [\"five_\"]}},"
	" {\"name\": \"rate\", \"unit\": \"B/s\", \"meaning\": \"m\","
	"  \"formula\": \"bytes / kernel_ns\"}],"
	"\"sets\": {\"all\": [\"bytes\", \"share\", \"most\", \"again\", \"lacking\", "
	"\"of_others\"], \"none\": [\"lacking\"], \"time\": [\"kernel_ns\"]}}";

static struct metric_book *book;

static struct probe_request request(const char *set)
{
	struct probe_request r = {.book = book};

	(void)metric_book_find_set(book, set, &r.set, &e); /* which may be out of memory */
	return r;
}

static const struct metric *reading(const struct result *r, const char *name, int call)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0 && r->metrics[i].call == call)
			return &r->metrics[i];
	return NULL;
}

static double value(const struct result *r, const char *name, int call)
{
	const struct metric *m = reading(r, name, call);

	return m ? m->value : -1;
}

static const char *why(const struct result *r, const char *name)
{
	const struct metric *m = reading(r, name, 0);

	return m && m->reason ? m->reason : "";
}

static enum asc_status replay(const struct fake_profiler *how, const char *set, struct launches *l,
			      size_t kernels, struct result *out)
{
	const struct device_info device = {.bus = FAKE_CUDA_BUS};
	const struct probe_launches launches = {.pass = pass,
						.restore = restore,
						.flush = flush,
						.launch = launch,
						.user = l,
						.kernels = kernels,
						.vendor = l->vendor};
	const struct probe_request r = request(set);
	struct probe *p;

	result_init(out);
	fake.play(how);
	if (!r.set || probe_cupti.open(&device, &p, &e))
		return e.status;
	const enum asc_status s = probe_cupti.replay(p, &r, &launches, out, &e);

	probe_cupti.close(p);
	return s;
}

/* ---- cases ---- */

static void test_one(void)
{
	struct launches l = {.kernels = 1};
	struct result r;

	tap_int(replay(&(struct fake_profiler){0}, "all", &l, 1, &r), ASC_OK, "a kernel");
	tap_str(l.passes, "1/7 2/7 3/7 4/7 5/7 6/7 7/7", "each pass is announced");
	tap_int(l.launched, 7, "and takes one launch");
	tap_int(l.restored, 7, "with tensors as they were");
	tap_int(l.flushed, 7, "and empty caches");
	tap_real(value(&r, "bytes", 0), 7, 0, "the first counter that the chip has");
	tap_real(value(&r, "share", 0), 3, 0, "a share");
	tap_real(value(&r, "most", 0), 4, 0, "a counter that two metrics have");
	tap_real(value(&r, "again", 0), 4, 0, "of the second as well");
	tap_ok(!reading(&r, "bytes", 1), "no readings of single kernels");
	tap_ok(isnan(value(&r, "lacking", 0)), "a counter that the chip lacks");
	tap_str(why(&r, "lacking"), "the chip GH100 has no counter \"no_such\"",
		"is said with the chip");
	tap_ok(!reading(&r, "of_others", 0), "a metric of other chips is not missed");
	tap_ok(!reading(&r, "rate", 0), "a formula is not counted");
	tap_ok(!reading(&r, "kernel_ns", 0), "the time is none of this set");
	tap_real(value(&r, "passes", 0), FAKE_PASSES, 0, "passes");
	tap_real(value(&r, "launches", 0), FAKE_PASSES, 0, "launches");
	result_fini(&r);
}

/* Kernel k takes 1000 k ns, and each counter has k times the length of its name. */
static void test_several(void)
{
	struct launches l = {.kernels = 3};
	struct result r;

	tap_int(replay(&(struct fake_profiler){0}, "all", &l, 3, &r), ASC_OK, "three kernels");
	tap_real(value(&r, "bytes", 0), 7 + 14 + 21, 0, "counts are added");
	tap_real(value(&r, "share", 0), (3 * 1 + 6 * 2 + 9 * 3) / 6.0, 1e-12,
		 "shares are weighted by the kernels' times");
	tap_real(value(&r, "most", 0), 12, 0, "the most of any kernel");
	tap_real(value(&r, "again", 0), 4, 0, "the least");
	tap_real(value(&r, "bytes", 2), 14, 0, "a reading of the second kernel");
	tap_real(value(&r, "share", 3), 9, 0, "and one of the third");
	result_fini(&r);
	l = (struct launches){.kernels = 4};
	tap_int(replay(&(struct fake_profiler){0}, "time", &l, 3, &r), ASC_OK,
		"one kernel more than the workload launches");
	tap_str(why(&r, "kernel_ns"), "CUPTI counted 4 of 3 kernels", "is no launch of it");
	result_fini(&r);
	l = (struct launches){.kernels = 40, .vendor = true};
	tap_int(replay(&(struct fake_profiler){0}, "time", &l, 1, &r), ASC_OK,
		"a vendor's function of 40 kernels");
	tap_real(value(&r, "kernel_ns", 0), 820e3, 0,
		 "all of them are counted: 1000 * 40 * 41 / 2");
	tap_int(fake.rounds(), 3 * FAKE_PASSES, "with room for 8, 32 and 128 kernels");
	tap_int(l.restored, 3 * FAKE_PASSES, "tensors are restored before each launch");
	result_fini(&r);
}

static void test_chips(void)
{
	struct launches l = {.kernels = 1};
	struct result r;

	tap_int(replay(&(struct fake_profiler){.chip = "GB202"}, "all", &l, 1, &r), ASC_OK,
		"another chip");
	tap_real(value(&r, "bytes", 0), 3, 0, "has the counter of its family");
	tap_real(value(&r, "of_others", 0), 5, 0, "and the metric that others lack");
	result_fini(&r);
	l = (struct launches){.kernels = 1};
	tap_int(replay(&(struct fake_profiler){.chip = "XY1"}, "all", &l, 1, &r), ASC_OK,
		"a chip that the library does not know is no error");
	tap_has(why(&r, "bytes"), "libcupti does not know the chip \"XY1\"", "but a reason");
	tap_int(l.launched, 0, "and nothing is launched");
	result_fini(&r);
	l = (struct launches){.kernels = 1};
	tap_int(replay(&(struct fake_profiler){0}, "none", &l, 1, &r), ASC_OK,
		"a set of which the chip has nothing");
	tap_int(l.launched, 0, "launches nothing");
	tap_str(why(&r, "lacking"), "the chip GH100 has no counter \"no_such\"", "and says so");
	result_fini(&r);
}

static void test_endless(void)
{
	struct launches l = {.kernels = 2};
	struct result r;

	tap_int(replay(&(struct fake_profiler){.endless = true}, "all", &l, 2, &r), ASC_OK,
		"a profiler that wants more passes than it has told");
	tap_int(l.launched, 7, "gets those that it has told");
	tap_has(why(&r, "bytes"), "CUPTI wants more than 7 passes", "and this is the reason");
	result_fini(&r);
}

/* In a process of its own: pass 3 is the last one that was announced. */
static void test_death(void)
{
	int ends[2], status = 0;
	char said[64] = "";

	if (!tap_int(pipe(ends), 0, "a pipe"))
		return;
	const pid_t child = fork();

	if (child == 0) {
		struct launches l = {.kernels = 1, .to = ends[1]};
		struct result r;

		(void)replay(&(struct fake_profiler){.dies_in_pass = 3}, "all", &l, 1, &r);
		_exit(0);
	}
	tap_ok(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status),
	       "a process that dies in pass 3");
	(void)close(ends[1]);
	tap_ok(read(ends[0], said, sizeof said - 1) > 0, "has announced");
	tap_str(said, "1/7 2/7 3/7", "that pass last");
	(void)close(ends[0]);
}

static void check_reason(const struct fake_profiler *how, const char *reason, const char *what)
{
	struct launches l = {.kernels = 2};
	struct result r;

	tap_int(replay(how, "all", &l, 2, &r), ASC_OK, "%s: no error", what);
	tap_has(why(&r, "bytes"), reason, "%s: the reason", what);
	tap_str(why(&r, "share"), why(&r, "bytes"), "%s: of each metric", what);
	tap_ok(isnan(value(&r, "most", 0)) && !reading(&r, "most", 1), "%s: no value", what);
	result_fini(&r);
}

static void test_reasons(void)
{
	static const struct {
		const char *function;
		unsigned rc;
		const char *reason;
	} refused[] = {
		{"cuptiRangeProfilerEnable", 35,
		 "not permitted (CUPTI 35; root, or the driver's "
		 "NVreg_RestrictProfilingToAdminUsers=0)"},
		{"cuptiRangeProfilerSetConfig", 35, "not permitted (CUPTI 35;"},
		{"cuptiRangeProfilerEnable", 39,
		 "another profiler is at work in this process "
		 "(CUPTI 39)"},
		{"cuptiRangeProfilerStart", 26, "another profiler is at work on this GPU"},
		{"cuptiRangeProfilerEnable", 40, "a virtual GPU whose host does not permit it"},
		{"cuptiRangeProfilerEnable", 41, "confidential computing is on"},
		{"cuptiRangeProfilerEnable", 42, "a GPU for mining"},
		{"cuptiRangeProfilerEnable", 43, "a part of a divided GPU (MIG) (CUPTI 43)"},
		{"cuptiRangeProfilerEnable", 44, "GPUs that are joined (SLI)"},
		{"cuptiRangeProfilerEnable", 45, "Windows Subsystem for Linux"},
		{"cuptiRangeProfilerStop", 8, "no memory to save tensors between passes"},
		{"cuptiRangeProfilerDecodeData", 999, "cuptiRangeProfilerDecodeData: "},
		{"cuptiProfilerHostConfigAddMetrics", 1, "cuptiProfilerHostConfigAddMetrics: "},
		{"cuptiProfilerHostEvaluateToGpuValues", 1,
		 "cuptiProfilerHostEvaluateToGpuValues: "},
	};
	static const struct {
		size_t level;
		unsigned value;
		const char *reason;
	} unsupported[] = {{1, 1, "libcupti has no counters of this GPU"},
			   {2, 1, "GPUs that are joined (SLI)"},
			   {3, 2, "a virtual GPU whose host does not permit it"},
			   {4, 1, "confidential computing is on"},
			   {5, 1, "a GPU for mining"},
			   {6, 1, "Windows Subsystem for Linux"},
			   {0, 1, "libcupti does not support counters of this GPU"}};

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		check_reason(
			&(struct fake_profiler){.refuse = refused[i].function, .rc = refused[i].rc},
			refused[i].reason, refused[i].reason);
	for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++) {
		struct fake_profiler how = {.levels = {1}};

		how.levels[unsupported[i].level] = unsupported[i].value;
		check_reason(&how, unsupported[i].reason, unsupported[i].reason);
	}
	check_reason(&(struct fake_profiler){.lost = 1}, "CUPTI counted 1 of 2 kernels",
		     "a kernel that is lost in silence");
	check_reason(&(struct fake_profiler){.dropped = 1}, "CUPTI dropped 1 kernels",
		     "one that is dropped");
}

static void test_denied(void)
{
	const struct fake_profiler refused = {.refuse = "cuptiRangeProfilerEnable", .rc = 35};

	denied = true;
	check_reason(&refused,
		     "NVreg_RestrictProfilingToAdminUsers=0); the sandbox denies /dev/null: "
		     "--trust leaves it off",
		     "a file of the driver that cannot be opened");
	denied = false;
	struct launches l = {.kernels = 2};
	struct result r;

	tap_int(replay(&refused, "all", &l, 2, &r), ASC_OK, "the same where all can be opened");
	tap_ok(!strstr(why(&r, "bytes"), "sandbox"), "does not name the sandbox");
	result_fini(&r);
}

static void test_numbers(void)
{
	struct launches l = {.kernels = 2};
	struct result r;

	tap_int(replay(&(struct fake_profiler){.nan = "seven_7"}, "all", &l, 2, &r), ASC_OK,
		"a counter without a number");
	tap_str(why(&r, "bytes"), "CUPTI gave no number for seven_7", "is a reason");
	tap_real(value(&r, "most", 0), 8, 0, "of that metric alone");
	result_fini(&r);
}

static void test_launch_fails(void)
{
	struct launches l = {.kernels = 1, .fails = true};
	struct result r;

	tap_int(replay(&(struct fake_profiler){0}, "all", &l, 1, &r), ASC_OK,
		"a launch that fails while it is counted only");
	tap_str(why(&r, "bytes"), "fails with counters only: cuLaunchKernelEx: not supported",
		"is a reason");
	tap_int(l.restored, 2, "tensors are restored before the launch without");
	result_fini(&r);
	l = (struct launches){.kernels = 1, .fails = true, .fails_twice = true};
	tap_int(replay(&(struct fake_profiler){0}, "all", &l, 1, &r), ASC_CHILD,
		"one that fails without counters as well is the kernel's failure");
	tap_str(e.text, "cuLaunchKernelEx: not supported", "in its own words");
	result_fini(&r);
}

static void test_refused_once(void)
{
	const struct device_info device = {.bus = FAKE_CUDA_BUS};
	const struct probe_request r = request("all");
	struct launches l = {.kernels = 1};
	const struct probe_launches launches = {pass, restore, NULL, launch, &l,
						0,    false,   1,    false};
	struct probe *p;
	struct result out;

	result_init(&out);
	fake.play(&(struct fake_profiler){.refuse = "cuptiRangeProfilerEnable", .rc = 35});
	tap_int(probe_cupti.open(&device, &p, &e), ASC_OK, "refused counters: the probe opens");
	(void)probe_cupti.replay(p, &r, &launches, &out, &e);
	fake.play(&(struct fake_profiler){0});
	result_fini(&out);
	result_init(&out);
	tap_int(probe_cupti.replay(p, &r, &launches, &out, &e), ASC_OK, "the next configuration");
	tap_has(why(&out, "bytes"), "not permitted", "has the reason without asking again");
	result_fini(&out);
	probe_cupti.close(p);
	tap_int(probe_cupti.open(&(struct device_info){.bus = "0000:00:01.0"}, &p, &e), ASC_ABSENT,
		"a GPU that the driver does not know");
}

static void test_plan(void)
{
	const struct probe_request r = request("all");
	char counter[64];
	size_t passes = 0;

	fake.play(&(struct fake_profiler){0});
	tap_int(probe_cupti.plan(&r, "GB202", &passes, &e), ASC_OK, "a plan for a chip");
	tap_int(passes, FAKE_PASSES, "has its passes");
	tap_int(probe_cupti.plan(&r, NULL, &passes, &e), ASC_OK, "one for the device here");
	tap_int(probe_cupti.plan(&r, "H100", &passes, &e), ASC_USAGE, "an unknown chip");
	tap_str(e.text, "libcupti does not know the chip \"H100\"; did you mean \"GH100\"?",
		"is told with the nearest");
	tap_ok(probe_cupti.counter(r.set->metrics[0], "GB202", counter, sizeof counter, &e) ==
			       ASC_OK &&
		       strcmp(counter, "new") == 0,
	       "the counter of a metric");
	tap_ok(probe_cupti.check("cuda", counter, sizeof counter), "the probe is usable");
	tap_ok(!probe_cupti.check("cpu", counter, sizeof counter), "but not for a CPU");
}

/* Counts two kernels; gives how many readings there are, and one of them. */
static enum asc_status count(struct asc_err *err)
{
	struct launches l = {.kernels = 2};
	struct result r;
	char given[64];
	const enum asc_status s = replay(&(struct fake_profiler){0}, "all", &l, 2, &r);

	*err = e;
	if (s == ASC_OK) {
		(void)snprintf(given, sizeof given, "%zu %g", r.n_metrics, value(&r, "bytes", 0));
		nomem_give(given);
	}
	result_fini(&r);
	return s;
}

int main(void)
{
	const struct metric_text texts[] = {{"test", text}};
	void *cuda = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
	void *cupti = dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL);

	if (!tap_ok(cuda && cupti && setenv("ASCTUNE_CUPTI", FAKE_CUPTI, 1) == 0,
		    "the libraries of the tests") ||
	    !tap_int(metric_book_open_texts(texts, 1, &book, &e), ASC_OK, "a book"))
		return tap_done();
	find(cupti, "fake_cupti_play", &fake.play);
	find(cupti, "fake_cupti_launch", &fake.launch);
	find(cupti, "fake_cupti_rounds", &fake.rounds);
	test_one();
	test_several();
	test_chips();
	test_endless();
	test_death();
	test_reasons();
	test_denied();
	test_numbers();
	test_launch_fails();
	test_refused_once();
	test_plan();
	nomem_exhaust("counting", count);
	metric_book_free(book);
	return tap_done();
}
