/* Several pictures per child, since starting gnuplot takes ten times as long as a small picture.
 * One that fails ends its child: all of the batch that are not proven complete are drawn again,
 * each by a child of its own. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/plot/picture.h"
#include "reports/plot/picture_kind.h"
#include "reports/plot/plot_child.h"
#include "reports/plot/plot_script.h"
#include "reports/plot/plot_svg.h"
#include "reports/plot/plotter.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum {
	BATCH = 16,
	CHILDREN = 16,
	GIVEN_UP = 3, /* children that had to be stopped */
	SLICE_MS = 50
};

struct sketch { /* a picture on its way */
	struct picture *picture;
	struct plot_script script;
	bool ready; /* has a script, and neither picture nor reason yet */
};

struct batch {
	struct plot_child child;
	size_t sketches[BATCH], n;
};

struct studio {
	const struct plotter *plotter;
	char *folder;
	struct sketch *list;
	size_t n, next, in_batch, stopped;
	struct batch batches[CHILDREN];
	size_t running;
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
	enum asc_status s = path ? file_read(path, PLOT_CHILD_BYTES, &raw, e) : asc_err_nomem(e);

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

static enum asc_status settle(struct studio *t, struct batch *c, bool stopped, struct asc_err *e)
{
	char why[300];
	struct asc_err reason;
	bool alone = c->n == 1;

	plot_child_judge(&c->child, t->plotter, stopped, why, sizeof why);
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

/* Gathers up to t->in_batch sketches that are ready, from t->next on. */
static void gather(struct studio *t, struct batch *c, struct buf *script)
{
	c->n = 0;
	buf_clear(&c->child.log);
	for (; t->next < t->n && c->n < t->in_batch; t->next++)
		if (t->list[t->next].ready) {
			struct buf *b = &t->list[t->next].script.text;
			buf_add(script, b->data, b->len);
			c->sketches[c->n++] = t->next;
		}
}

static enum asc_status begin_batch(struct studio *t, struct batch *c, struct asc_err *e)
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
			s = plot_child_start(&c->child, t->plotter, t->folder, name, e);
		t->running += s == ASC_OK;
	}
	free(path);
	buf_fini(&script);
	return s;
}

static void wait_children(const struct studio *t)
{
	struct pollfd fds[CHILDREN];
	nfds_t n = 0;

	for (size_t i = 0; i < CHILDREN; i++)
		if (t->batches[i].child.proc.pid)
			fds[n++] = (struct pollfd){.fd = t->batches[i].child.proc.output,
						   .events = POLLIN};
	(void)poll(fds, n, SLICE_MS);
}

static enum asc_status attend(struct studio *t, size_t children, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	bool stopped;

	for (size_t i = 0; i < children && s == ASC_OK; i++) {
		struct batch *c = &t->batches[i];
		if (c->child.proc.pid && plot_child_ended(&c->child, t->plotter, &stopped)) {
			t->running--;
			s = settle(t, c, stopped, e);
		}
		if (s == ASC_OK && !c->child.proc.pid && t->stopped < GIVEN_UP)
			s = begin_batch(t, c, e);
	}
	return s;
}

/* Draws what is ready, `batch` pictures in a child. */
static enum asc_status run_children(struct studio *t, size_t batch, struct asc_err *e)
{
	size_t children = t->plotter->children < CHILDREN ? t->plotter->children : CHILDREN;
	enum asc_status s;

	t->next = 0;
	t->in_batch = batch;
	for (;;) {
		s = attend(t, children ? children : 1, e);
		if (s || t->running == 0)
			break;
		wait_children(t);
	}
	for (size_t i = 0; i < CHILDREN; i++)
		proc_kill(&t->batches[i].child.proc);
	t->running = 0;
	return s;
}

/* ---- all ---- */

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
	enum asc_status s = dir_make_scratch("asctune-plot", &t->folder, e);

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
		buf_fini(&t->batches[i].child.log);
	dir_remove(t->folder);
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
