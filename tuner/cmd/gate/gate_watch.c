#include "tuner/cmd/gate/gate_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/file.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/workload/workload.h"

enum {
	QUIET_MS = 100,   /* without a save: then the editor has written all */
	SAVING_MS = 2000, /* however many are saved: a build that writes sources */
	POLL_MS = 300     /* interval at which a stop is noticed */
};

/* Events of a file that is written, renamed to or from, made as a link, or gone; of a folder that
 * is. */
#define EVENTS                                                                                     \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ONLYDIR |       \
	 IN_EXCL_UNLINK)

struct watched_folder {
	int number; /* as events have it */
	char *path; /* absolute; heap */
};

/* The clock that the times of files are of, with its coarse steps. */
static int64_t file_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME_COARSE, &t);
	return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void note_saved(struct gate_watch *w, const char *path)
{
	if (w->saved.len == 0)
		buf_add_str(&w->saved, path);
}

/* ---- folders ---- */

static bool is_watched(const struct gate_watch *w, const char *folder)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->folders[i].path, folder) == 0)
			return true;
	return false;
}

/* Watches a folder. One that is not there, or may not be read, is passed over. */
static enum asc_status watch_folder(struct gate_watch *w, const char *folder, struct asc_err *e)
{
	const int number = inotify_add_watch(w->fd, folder, EVENTS);

	if (number < 0 && (errno == ENOSPC || errno == ENOMEM))
		return asc_err_set(e, ASC_LIMIT,
				   "%s: no more folders can be watched: "
				   "/proc/sys/fs/inotify/max_user_watches limits them",
				   folder);
	if (number < 0)
		return ASC_OK;
	/* The number of a folder that came back, or of one under another name, is another path's.
	 */
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct watched_folder f = w->folders[i];

		if (f.number == number || strcmp(f.path, folder) == 0)
			free(f.path);
		else
			w->folders[kept++] = f;
	}
	w->n = kept;
	char *path = str_dup(folder);

	if (!path || !array_room(&w->folders, w->n, &w->room, sizeof *w->folders)) {
		free(path);
		return asc_err_nomem(e);
	}
	w->folders[w->n++] = (struct watched_folder){number, path};
	return ASC_OK;
}

/* Watches the folder of a file and those above it up to the root: folders are replaced, too. */
static enum asc_status watch_around(struct gate_watch *w, const char *file, const char *root,
				    struct asc_err *e)
{
	char *folder = path_folder(file);
	enum asc_status status = folder ? ASC_OK : asc_err_nomem(e);
	bool up = true;

	while (status == ASC_OK && up) {
		status = watch_folder(w, folder, e);
		up = strlen(folder) > strlen(root) && strncmp(folder, root, strlen(root)) == 0;
		if (up)
			*strrchr(folder, '/') = '\0';
	}
	free(folder);
	return status;
}

enum asc_status gate_watch_open(const char *const *paths, size_t n, struct gate_watch *w,
				struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd < 0)
		return asc_err_set(e, ASC_ABSENT, "--watch: files cannot be watched here: %s",
				   strerror(errno));
	for (size_t i = 0; status == ASC_OK && i < n; i++) {
		char *real = path_absolute(paths[i], e);

		status = !real              ? e->status
			 : dir_exists(real) ? watch_folder(w, real, e)
					    : watch_around(w, real, real, e);
		free(real);
	}
	return status;
}

void gate_watch_close(struct gate_watch *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->folders[i].path);
	free(w->folders);
	buf_fini(&w->files);
	buf_fini(&w->saved);
	if (w->fd > 0)
		close(w->fd);
	*w = (struct gate_watch){.fd = 0};
}

/* ---- files ---- */

void gate_watch_begin(struct gate_watch *w)
{
	buf_clear(&w->saved);
	w->began_ns = file_now_ns();
}

/* Notes a file that was saved before its folder was watched, and after the gate began. */
static void look_for_save(struct gate_watch *w, const char *path)
{
	struct stat s;

	if (stat(path, &s) == 0 &&
	    (int64_t)s.st_ctim.tv_sec * INT64_C(1000000000) + s.st_ctim.tv_nsec > w->began_ns)
		note_saved(w, path);
}

/* Makes a path absolute, without the links of its folder: as events give it. */
static enum asc_status add_absolute(const char *path, struct buf *out, struct asc_err *e)
{
	char *folder = path_folder(path);
	struct asc_err gone;
	char *real = folder ? path_absolute(folder, &gone) : NULL;
	enum asc_status status = folder ? ASC_OK : asc_err_nomem(e);

	if (real) { /* a folder that is gone has nothing to watch */
		buf_print(out, "%s/%s", strcmp(real, "/") == 0 ? "" : real, path_name(path));
		buf_add_char(out, '\0');
	}
	free(real);
	free(folder);
	return status;
}

enum asc_status gate_watch_follow(struct gate_watch *w, const struct gate *g, struct asc_err *e)
{
	const struct base_checkout *c = g->checkout;
	struct buf named = {0}, files = {0};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < g->n_workloads; i++)
		if (strncmp(g->workloads[i]->path, c->scratch, strlen(c->scratch)) != 0)
			status = named_files_list(g->workloads[i], &named, e);
	for (size_t at = 0; status == ASC_OK && at < named.len; at += strlen(named.data + at) + 1)
		status = add_absolute(named.data + at, &files, e);
	if (status == ASC_OK)
		status = buf_check(&files, e);
	for (size_t at = 0; status == ASC_OK && at < files.len; at += strlen(files.data + at) + 1) {
		const char *path = files.data + at;
		char *folder = path_folder(path);

		if (!folder) {
			status = asc_err_nomem(e);
		} else if (!is_watched(w, folder)) {
			status = watch_around(w, path, c->repository.root, e);
			if (status == ASC_OK)
				look_for_save(w, path);
		}
		free(folder);
	}
	buf_fini(&named);
	buf_fini(&w->files);
	w->files = files;
	return status;
}

/* ---- events ---- */

static const char *ending(const char *path)
{
	const char *name = path_name(path), *dot = strrchr(name, '.');

	return dot && dot > name ? dot : "";
}

/* True for a file that the last gate reached, or for one with the ending of such a file: it may be
 * new, and stand before another one of the same name. */
static bool counts(const struct gate_watch *w, const char *path)
{
	const char *end = ending(path);

	if (*path_name(path) == '.')
		return false;
	if (strcmp(end, ".json") == 0)
		return true;
	for (size_t at = 0; at < w->files.len; at += strlen(w->files.data + at) + 1) {
		const char *file = w->files.data + at;

		if (strcmp(file, path) == 0 || (*end && strcmp(ending(file), end) == 0))
			return true;
	}
	return false;
}

/* Forgets a folder that came or went, and those below it: the next gate watches what is there then.
 */
static void forget_folder(struct gate_watch *w, const char *path)
{
	const size_t n = strlen(path);
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct watched_folder f = w->folders[i];

		if (strncmp(f.path, path, n) != 0 || (f.path[n] && f.path[n] != '/')) {
			w->folders[kept++] = f;
			continue;
		}
		(void)inotify_rm_watch(w->fd, f.number);
		free(f.path);
	}
	w->n = kept;
}

static void take_event(struct gate_watch *w, const struct inotify_event *event)
{
	const bool folder = event->mask & IN_ISDIR;
	char *path = NULL;

	if (event->mask & IN_Q_OVERFLOW)
		note_saved(w, "many files");
	for (size_t i = 0; !path && event->len > 0 && i < w->n; i++)
		if (w->folders[i].number == event->wd)
			path = path_join(w->folders[i].path, event->name);
	if (!path)
		return;
	if (folder)
		forget_folder(w, path);
	/* A folder that comes or goes takes files with it. */
	if (folder ? *event->name != '.' : counts(w, path))
		note_saved(w, path);
	free(path);
}

/* Takes the events that come within so many milliseconds. */
static void take_events(struct gate_watch *w, int wait_ms)
{
	_Alignas(struct inotify_event) char events[16384];
	struct pollfd fd = {.fd = w->fd, .events = POLLIN};
	ssize_t n;

	if (poll(&fd, 1, wait_ms) <= 0)
		return;
	while ((n = read(w->fd, events, sizeof events)) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *event = (const void *)(events + at);

			take_event(w, event);
			at += (ssize_t)(sizeof *event + event->len);
		}
}

bool gate_watch_is_late(struct gate_watch *w)
{
	take_events(w, 0);
	return w->saved.len > 0;
}

enum asc_status gate_watch_wait(struct gate_watch *w, const volatile sig_atomic_t *stop,
				struct asc_err *e)
{
	const struct timespec quiet = {.tv_nsec = QUIET_MS * 1000000L};

	while (!*stop && w->saved.len == 0 && !w->saved.failed)
		take_events(w, POLL_MS);
	for (int ms = 0; !*stop && ms < SAVING_MS; ms += QUIET_MS) {
		struct pollfd fd = {.fd = w->fd, .events = POLLIN};

		nanosleep(&quiet, NULL);
		if (poll(&fd, 1, 0) <= 0)
			break;
		take_events(w, 0);
	}
	if (*stop)
		buf_clear(&w->saved);
	return buf_check(&w->saved, e);
}

/* ---- verdicts ---- */

static bool is_of(const struct gate_kernel *a, const struct gate_kernel *b)
{
	return strcmp(a->workload, b->workload) == 0 && strcmp(a->problem, b->problem) == 0 &&
	       strcmp(a->implementation, b->implementation) == 0;
}

static bool is_same(const struct gate_kernel *a, const struct gate_kernel *b)
{
	bool same = true;

	for (size_t t = 0; same && t < GATE_TREES; t++)
		same = strcmp(a->sides[t].key, b->sides[t].key) == 0;
	return same;
}

static void keep(struct gate_kernel *k, struct gate_kernel *old)
{
	k->before = GATE_KEPT;
	k->verdict = old->verdict;
	k->equal = old->equal;
	k->reached = old->reached;
	k->found = old->found;
	old->found = NULL;
	k->retuned = old->retuned;
	old->retuned = NULL;
	k->ratio = old->ratio;
	memcpy(k->note, old->note, sizeof k->note);
	for (size_t t = 0; t < GATE_TREES; t++) {
		memcpy(k->sides[t].launch, old->sides[t].launch, sizeof k->sides[t].launch);
		memcpy(k->sides[t].reason, old->sides[t].reason, sizeof k->sides[t].reason);
		k->sides[t].failed = old->sides[t].failed;
	}
}

void gate_watch_keep(struct gate *g, struct gate *before)
{
	for (size_t i = 0; i < g->n; i++)
		for (size_t k = 0; k < before->n; k++) {
			struct gate_kernel *now = &g->list[i], *old = &before->list[k];

			if (!is_of(now, old))
				continue;
			/* What the budget had no time for has another one. */
			if (now->verdict != GATE_UNCHANGED && is_same(now, old) &&
			    !(old->verdict == GATE_UNDECIDED && !old->reached))
				keep(now, old);
			else if (now->before != GATE_KEPT && old->verdict != GATE_UNCHANGED)
				now->before = GATE_WAS_OTHER;
		}
}
