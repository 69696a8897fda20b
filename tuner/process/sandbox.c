/* How a child gets into its sandbox:
 *
 * 1. sandbox_prepare(), in the starter, works out limits, opens the places of Landlock's rules and
 *    has the filter's program made: all that takes memory.
 * 2. sandbox_enter(), in the child between fork and exec, makes system calls alone: who is killed
 *    first when memory runs out, limits, no new privileges, files, system calls.
 * 3. sandbox_forget(), in the starter again, notes which parts the kernel did not have.
 *
 * A part that is missing never stops a child: doctor and the run's first lines name it. */
#include "tuner/process/sandbox.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/names.h"
#include "tuner/process/guard.h"
#include "tuner/process/sandbox_files.h"
#include "tuner/process/sandbox_filter.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RESERVES_RANGES 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(RESERVES_RANGES)
enum { LIMITS_MEMORY = 0 };
#else
enum { LIMITS_MEMORY = 1 };
#endif

enum {
	MORE_PROCESSES = 4096, /* than the machine has */
	MAX_LIMITS = 6
};

struct limit {
	__rlimit_resource_t what;
	rlim_t most;
};

struct sandbox_entry {
	int ruleset; /* of Landlock; -1: none */
	bool driver;
	const struct sock_fprog *filter;
	unsigned missing; /* parts that the kernel has not, set by the child too */
	struct limit limits[MAX_LIMITS];
	size_t n_limits;
};

static bool is_off, is_off_for_drivers, is_required;
static unsigned missed;

static const char *const part_names[] = {SANDBOX_PARTS(NAME_OF_THREE)};
static const char *const part_meanings[] = {SANDBOX_PARTS(MEANING_OF_THREE)};

const char *sandbox_part_name(enum sandbox_part part)
{
	return part_names[part];
}

const char *sandbox_part_meaning(enum sandbox_part part)
{
	return part_meanings[part];
}

void sandbox_leave_off(void)
{
	assert(!is_required);
	is_off = true;
}

bool sandbox_leave_off_drivers(void)
{
	const bool was_on = !is_off && !is_off_for_drivers;

	if (is_required)
		return false;
	is_off_for_drivers = true;
	return was_on;
}

void sandbox_require(void)
{
	is_required = true;
	is_off_for_drivers = false;
}

bool sandbox_is_required(void)
{
	return is_required;
}

bool sandbox_is_off(void)
{
	return is_off;
}

unsigned sandbox_missing(void)
{
	return is_off ? 0 : missed;
}

const char *sandbox_reason(enum sandbox_part part, char *text, size_t size)
{
	*text = '\0';
	if (part == SANDBOX_NETWORK)
		sandbox_filter_check(text, size);
	else
		sandbox_files_check(part == SANDBOX_SIGNALS ? SANDBOX_FILES_SIGNALS : 1, text,
				    size);
	return text;
}

/* ---- limits ---- */

static void add_limit(struct sandbox_entry *entry, __rlimit_resource_t what, int64_t most)
{
	struct rlimit now;

	if (getrlimit(what, &now) != 0)
		return;
	/* Never more than there is: raising a limit takes rights. */
	const rlim_t wanted = (rlim_t)most < now.rlim_cur ? (rlim_t)most : now.rlim_cur;

	entry->limits[entry->n_limits++] = (struct limit){what, wanted};
}

static void add_limits(const struct sandbox *s, struct sandbox_entry *entry)
{
	struct sysinfo machine = {.mem_unit = 1};

	if (sysinfo(&machine) != 0)
		return;
	const int64_t memory = (int64_t)(machine.totalram * machine.mem_unit);

	/* The mark of the guard, no limit: it is 146,000 years. */
	if (guard_limit())
		add_limit(entry, RLIMIT_RTTIME, guard_limit());
	/* A kernel that dies would leave gigabytes where it works. */
	add_limit(entry, RLIMIT_CORE, 0);
	add_limit(entry, RLIMIT_FSIZE, s->file_bytes ? s->file_bytes : memory);
	/* Counted over all processes of the user: a bound on a fork bomb, not on a pool. */
	add_limit(entry, RLIMIT_NPROC, s->childless ? 0 : machine.procs + MORE_PROCESSES);
	if (s->limit_ns)
		add_limit(entry, RLIMIT_CPU, s->limit_ns / 1000000000 + 1); /* whole seconds */
	/* Not of a driver, which maps memory of its device. Else a limit on data, which counts what
	 * may be written: thread pools and allocators reserve ranges of addresses. */
	if (LIMITS_MEMORY && !s->driver && s->memory_bytes)
		add_limit(entry, RLIMIT_AS, s->memory_bytes);
	else if (LIMITS_MEMORY && !s->driver)
		add_limit(entry, RLIMIT_DATA, memory);
}

/* ---- entering ---- */

/* Does all that takes memory or locks, in the starter: the child may do neither. */
enum asc_status sandbox_prepare(const struct sandbox *s, const char *program,
				struct sandbox_entry **out, struct asc_err *e)
{
	*out = NULL;
	if (is_off || (s->driver && is_off_for_drivers))
		return ASC_OK;
	struct sandbox_entry *entry = calloc(1, sizeof *entry);
	if (!entry)
		return asc_err_nomem(e);
	entry->driver = s->driver;
	entry->filter = sandbox_filter_prepare(s->driver);
	add_limits(s, entry);
	if (sandbox_files_open(s, program, &entry->ruleset, e)) {
		free(entry);
		return e->status;
	}
	*out = entry;
	return ASC_OK;
}

void sandbox_forget(struct sandbox_entry *entry)
{
	if (!entry)
		return;
	if (entry->ruleset >= 0)
		close(entry->ruleset);
	/* Set by the child, in the memory that both share until its program begins. */
	missed |= entry->missing;
	free(entry);
}

/* Enters the sandbox, part after part: nothing that a part forbids is done after it. */
void sandbox_enter(struct sandbox_entry *entry)
{
	static const char more[] = "500"; /* of 1000: before all that runs as usual */

	if (!entry)
		return;
	/* When memory runs out the kernel is to kill this process before its starter, which would
	 * lose the results of all. */
	const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!write(fd, more, sizeof more - 1);
		close(fd);
	}
	/* Hard limits too: a process may raise its soft ones. */
	for (size_t i = 0; i < entry->n_limits; i++) {
		const rlim_t most = entry->limits[i].most;

		(void)setrlimit(entry->limits[i].what, &(struct rlimit){most, most});
	}
	/* The kernel asks for it before it takes rules or a filter from a plain user: a program
	 * with more rights, as sudo, would be fooled by them. */
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!sandbox_files_enter(entry->ruleset, entry->driver))
		entry->missing |= 1U << SANDBOX_FILES | 1U << SANDBOX_SIGNALS;
	else if (sandbox_files_version() < SANDBOX_FILES_SIGNALS)
		entry->missing |= 1U << SANDBOX_SIGNALS;
	/* Last: the filter may forbid calls that the parts before it make. */
	if (!sandbox_filter_enter(entry->filter))
		entry->missing |= 1U << SANDBOX_NETWORK;
}

/* ---- refusals, found in what a child says ---- */

static const char around_paths[] = " \t\r\n\"'`:,;=()[]<>";

static bool is_around(char c)
{
	return strchr(around_paths, c) != NULL; /* the text's end, too */
}

/* The word before `at`, which is in `said`: "PATH: Permission denied". A heap string. */
static char *take_before(const char *said, const char *at)
{
	while (at > said && is_around(at[-1]) && at[-1] != '\n')
		at--;
	const char *end = at;

	while (at > said && !is_around(at[-1]))
		at--;
	return str_print("%.*s", (int)(end - at), at);
}

/* The word behind: "Permission denied: 'PATH'". */
static char *take_behind(const char *at)
{
	while (*at && *at != '\n' && is_around(*at))
		at++;
	const char *begin = at;

	while (!is_around(*at))
		at++;
	return str_print("%.*s", (int)(at - begin), begin);
}

/* True where the user may read what children do not: no place of the system's or the workload's. */
static bool is_shut(const char *path)
{
	struct asc_err e;
	char *real = *path ? path_absolute(path, &e) : NULL;
	const bool shut = real && access(real, R_OK) == 0 && !strstr(real, "/.") &&
			  !sandbox_files_is_system(real) && !sandbox_is_granted(real);

	free(real);
	return shut;
}

/* True where the user may write what children do not: a file, or a new one in its folder. */
static bool is_sealed(const char *path)
{
	char *folder = strchr(path, '/') ? path_folder(path) : NULL;
	const bool sealed = folder && access(file_exists(path) ? path : folder, W_OK) == 0;

	free(folder);
	return sealed;
}

const char *sandbox_explain(const char *said, char *text, size_t size)
{
	const char *at =
		sandbox_is_off() || sandbox_is_required() ? NULL : strstr(said, SANDBOX_DENIAL);
	char *paths[] = {at ? take_before(said, at) : NULL,
			 at ? take_behind(at + sizeof SANDBOX_DENIAL - 1) : NULL};

	/* "Permission denied" has other causes: the words name the sandbox only as a possible one,
	 * unless a path is found that it alone denies. */
	(void)snprintf(text, size, "%s",
		       at ? " (if that is the sandbox: --trust leaves it off)" : "");
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		/* No message advises to copy a hidden file, which may be a key. */
		const bool named = paths[i] && !strstr(paths[i], "/.");

		if (named && is_shut(paths[i]))
			(void)snprintf(text, size,
				       " (the sandbox denied %s: put it beside the workload, or "
				       "leave the sandbox off with --trust)",
				       paths[i]);
		else if (named && is_sealed(paths[i]))
			(void)snprintf(text, size,
				       " (the sandbox denied %s: write below $TMPDIR, or leave the "
				       "sandbox off with --trust)",
				       paths[i]);
		free(paths[i]);
	}
	return text;
}
