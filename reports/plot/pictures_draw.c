/* Several pictures per child, since starting gnuplot takes ten times as long as a small picture.
 * One that fails ends its child: all of the batch that are not proven complete are drawn again,
 * each by a child of its own. */
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/plot_svg.h"
#include "reports/plot/plotter.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/proc.h"
#include "tuner/base/units.h"

enum {
	BATCH = 16,
	CHILDREN = 16,
	GIVEN_UP = 3, /* children that had to be stopped */
	LOG_BYTES = 65536,
	PICTURE_BYTES = 20 << 20,
	MEMORY_BYTES = 1 << 30,
	SLICE_MS = 50,
	MOST_OPEN = 16
};

struct sketch { /* a picture on its way */
	struct picture *picture;
	struct plot_script script;
	bool ready; /* has a script, and neither picture nor reason yet */
};

struct child {
	struct proc proc;
	struct buf log;
	size_t sketches[BATCH], n;
	int64_t started_ns;
};

struct studio {
	const struct plotter *plotter;
	char *folder;
	struct sketch *list;
	size_t n, next, batch, stopped;
	struct child children[CHILDREN];
	size_t running;
	char path[4200]; /* "PATH=..." */
};

/* ---- results ---- */

static enum asc_status set_reason(struct picture *p, const char *reason, struct asc_err *e)
{
	free(p->reason);
	p->reason = str_dup(reason);
	return p->reason ? ASC_OK : asc_err_nomem(e);
}

static char *file_of(const struct studio *t, size_t i, const char *suffix)
{
	char name[40];

	(void)snprintf(name, sizeof name, "p%zu.%s", i, suffix);
	return path_join(t->folder, name);
}

/* ASC_CHILD where the file is not there or not complete. */
static enum asc_status take_picture(struct studio *t, size_t i, struct asc_err *e)
{
	struct sketch *k = &t->list[i];
	struct buf raw = {0}, clean = {0};
	char *path = file_of(t, i, "svg");
	enum asc_status s = path ? file_read(path, PICTURE_BYTES, &raw, e) : asc_err_nomem(e);

	if (s == ASC_OK)
		s = plot_svg_check(buf_str(&raw), k->script.marks, e);
	else if (s != ASC_NOMEM)
		s = asc_err_set(e, ASC_CHILD, "gnuplot wrote no picture");
	if (s == ASC_OK) {
		plot_svg_clean(raw.data, k->picture, &clean);
		s = buf_check(&clean, e);
	}
	if (s == ASC_OK) {
		k->picture->svg = buf_take(&clean);
		k->ready = false;
	}
	if (path)
		(void)unlink(path);
	free(path);
	buf_fini(&raw);
	buf_fini(&clean);
	return s;
}

/* What gnuplot says is wrong: its last line, where lines of the script are shown before it. */
static void print_complaint(const struct child *c, char *text, size_t size)
{
	char end[80];
	const char *log = buf_str(&c->log);
	size_t n = c->log.len;

	while (n && strchr("\n ", log[n - 1]))
		n--;
	size_t start = n;
	while (start && log[start - 1] != '\n')
		start--;
	(void)snprintf(text, size, "gnuplot %s%s%.*s",
		       proc_print_status(c->proc.status, end, sizeof end), n > start ? ": " : "",
		       (int)(n - start), log + start);
}

static bool complains(const struct child *c)
{
	return strstr(buf_str(&c->log), "Cannot find") || strstr(buf_str(&c->log), "Skipping");
}

/* Why none of the child's pictures can be trusted, or "". */
static void judge(const struct studio *t, const struct child *c, bool stopped, char *text,
		  size_t size)
{
	char limit[UNITS_TEXT_SIZE];

	*text = '\0';
	if (stopped)
		(void)snprintf(text, size, "gnuplot was stopped after %s",
			       units_print_duration((double)t->plotter->limit_ns, limit));
	else if (!WIFEXITED(c->proc.status) || WEXITSTATUS(c->proc.status) != 0 || complains(c))
		print_complaint(c, text, size);
}

static enum asc_status settle(struct studio *t, struct child *c, bool stopped, struct asc_err *e)
{
	char why[300];
	struct asc_err reason;
	bool alone = c->n == 1;

	judge(t, c, stopped, why, sizeof why);
	t->stopped += stopped;
	for (size_t i = 0; i < c->n; i++) {
		enum asc_status s = ASC_CHILD;
		if (!*why)
			s = take_picture(t, c->sketches[i], &reason);
		if (s == ASC_NOMEM)
			return asc_err_nomem(e);
		if (s == ASC_OK || !alone)
			continue;
		t->list[c->sketches[i]].ready = false;
		s = set_reason(t->list[c->sketches[i]].picture, *why ? why : reason.text, e);
		if (s)
			return s;
	}
	return ASC_OK;
}

/* ---- children ---- */

static void limit_child(pid_t pid, int64_t limit_ns)
{
	rlim_t seconds = (rlim_t)(limit_ns / 1000000000 + 1);
	const struct {
		int what;
		rlim_t most;
	} limits[] = {{RLIMIT_NPROC, 0},
		      {RLIMIT_CORE, 0},
		      {RLIMIT_FSIZE, PICTURE_BYTES},
		      {RLIMIT_AS, MEMORY_BYTES},
		      {RLIMIT_CPU, seconds}};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
		(void)prlimit(pid, (__rlimit_resource_t)limits[i].what,
			      &(struct rlimit){limits[i].most, limits[i].most}, NULL);
}

/* The child waits for its first line until the limits are set. */
static enum asc_status start_child(struct studio *t, struct child *c, const char *script,
				   struct asc_err *e)
{
	const char *const argv[] = {t->plotter->program, "-d", "/dev/stdin", NULL};
	const char *const variables[] = {"LC_ALL=C.UTF-8", t->path, NULL};
	const struct proc_options o = {.argv = argv,
				       .folder = t->folder,
				       .variables = variables,
				       .alone = true,
				       .feed = true,
				       .capture = true};
	char line[60];
	enum asc_status s = proc_start(&c->proc, &o, e);

	if (s)
		return s;
	limit_child(c->proc.pid, t->plotter->limit_ns);
	(void)snprintf(line, sizeof line, "load '%s'\n", script);
	proc_feed(&c->proc, line);
	c->started_ns = clock_now_ns();
	return ASC_OK;
}

/* Gathers up to t->batch sketches that are ready, from t->next on. */
static void gather(struct studio *t, struct child *c, struct buf *script)
{
	c->n = 0;
	buf_clear(&c->log);
	for (; t->next < t->n && c->n < t->batch; t->next++)
		if (t->list[t->next].ready) {
			struct buf *b = &t->list[t->next].script.text;
			buf_add(script, b->data, b->len);
			c->sketches[c->n++] = t->next;
		}
}

static enum asc_status begin_child(struct studio *t, struct child *c, struct asc_err *e)
{
	struct buf script = {0};
	char name[40], *path = NULL;
	enum asc_status s;

	gather(t, c, &script);
	s = buf_check(&script, e);
	if (s == ASC_OK && c->n) {
		(void)snprintf(name, sizeof name, "s%zu.gp", c->sketches[0]);
		path = path_join(t->folder, name);
		s = path ? file_write(path, script.data, script.len, e) : asc_err_nomem(e);
		if (s == ASC_OK)
			s = start_child(t, c, name, e);
		t->running += s == ASC_OK;
	}
	free(path);
	buf_fini(&script);
	return s;
}

/* True when it has ended or its time is over: then it is settled. */
static bool look_at(struct studio *t, struct child *c, bool *stopped)
{
	bool ended = proc_ended(&c->proc);

	*stopped = !ended && clock_now_ns() - c->started_ns > t->plotter->limit_ns;
	(void)proc_collect(&c->proc, LOG_BYTES, &c->log);
	if (!ended && !*stopped)
		return false;
	proc_kill(&c->proc);
	t->running--;
	return true;
}

static void wait_children(const struct studio *t)
{
	struct pollfd fds[CHILDREN];
	nfds_t n = 0;

	for (size_t i = 0; i < CHILDREN; i++)
		if (t->children[i].proc.pid)
			fds[n++] =
				(struct pollfd){.fd = t->children[i].proc.output, .events = POLLIN};
	(void)poll(fds, n, SLICE_MS);
}

static enum asc_status attend(struct studio *t, size_t children, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	bool stopped;

	for (size_t i = 0; i < children && s == ASC_OK; i++) {
		struct child *c = &t->children[i];
		if (c->proc.pid && look_at(t, c, &stopped))
			s = settle(t, c, stopped, e);
		if (s == ASC_OK && !c->proc.pid && t->stopped < GIVEN_UP)
			s = begin_child(t, c, e);
	}
	return s;
}

/* Draws what is ready, `batch` pictures in a child. */
static enum asc_status run_children(struct studio *t, size_t batch, struct asc_err *e)
{
	size_t children = t->plotter->children < CHILDREN ? t->plotter->children : CHILDREN;
	enum asc_status s;

	t->next = 0;
	t->batch = batch;
	for (;;) {
		s = attend(t, children ? children : 1, e);
		if (s || t->running == 0)
			break;
		wait_children(t);
	}
	for (size_t i = 0; i < CHILDREN; i++)
		proc_kill(&t->children[i].proc);
	t->running = 0;
	return s;
}

/* ---- all ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	(void)remove(path);
	return 0;
}

static enum asc_status open_folder(struct studio *t, struct asc_err *e)
{
	const char *parent = getenv("TMPDIR");

	t->folder = str_print("%s/asctune-plot-XXXXXX", parent && *parent ? parent : "/tmp");
	if (!t->folder)
		return asc_err_nomem(e);
	if (mkdtemp(t->folder))
		return ASC_OK;
	file_fail(e, "make a folder for pictures:", t->folder);
	free(t->folder);
	t->folder = NULL;
	return e->status;
}

static enum asc_status sketch(struct studio *t, size_t i, struct picture *p, struct asc_err *e)
{
	struct sketch *k = &t->list[i];
	struct asc_err reason;
	char name[40];

	picture_fini(p);
	k->picture = p;
	(void)snprintf(name, sizeof name, "p%zu.svg", i);
	plot_script_init(&k->script);
	enum asc_status s = picture_script(p, name, &k->script, &reason);
	p->shown = k->script.shown;
	p->given = k->script.given;
	k->ready = s == ASC_OK;
	if (s == ASC_NOMEM)
		return asc_err_nomem(e);
	return s ? set_reason(p, reason.text, e) : ASC_OK;
}

static size_t batch_size(const struct studio *t)
{
	size_t children = t->plotter->children ? t->plotter->children : 1;
	size_t each = (t->n + children - 1) / children;

	return each < BATCH ? each : BATCH;
}

/* Those that no child was given because others had to be stopped. */
static enum asc_status give_up(struct studio *t, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < t->n && s == ASC_OK; i++)
		if (t->list[i].ready)
			s = set_reason(t->list[i].picture,
				       "not drawn: gnuplot had to be stopped before", e);
	return s;
}

static enum asc_status draw_all(struct studio *t, struct picture *list, struct asc_err *e)
{
	enum asc_status s = open_folder(t, e);

	(void)snprintf(t->path, sizeof t->path, "PATH=%.4000s",
		       getenv("PATH") ? getenv("PATH") : "");
	for (size_t i = 0; i < t->n && s == ASC_OK; i++)
		s = sketch(t, i, &list[i], e);
	if (s == ASC_OK)
		s = run_children(t, batch_size(t), e);
	if (s == ASC_OK)
		s = run_children(t, 1, e);
	return s ? s : give_up(t, e);
}

static enum asc_status refuse_all(const struct plotter *g, struct picture *list, size_t n,
				  struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < n && s == ASC_OK; i++) {
		picture_fini(&list[i]);
		s = set_reason(&list[i], g->reason, e);
	}
	return s;
}

static void studio_free(struct studio *t)
{
	for (size_t i = 0; i < t->n; i++)
		plot_script_fini(&t->list[i].script);
	for (size_t i = 0; i < CHILDREN; i++)
		buf_fini(&t->children[i].log);
	if (t->folder)
		(void)nftw(t->folder, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
	free(t->folder);
	free(t->list);
	free(t);
}

enum asc_status pictures_draw(const struct plotter *g, struct picture *list, size_t n,
			      struct asc_err *e)
{
	if (!g->program)
		return refuse_all(g, list, n, e);
	struct studio *t = calloc(1, sizeof *t);
	if (!t)
		return asc_err_nomem(e);
	*t = (struct studio){.plotter = g, .list = calloc(n + 1, sizeof *t->list)};
	if (!t->list) {
		free(t);
		return asc_err_nomem(e);
	}
	t->n = n;
	enum asc_status s = draw_all(t, list, e);
	studio_free(t);
	return s;
}
