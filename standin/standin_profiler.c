#include "standin/standin_profiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "standin/standin_context.h"
#include "standin/standin_listener.h"
#include "standin/standin_stream.h"
#include "tuner/base/units.h"

enum { MAX_PATH = 4096, MAX_DEVICES = 16, LAST_METRICS = 8, NO_METRICS = 255, TIME_SIZE = 32 };

/* All bits of data that the vendor's list has. */
#define KNOWN_DATA UINT64_C(0xc0100fbff)

struct aclprofConfig {
	struct standin_object object;
	uint32_t devices[MAX_DEVICES], n;
	int metrics;
	uint64_t data;
	bool runs;
	int folder;               /* while it runs */
	int kernels[MAX_DEVICES]; /* files of the devices */
};

static struct {
	int folder; /* of the results, locked; -1: before aclprofInit */
	int64_t profiles;
} profiler = {.folder = -1};

static int check_initialised(void)
{
	return profiler.folder >= 0 ? STANDIN_OK
				    : standin_fail(ACL_PROF_NOT_RUN, "profiling before "
								     "aclprofInit");
}

static bool some_run(void)
{
	const struct aclprofConfig *c = standin_first(STANDIN_PROFILE);

	while (c && !c->runs)
		c = (const struct aclprofConfig *)c->object.next;
	return c != NULL;
}

/* ---- begin and end ---- */

/* Opens the folder of the results; one process at a time profiles into it. */
static int open_results(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		return standin_fail(ACL_INVALID_FILE, "%s: %s", path, strerror(errno));
	profiler.folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (profiler.folder < 0)
		return standin_fail(ACL_INVALID_FILE, "%s: %s", path, strerror(errno));
	if (flock(profiler.folder, LOCK_EX | LOCK_NB) == 0)
		return STANDIN_OK;
	close(profiler.folder);
	profiler.folder = -1;
	return standin_fail(ACL_PROF_ALREADY_RUN, "%s: another process profiles", path);
}

int aclprofInit(const char *path, size_t length)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	char text[MAX_PATH + 1] = "";

	if (code == STANDIN_OK && (!path || !length || length > MAX_PATH))
		code = standin_fail(ACL_INVALID_PARAM, "a path of %zu bytes", length);
	if (code == STANDIN_OK && profiler.folder >= 0)
		code = standin_fail(ACL_PROF_ALREADY_RUN, "aclprofInit was called before");
	if (code == STANDIN_OK) {
		memcpy(text, path, length);
		code = open_results(text);
	}
	return standin_leave(__func__, code, "%s", text);
}

int aclprofFinalize(void)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT | STANDIN_WHEN_LOST);

	code = code ? code : check_initialised();
	if (code == STANDIN_OK && some_run())
		code = standin_fail(ACL_PROF_ALREADY_RUN, "aclprofFinalize before aclprofStop");
	if (code == STANDIN_OK) {
		close(profiler.folder);
		profiler.folder = -1;
	}
	return standin_leave(__func__, code, "%s", "");
}

/* ---- configurations ---- */

static int check_devices(const uint32_t *devices, uint32_t n)
{
	int code = devices && n && n <= MAX_DEVICES
			   ? STANDIN_OK
			   : standin_fail(ACL_INVALID_PARAM, "a list of %u devices", n);

	for (uint32_t i = 0; i < n && code == STANDIN_OK; i++) {
		code = standin_device_check(devices[i]);
		for (uint32_t k = 0; k < i && code == STANDIN_OK; k++)
			if (devices[k] == devices[i])
				code = standin_fail(ACL_INVALID_PARAM, "device %u is listed twice",
						    devices[i]);
	}
	return code;
}

static int check_what(int metrics, const void *events, uint64_t data)
{
	if ((metrics < 0 || metrics > LAST_METRICS) && metrics != NO_METRICS)
		return standin_fail(ACL_INVALID_PARAM, "metrics %d", metrics);
	if (events || !data || (data & ~KNOWN_DATA))
		return standin_fail(ACL_INVALID_PARAM, "events at %p, data %#llx", events,
				    (unsigned long long)data);
	return STANDIN_OK;
}

struct aclprofConfig *aclprofCreateConfig(uint32_t *devices, uint32_t n, int metrics,
					  const void *events, uint64_t data)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct aclprofConfig *c = NULL;

	code = code ? code : check_devices(devices, n);
	code = code ? code : check_what(metrics, events, data);
	if (code == STANDIN_OK && (c = standin_new(STANDIN_PROFILE, sizeof *c)) != NULL) {
		memcpy(c->devices, devices, n * sizeof *devices);
		c->n = n;
		c->metrics = metrics;
		c->data = data;
	}
	standin_leave(__func__, code, "%p", (void *)c);
	return c;
}

/* The configuration as what it was made: the vendor's prototypes have constant ones. */
static struct aclprofConfig *find_config(const struct aclprofConfig *config)
{
	struct aclprofConfig *own = standin_first(STANDIN_PROFILE);

	while (own && own != config)
		own = (struct aclprofConfig *)own->object.next;
	if (!own)
		(void)standin_fail(ACL_INVALID_PARAM, "%p is no configuration",
				   (const void *)config);
	return own;
}

int aclprofDestroyConfig(const struct aclprofConfig *config)
{
	int code = standin_enter(__func__, STANDIN_WHEN_LOST);
	struct aclprofConfig *c = code ? NULL : find_config(config);

	if (code == STANDIN_OK && !c)
		code = ACL_INVALID_PARAM;
	if (code == STANDIN_OK && c->runs)
		code = standin_fail(ACL_PROF_ALREADY_RUN, "a configuration that runs");
	if (code == STANDIN_OK)
		standin_free(c);
	return standin_leave(__func__, code, "%p", (const void *)config);
}

int aclprofSetConfig(int type, const char *value, size_t length)
{
	enum { STORAGE_LIMIT = 1, ARGS_MAX = 17 };
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : check_initialised();
	if (code == STANDIN_OK && some_run())
		code = standin_fail(ACL_PROF_ALREADY_RUN, "aclprofSetConfig after aclprofStart");
	if (code == STANDIN_OK && (type < STORAGE_LIMIT || type >= ARGS_MAX || !value || !length))
		code = standin_fail(ACL_INVALID_PARAM, "setting %d of %zu bytes", type, length);
	return standin_leave(__func__, code, "%d", type);
}

/* ---- a profile ---- */

/* Time of day to milliseconds, as in the names of the vendor's folders. */
static void print_time(char out[TIME_SIZE])
{
	struct timespec now;
	struct tm day;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &day);
	const size_t n = strftime(out, TIME_SIZE, "%Y%m%d%H%M%S", &day);
	(void)snprintf(out + n, TIME_SIZE - n, "%03d", (int)(now.tv_nsec / 1000000));
}

static int make_file(int folder, const char *name)
{
	return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
}

static bool write_facts(const struct aclprofConfig *c)
{
	const int file = make_file(c->folder, "profile");

	if (file < 0)
		return false;
	const int n = dprintf(file, "soc %s\nmetrics %d\ndata %#llx\n",
			      standin_get_control()->limits.name, c->metrics,
			      (unsigned long long)c->data);
	return close(file) == 0 && n > 0;
}

static void close_files(struct aclprofConfig *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->kernels[i] >= 0)
			close(c->kernels[i]);
	if (c->folder >= 0)
		close(c->folder);
	c->runs = false;
}

/* Makes PROF_number_time_process with a folder for each device. */
static int make_files(struct aclprofConfig *c)
{
	char name[128], time[TIME_SIZE];
	bool ok;

	print_time(time);
	(void)snprintf(name, sizeof name, "PROF_%06lld_%s_%ld", (long long)++profiler.profiles,
		       time, (long)getpid());
	ok = mkdirat(profiler.folder, name, 0777) == 0;
	c->folder = openat(profiler.folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok = ok && c->folder >= 0 && write_facts(c);
	for (uint32_t i = 0; i < c->n; i++) {
		(void)snprintf(name, sizeof name, "device_%u", c->devices[i]);
		ok = ok && mkdirat(c->folder, name, 0777) == 0;
		(void)snprintf(name, sizeof name, "device_%u/kernels", c->devices[i]);
		c->kernels[i] = ok ? make_file(c->folder, name) : -1;
		ok = c->kernels[i] >= 0;
	}
	if (ok)
		return STANDIN_OK;
	close_files(c);
	return standin_fail(ACL_INVALID_FILE, "%s: %s", name, strerror(errno));
}

static bool has_device(const struct aclprofConfig *c, uint32_t device, uint32_t *at)
{
	for (*at = 0; *at < c->n; ++*at)
		if (c->devices[*at] == device)
			return true;
	return false;
}

static void on_kernel(const struct standin_record *r)
{
	const struct aclprofConfig *c = standin_first(STANDIN_PROFILE);
	uint32_t at;

	for (; c; c = (const struct aclprofConfig *)c->object.next)
		if (c->runs && has_device(c, (uint32_t)r->device, &at) &&
		    dprintf(c->kernels[at], "%lld %lld %d %s %s\n", (long long)r->begin_ns,
			    (long long)r->end_ns, r->stream, r->type, r->name) < 0)
			standin_log("warning: a kernel's record was not written");
}

static const struct standin_listener listener = {.kernel = on_kernel};

static int check_start(const struct aclprofConfig *c)
{
	const struct aclprofConfig *other = standin_first(STANDIN_PROFILE);
	uint32_t at;

	if (standin_alive(STANDIN_SUBSCRIBER))
		return standin_fail(ACL_PROF_API_CONFLICT, "MSPTI has a subscriber");
	for (; other; other = (const struct aclprofConfig *)other->object.next)
		for (uint32_t i = 0; i < c->n && other->runs; i++)
			if (has_device(other, c->devices[i], &at))
				return standin_fail(ACL_PROF_ALREADY_RUN, "device %u is profiled",
						    c->devices[i]);
	return STANDIN_OK;
}

int aclprofStart(const struct aclprofConfig *config)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct aclprofConfig *c = NULL;

	code = code ? code : check_initialised();
	if (code == STANDIN_OK && !(c = find_config(config)))
		code = ACL_INVALID_PARAM;
	code = code ? code : check_start(c);
	code = code ? code : make_files(c);
	if (code == STANDIN_OK) {
		c->runs = true;
		standin_listeners[STANDIN_PROFILER] = &listener;
	}
	return standin_leave(__func__, code, "%p", (const void *)config);
}

int aclprofStop(const struct aclprofConfig *config)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT | STANDIN_WHEN_LOST);
	struct aclprofConfig *c = NULL;

	code = code ? code : check_initialised();
	if (code == STANDIN_OK && !(c = find_config(config)))
		code = ACL_INVALID_PARAM;
	if (code == STANDIN_OK && !c->runs)
		code = standin_fail(ACL_PROF_NOT_RUN, "aclprofStop without aclprofStart");
	if (code == STANDIN_OK)
		close_files(c);
	return standin_leave(__func__, code, "%p", (const void *)config);
}

static void write_mark(const char *message, size_t length)
{
	const struct aclprofConfig *c = standin_first(STANDIN_PROFILE);

	for (; c; c = (const struct aclprofConfig *)c->object.next) {
		const int file = c->runs ? openat(c->folder, "marks",
						  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
					 : -1;

		if (file < 0)
			continue;
		(void)dprintf(file, "%lld %.*s\n", (long long)clock_now_ns(), (int)length, message);
		close(file);
	}
}

int aclprofMarkEx(const char *message, size_t length, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && (!message || !length || length > MAX_PATH))
		code = standin_fail(ACL_INVALID_PARAM, "a message of %zu bytes", length);
	code = code ? code : standin_stream_check(stream);
	if (code == STANDIN_OK && !some_run())
		code = standin_fail(ACL_PROF_NOT_RUN, "aclprofMarkEx without aclprofStart");
	if (code == STANDIN_OK)
		write_mark(message, length);
	return standin_leave(__func__, code, "%p", stream);
}
