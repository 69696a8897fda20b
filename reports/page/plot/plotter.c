/* The program that draws pictures.
 *
 * gnuplot is looked for and asked for its version. Of each picture its kind writes a script: data
 * blocks, then the piece of script that draws them (gp/). Each script is drawn by a process of its
 * own, several at once, with limits of time, memory and bytes; what a process wrote is taken when
 * it is complete, made a part of the page (plot_svg), and given the titles of its marks. A picture
 * that cannot be drawn gets a reason in words: a page is never refused for a picture. */
#include "reports/page/plot/plotter.h"

#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reports/page/plot/palette.h"
#include "reports/page/plot/picture.h"
#include "reports/page/plot/picture_kind.h"
#include "reports/page/plot/plot_script.h"
#include "reports/page/plot/plot_svg.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/process/guard.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

/* ---- the program ---- */

enum {
	MAJOR = 5, /* with MINOR the oldest version whose output plot_svg.c is written for */
	MINOR = 4,
	VERSION_BYTES = 4096
};

static const int64_t second_ns = 1000000000;

/* Another program of that name may wait for input. */
static const int64_t version_limit_ns = 5 * second_ns;

static const char install[] = "sudo apt-get install gnuplot-nox";

static void refuse(struct plotter *g, const char *reason)
{
	free(g->program);
	g->program = NULL;
	(void)snprintf(g->reason, sizeof g->reason, "%.250s", reason);
}

/* Takes the version from what the program said: "gnuplot 5.4 patchlevel 4". */
static void take_version(struct plotter *g, const char *said)
{
	static const char name[] = "gnuplot ";
	const char *digits = said + sizeof name - 1;
	char reason[sizeof g->reason], *dot = NULL, *end = NULL;
	long major = 0, minor = 0;
	bool known = strncmp(said, name, sizeof name - 1) == 0;

	if (known)
		major = strtol(digits, &dot, 10);
	known = known && *dot == '.';
	if (known)
		minor = strtol(dot + 1, &end, 10);
	if (!known || end == dot + 1) {
		(void)snprintf(reason, sizeof reason, "%.120s does not answer as gnuplot does",
			       g->program);
		refuse(g, reason);
		return;
	}
	(void)snprintf(g->version, sizeof g->version, "%.*s", (int)strcspn(digits, "\n"), digits);
	if (major < MAJOR || (major == MAJOR && minor < MINOR)) {
		(void)snprintf(reason, sizeof reason,
			       "gnuplot %.20s is older than %d.%d, which pictures need", g->version,
			       MAJOR, MINOR);
		refuse(g, reason);
	}
}

static enum asc_status ask_version(struct plotter *g, struct asc_err *e)
{
	struct buf said = {0};
	int status = 0;
	const char *const argv[] = {g->program, "--version", NULL};
	enum asc_status s = proc_run(argv, &(struct sandbox){0}, version_limit_ns, VERSION_BYTES,
				     &said, &status, e);

	if (s == ASC_OK)
		take_version(g, buf_str(&said));
	else if (s != ASC_NOMEM)
		refuse(g, e->text); /* a page without pictures is better than none */
	buf_fini(&said);
	return s == ASC_NOMEM ? s : ASC_OK;
}

/* Number of processors that this process may use. */
static size_t count_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n > 0 ? (size_t)n : 1;
}

enum asc_status plotter_open(struct plotter *g, const char *program, struct asc_err *e)
{
	*g = (struct plotter){.limit_ns = 20 * second_ns, .children = count_processors()};
	program = program ? program : "gnuplot";
	g->program = proc_find(program);
	if (g->program)
		return ask_version(g, e);
	(void)snprintf(g->reason, sizeof g->reason, "%.120s is not installed", program);
	g->remedy = install;
	return ASC_OK;
}

void plotter_close(struct plotter *g)
{
	free(g->program);
	g->program = NULL;
}

/* ---- scripts ---- */

static const struct {
	const char *name;
	const struct picture_ops *ops;
} kinds[] = {
#define X(code, name, member) {name, &member##_ops},
	PICTURE_KIND_LIST(X)
#undef X
};

const char *picture_kind_name(enum picture_kind kind)
{
	return kinds[kind].name;
}

void picture_fini(struct picture *p)
{
	free(p->svg);
	free(p->reason);
	p->svg = p->reason = NULL;
}

enum asc_status picture_script(const struct picture *p, const char *file, struct plot_script *s,
			       struct asc_err *e)
{
	struct buf all = {0};
	const struct picture_ops *k = kinds[p->kind].ops;

	s->height = PICTURE_HEIGHT; /* a kind may choose another one while it writes */
	enum asc_status status = k->write(p, s, e);
	if (status)
		return status;
	buf_print(&all, "W = %d; H = %u; NAME = '%s'; OUT = '%s'\n", PICTURE_WIDTH, s->height,
		  p->id, file);
	for (const struct palette_color *c = palette; c->name; c++)
		buf_print(&all, "C_%s = '#%06x'\n", c->name, c->sentinel);
	buf_add_str(&all, piece_style);
	buf_add_str(&all, buf_str(&s->text));
	buf_add_str(&all, k->piece);
	buf_add_str(&all, "unset output\n"); /* the file is complete only when it is closed */
	all.failed |= s->text.failed || s->marks.failed;
	buf_fini(&s->text);
	s->text = all;
	return buf_check(&s->text, e);
}

/* ---- drawing ---- */

enum {
	CHILDREN = 16, /* each takes some 17 MB and a tenth of a second: more would gain little */
	GIVEN_UP =
		3, /* children that had to be stopped: after 60 s of waiting, no more are tried */
	SLICE_MS = 50, /* between two looks at a child's time, should it never write */
	LOG_BYTES = 65536,
	MEMORY_BYTES = 1 << 30, /* one takes some 17 MB */
	FILE_BYTES = 20 << 20   /* a page has room for 3 MB of pictures in all */
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

/* ---- drawing: start ---- */

/* Has gnuplot load the script `name`. */
static enum asc_status start_gnuplot(struct studio *t, struct child *c, const char *name,
				     struct asc_err *e)
{
	char path[4200], line[60];
	/* -d: without a user's file of settings. */
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

	/* Nothing else of the environment: GNUTERM, for one, would change the picture. */
	(void)snprintf(path, sizeof path, "PATH=%.4000s", search ? search : "");
	if (proc_start(&c->proc, &o, e))
		return e->status;
	(void)snprintf(line, sizeof line, "load '%s'\n", name);
	proc_feed(&c->proc, line);
	c->started_ns = clock_now_ns();
	t->running++;
	return ASC_OK;
}

/* Starts the next picture of the list. One whose data nothing can be drawn from has its reason at
 * once, and no process. */
static enum asc_status start_picture(struct studio *t, struct child *c, struct asc_err *e)
{
	struct picture *p = c->picture = &t->list[t->next];
	struct plot_script script;
	struct asc_err reason;
	char name[40];

	buf_clear(&c->log);
	(void)snprintf(c->file, sizeof c->file, "p%zu.svg", t->next);
	(void)snprintf(name, sizeof name, "s%zu.gp", t->next);
	plot_script_init(&script);
	enum asc_status s = picture_script(p, c->file, &script, &reason);
	p->shown = script.shown;
	p->given = script.given;
	if (s == ASC_OK) {
		char *path = path_join(t->folder, name);

		s = path ? file_write(path, script.text.data, script.text.len, e)
			 : asc_err_nomem(e);
		free(path);
		s = s ? take_failure(t, p, 1, e) : start_gnuplot(t, c, name, e);
	} else {
		s = s == ASC_NOMEM ? asc_err_nomem(e) : set_reason(p, reason.text, e);
	}
	/* Titles are laid on the picture when it has come back. */
	buf_fini(&c->marks);
	c->marks = script.marks;
	script.marks = (struct buf){0};
	plot_script_fini(&script);
	t->next++;
	return s;
}

/* ---- drawing: end ---- */

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

/* Takes a child's picture if it has ended; stops it if its time is over. */
static enum asc_status watch(struct studio *t, struct child *c, struct asc_err *e)
{
	bool ended = proc_ended(&c->proc);
	bool stopped = !ended && clock_now_ns() - c->started_ns > t->plotter->limit_ns;

	/* Also of one that runs: a child whose pipe is full waits for ever. */
	proc_collect(&c->proc, LOG_BYTES, &c->log);
	if (!ended && !stopped)
		return ASC_OK;
	proc_kill(&c->proc);
	t->running--;
	t->stopped += stopped;
	return settle(t, c, stopped, e);
}

/* ---- drawing: all ---- */

/* Keeps as many children at work as there may be, until all pictures are drawn or refused. */
static enum asc_status draw_all(struct studio *t, struct asc_err *e)
{
	const size_t most = t->plotter->children < CHILDREN ? t->plotter->children : CHILDREN;
	enum asc_status s = ASC_OK;

	if (dir_make_scratch("asctune-plot", &t->folder, e))
		return take_failure(t, t->list, t->n, e);
	guard_add_folder(t->folder); /* removed even if this process is killed */
	while (s == ASC_OK) {
		struct pollfd fds[CHILDREN * PROC_POLLFDS];
		size_t n = 0;

		for (size_t i = 0; i < (most ? most : 1) && s == ASC_OK; i++) {
			struct child *c = &t->children[i];

			s = c->proc.pid ? watch(t, c, e) : ASC_OK;
			while (s == ASC_OK && !c->proc.pid && t->next < t->n &&
			       t->stopped < GIVEN_UP)
				s = start_picture(t, c, e);
		}
		if (s || t->running == 0)
			break;
		for (size_t i = 0; i < CHILDREN; i++)
			n = proc_add_pollfds(&t->children[i].proc, fds, n,
					     sizeof fds / sizeof *fds);
		(void)poll(fds, n, SLICE_MS);
	}
	for (; t->next < t->n && s == ASC_OK; t->next++)
		s = set_reason(&t->list[t->next], "not drawn: gnuplot had to be stopped before", e);
	return s;
}

enum asc_status pictures_draw(const struct plotter *g, struct picture *list, size_t n,
			      struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		picture_fini(&list[i]); /* what an earlier call drew */
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
