/* One gnuplot for each picture, several at once: started with limits, watched, judged. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/plot_script.h"
#include "reports/page/plot/plot_svg.h"
#include "reports/page/plot/plotter.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/process/guard.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

enum {
	CHILDREN = 16,
	GIVEN_UP = 3, /* children that had to be stopped */
	SLICE_MS = 50,
	LOG_BYTES = 65536,
	MEMORY_BYTES = 1 << 30,
	FILE_BYTES = 20 << 20
};

struct child { /* a picture being drawn */
	struct picture *picture;
	struct proc proc; /* proc.pid is 0 when there is none */
	struct buf log;   /* its output */
	struct buf marks; /* titles of its marks */
	char file[40];    /* in the folder */
	int64_t started_ns;
};

struct studio {
	const struct plotter *plotter;
	char *folder; /* scripts and pictures */
	struct picture *list;
	size_t n, next, running, stopped;
	bool warned;
	struct child children[CHILDREN];
};

static enum asc_status set_reason(struct picture *p, const char *reason, struct asc_err *e)
{
	free(p->reason);
	p->reason = str_dup(reason);
	return p->reason ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status refuse_all(const char *reason, struct picture *list, size_t n,
				  struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < n && s == ASC_OK; i++)
		s = set_reason(&list[i], reason, e);
	return s;
}

/* Gives the `n` pictures from `list` on the reason that the scratch folder failed, and no error:
 * the page, which may be on another disk, can be written without pictures. */
static enum asc_status take_failure(struct studio *t, struct picture *list, size_t n,
				    struct asc_err *e)
{
	static const char reason[] = "not drawn: the folder for scratch files is full or cannot be "
				     "written (TMPDIR sets another)";

	if (e->status == ASC_NOMEM)
		return e->status;
	if (!t->warned)
		log_print(LOG_WARN, "pictures are not drawn: %s; set TMPDIR to another folder",
			  e->text);
	t->warned = true;
	return refuse_all(reason, list, n, e);
}

/* ---- start ---- */

/* Has gnuplot load the script `name`. */
static enum asc_status start_gnuplot(struct studio *t, struct child *c, const char *name,
				     struct asc_err *e)
{
	char path[4200], line[60];
	const char *const argv[] = {t->plotter->program, "-d", "/dev/stdin", NULL};
	const char *const variables[] = {"LC_ALL=C.UTF-8", path, NULL};
	const struct sandbox box = {.own = t->folder,
				    .childless = true,
				    .limit_ns = t->plotter->limit_ns,
				    .file_bytes = FILE_BYTES,
				    .memory_bytes = MEMORY_BYTES};
	const struct proc_options o = {.argv = argv,
				       .folder = t->folder,
				       .variables = variables,
				       .alone = true,
				       .feed = true,
				       .capture = true,
				       .sandbox = &box};
	const char *search = getenv("PATH");

	(void)snprintf(path, sizeof path, "PATH=%.4000s", search ? search : "");
	if (proc_start(&c->proc, &o, e))
		return e->status;
	(void)snprintf(line, sizeof line, "load '%s'\n", name);
	proc_feed(&c->proc, line);
	c->started_ns = clock_now_ns();
	t->running++;
	return ASC_OK;
}

static enum asc_status start_script(struct studio *t, struct child *c, const struct buf *script,
				    struct asc_err *e)
{
	char name[40];

	(void)snprintf(name, sizeof name, "s%zu.gp", t->next);
	char *path = path_join(t->folder, name);
	enum asc_status s =
		path ? file_write(path, script->data, script->len, e) : asc_err_nomem(e);

	free(path);
	return s ? take_failure(t, c->picture, 1, e) : start_gnuplot(t, c, name, e);
}

/* A picture of data that nothing can be drawn from has its reason at once. */
static enum asc_status start_picture(struct studio *t, struct child *c, struct asc_err *e)
{
	struct picture *p = c->picture = &t->list[t->next];
	struct plot_script script;
	struct asc_err reason;

	buf_clear(&c->log);
	(void)snprintf(c->file, sizeof c->file, "p%zu.svg", t->next);
	plot_script_init(&script);
	enum asc_status s = picture_script(p, c->file, &script, &reason);
	p->shown = script.shown;
	p->given = script.given;
	if (s == ASC_OK)
		s = start_script(t, c, &script.text, e);
	else
		s = s == ASC_NOMEM ? asc_err_nomem(e) : set_reason(p, reason.text, e);
	buf_fini(&c->marks);
	c->marks = script.marks;
	script.marks = (struct buf){0};
	plot_script_fini(&script);
	t->next++;
	return s;
}

/* ---- end ---- */

/* Prints the last line that gnuplot wrote; lines of the script may stand before it. */
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

/* ASC_CHILD where the file is not there or not complete. */
static enum asc_status take_picture(struct studio *t, struct child *c, struct asc_err *e)
{
	struct buf raw = {0}, clean = {0};
	char *path = path_join(t->folder, c->file);
	enum asc_status s = path ? file_read(path, FILE_BYTES, &raw, e) : asc_err_nomem(e);

	if (s == ASC_OK)
		s = plot_svg_check(buf_str(&raw), e);
	else if (s != ASC_NOMEM)
		s = asc_err_set(e, ASC_CHILD, "gnuplot wrote no picture");
	if (s == ASC_OK) {
		plot_svg_clean(raw.data, c->picture, &c->marks, &clean);
		s = buf_check(&clean, e);
	}
	if (s == ASC_OK)
		c->picture->svg = buf_take(&clean);
	if (path)
		(void)unlink(path);
	free(path);
	buf_fini(&raw);
	buf_fini(&clean);
	return s;
}

static enum asc_status settle(struct studio *t, struct child *c, bool stopped, struct asc_err *e)
{
	char limit[UNITS_TEXT_SIZE];
	struct asc_err why = {0};

	if (stopped) {
		(void)asc_err_set(&why, ASC_CHILD, "gnuplot was stopped after %s",
				  units_print_duration((double)t->plotter->limit_ns, limit));
	} else if (!WIFEXITED(c->proc.status) || WEXITSTATUS(c->proc.status) != 0) {
		why.status = ASC_CHILD;
		print_complaint(c, why.text, sizeof why.text);
	} else if (take_picture(t, c, &why) == ASC_NOMEM) {
		return asc_err_nomem(e);
	}
	return why.status ? set_reason(c->picture, why.text, e) : ASC_OK;
}

/* Ends it when it has ended by itself, or its time is over. */
static enum asc_status watch(struct studio *t, struct child *c, struct asc_err *e)
{
	bool ended = proc_ended(&c->proc);
	bool stopped = !ended && clock_now_ns() - c->started_ns > t->plotter->limit_ns;

	proc_collect(&c->proc, LOG_BYTES, &c->log);
	if (!ended && !stopped)
		return ASC_OK;
	proc_kill(&c->proc);
	t->running--;
	t->stopped += stopped;
	return settle(t, c, stopped, e);
}

/* ---- all ---- */

static void wait_children(const struct studio *t)
{
	struct pollfd fds[CHILDREN * PROC_POLLFDS];
	size_t n = 0;

	for (size_t i = 0; i < CHILDREN; i++)
		n = proc_add_pollfds(&t->children[i].proc, fds, n, sizeof fds / sizeof *fds);
	(void)poll(fds, n, SLICE_MS);
}

static enum asc_status attend(struct studio *t, struct child *c, struct asc_err *e)
{
	enum asc_status s = c->proc.pid ? watch(t, c, e) : ASC_OK;

	while (s == ASC_OK && !c->proc.pid && t->next < t->n && t->stopped < GIVEN_UP)
		s = start_picture(t, c, e);
	return s;
}

static enum asc_status draw_all(struct studio *t, struct asc_err *e)
{
	size_t most = t->plotter->children < CHILDREN ? t->plotter->children : CHILDREN;

	if (dir_make_scratch("asctune-plot", &t->folder, e))
		return take_failure(t, t->list, t->n, e);
	enum asc_status s = ASC_OK;

	guard_add_folder(t->folder);
	while (s == ASC_OK) {
		for (size_t i = 0; i < (most ? most : 1) && s == ASC_OK; i++)
			s = attend(t, &t->children[i], e);
		if (s || t->running == 0)
			break;
		wait_children(t);
	}
	for (; t->next < t->n && s == ASC_OK; t->next++)
		s = set_reason(&t->list[t->next], "not drawn: gnuplot had to be stopped before", e);
	return s;
}

enum asc_status pictures_draw(const struct plotter *g, struct picture *list, size_t n,
			      struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		picture_fini(&list[i]);
	if (!g->program)
		return refuse_all(g->reason, list, n, e);
	struct studio *t = calloc(1, sizeof *t);
	if (!t)
		return asc_err_nomem(e);
	*t = (struct studio){.plotter = g, .list = list, .n = n};
	enum asc_status s = draw_all(t, e);
	for (size_t i = 0; i < CHILDREN; i++) {
		proc_kill(&t->children[i].proc);
		buf_fini(&t->children[i].log);
		buf_fini(&t->children[i].marks);
	}
	if (t->folder)
		dir_remove(t->folder);
	free(t->folder);
	free(t);
	return s;
}
