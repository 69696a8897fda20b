/* Programs that are no gnuplot, and one that goes wrong in each way that gnuplot may: no picture is
 * taken, the reason is said. What they do is built into the shell: they may not start processes.
 * covers: plotter.c */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/page/plot/plotter.h"
#include "tests/tap.h"
#include "tests/unit/plot/samples.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"

static struct asc_err e;
static struct samples s;
static char folder[] = "/tmp/asctune-t-plot_faults-XXXXXX";

static char *write_program(const char *answer, const char *body)
{
	char *path = path_join(folder, "gnuplot");
	struct buf text = {0};

	buf_print(&text, "#!/bin/sh\ncase $1 in --version) echo '%s'; exit;; esac\n%s\n", answer,
		  body);
	tap_ok(path && file_write(path, text.data, text.len, &e) == ASC_OK &&
		       chmod(path, 0755) == 0,
	       "a program: %.60s", *body ? body : answer);
	buf_fini(&text);
	return path;
}

/* ---- which program ---- */

static void check_open(const char *answer, const char *reason)
{
	struct plotter g;
	char *path = write_program(answer, "");

	tap_int(plotter_open(&g, path, &e), ASC_OK, "a program is asked for its version");
	tap_ok(!g.program, "a program that is no gnuplot of today is not taken");
	tap_has(g.reason, reason, "a program that is not taken has a reason");
	plotter_close(&g);
	free(path);
}

static void test_open(void)
{
	struct plotter g;

	check_open("gnuplot 4.6 patchlevel 6", "gnuplot 4.6 patchlevel 6 is older than 5.4");
	check_open("gnuplot 5.2 patchlevel 8", "is older than 5.4");
	check_open("hello", "does not answer as gnuplot does");
	check_open("", "does not answer as gnuplot does");
	char *path = write_program("gnuplot 6.0 patchlevel 1", "");
	tap_int(plotter_open(&g, path, &e), ASC_OK, "a newer gnuplot is asked");
	tap_str(g.version, "6.0 patchlevel 1", "a newer gnuplot is taken");
	plotter_close(&g);
	free(path);
	tap_int(plotter_open(&g, "/no/such/gnuplot", &e), ASC_OK, "no gnuplot is no failure");
	tap_str(g.reason, "/no/such/gnuplot is not installed", "a missing gnuplot is named");
	samples_init(&s);
	tap_int(pictures_draw(&g, s.pictures, PICTURE_KINDS, &e), ASC_OK,
		"without gnuplot drawing is no failure");
	for (int k = 0; k < PICTURE_KINDS; k++) {
		tap_str(s.pictures[k].reason, g.reason, "without gnuplot each picture says why");
		picture_fini(&s.pictures[k]);
	}
	plotter_close(&g);
}

/* ---- drawing ---- */

static void draw(const char *body, int64_t limit_ns, size_t n)
{
	struct plotter g;
	char *path = write_program("gnuplot 5.4 patchlevel 4", body);

	samples_init(&s);
	tap_int(plotter_open(&g, path, &e), ASC_OK, "the program is taken for gnuplot");
	g.limit_ns = limit_ns;
	g.children = 2;
	tap_int(pictures_draw(&g, s.pictures, n, &e), ASC_OK,
		"a gnuplot that fails is no failure of drawing");
	plotter_close(&g);
	free(path);
}

static void check_reason(const char *body, const char *reason)
{
	draw(body, 10000000000, 1);
	tap_ok(!s.pictures[0].svg, "a gnuplot that fails gives no picture");
	tap_has(s.pictures[0].reason, reason, "a picture that is not drawn has the reason");
	picture_fini(&s.pictures[0]);
}

#define PICTURE_FROM(text) "while read -r l; do :; done; printf '" text "' >p0.svg"

static void test_reasons(void)
{
	check_reason("exit 3", "gnuplot exited with status 3");
	check_reason("echo; echo '\"s0.gp\" line 7: undefined variable: x'; exit 1",
		     "gnuplot exited with status 1: \"s0.gp\" line 7: undefined variable: x");
	check_reason("kill -SEGV $$", "was killed by SIGSEGV");
	check_reason("exit 0", "gnuplot wrote no picture");
	check_reason(PICTURE_FROM(""), "empty picture");
	check_reason(PICTURE_FROM("hello\\n"), "something that is no picture");
	check_reason(PICTURE_FROM("<svg>\\n<defs>\\n</defs>\\n<g>\\n"), "cut short");
	check_reason(PICTURE_FROM("<svg>\\n<svg>\\n<defs>\\n</defs>\\n</svg>\\n"),
		     "something that is no picture");
	check_reason(PICTURE_FROM("<svg></svg>"), "something that is no picture");
	check_reason("exec >p0.svg; while :; do echo 0123456789012345678901234567890123456789; "
		     "done",
		     "was killed by SIGXFSZ");
}

/* One child that hangs is waited for; after the third no other is started. */
static void test_hanging(void)
{
	int64_t start = clock_now_ns();
	size_t refused = 0;

	draw("exec sleep 100", 300000000, PICTURE_KINDS);
	for (int k = 0; k < PICTURE_KINDS; k++) {
		tap_ok(!s.pictures[k].svg && s.pictures[k].reason,
		       "hanging: a picture is not drawn");
		refused += strcmp(s.pictures[k].reason,
				  "not drawn: gnuplot had to be stopped before") == 0;
		picture_fini(&s.pictures[k]);
	}
	tap_ok(refused >= 3, "%zu of them were not tried", refused);
	tap_ok(clock_now_ns() - start < 20000000000, "hanging: the limit of time holds");
	draw("exec sleep 100", 200000000, 1);
	tap_str(s.pictures[0].reason, "gnuplot was stopped after 200 ms",
		"hanging: the reason is said");
	picture_fini(&s.pictures[0]);
}

/* What a child is given: two variables, limits, an empty folder but for its script. */
static void test_surroundings(void)
{
	/* It starts no process, and writes its own folder only: the reason brings what it says. */
	static const char body[] =
		"read -r l; for f in *; do files=\"$files $f\"; done; "
		"ulimit -f >u; read -r size <u; ulimit -c >u; read -r core <u; "
		"ulimit -t >u; read -r time <u; "
		"echo \"$LC_ALL:$GNUPLOT_LIB:$HOME:$l $size $core $time$files $*\"; "
		"exit 1";

	setenv("GNUPLOT_LIB", "/tmp", 1);
	setenv("LC_ALL", "C", 1);
	draw(body, 20000000000, 1);
	tap_str(s.pictures[0].reason,
		"gnuplot exited with status 1: C.UTF-8:::load 's0.gp' 40960 0 21 s0.gp "
		"-d /dev/stdin",
		"gnuplot sees nothing that it need not");
	picture_fini(&s.pictures[0]);
}

/* One of several that cannot be drawn is alone in it: gnuplot itself, told to fail in the middle.
 */
static void test_one_of_many(void)
{
	struct plotter g;

	if (plotter_open(&g, NULL, &e) || !g.program) {
		tap_skip("%s", g.reason);
		return;
	}
	samples_init(&s);
	g.children = 1;
	s.pictures[PICTURE_PARETO].id = "no name"; /* gnuplot refuses it */
	tap_int(pictures_draw(&g, s.pictures, PICTURE_KINDS, &e), ASC_OK, "one of many fails");
	for (int k = 0; k < PICTURE_KINDS; k++) {
		tap_ok(!s.pictures[k].svg == (k == PICTURE_PARETO), "%s: %s", s.pictures[k].title,
		       s.pictures[k].reason ? s.pictures[k].reason : "drawn");
		picture_fini(&s.pictures[k]);
	}
	plotter_close(&g);
}

static void count_warnings(void *user, enum log_level level, const char *text)
{
	*(int *)user += level == LOG_WARN && strstr(text, "/no/such/folder") != NULL;
}

/* A scratch folder that is full or missing costs the pictures alone. */
static void test_no_scratch(void)
{
	struct plotter g;
	const char *set = getenv("TMPDIR");
	char *path = write_program("gnuplot 5.4 patchlevel 4", "exit 0"),
	     *tmp = set ? str_dup(set) : NULL;
	int warnings = 0;

	tap_int(plotter_open(&g, path, &e), ASC_OK, "no scratch folder: the program is taken");
	samples_init(&s);
	setenv("TMPDIR", "/no/such/folder", 1);
	log_set_sink(count_warnings, &warnings);
	tap_int(pictures_draw(&g, s.pictures, PICTURE_KINDS, &e), ASC_OK,
		"no scratch folder: the pictures alone are not drawn");
	log_set_sink(NULL, NULL);
	if (tmp)
		setenv("TMPDIR", tmp, 1);
	else
		unsetenv("TMPDIR");
	tap_int(warnings, 1, "a scratch folder that is missing is named once");
	for (int k = 0; k < PICTURE_KINDS; k++) {
		tap_has(s.pictures[k].reason, "is full or cannot be written (TMPDIR sets another)",
			"a picture that is not drawn says why");
		picture_fini(&s.pictures[k]);
	}
	plotter_close(&g);
	free(tmp);
	free(path);
}

/* A scratch folder without room for a script. */
static void test_full_scratch(void)
{
	struct plotter g;
	struct rlimit old, none;
	char *path = write_program("gnuplot 5.4 patchlevel 4", "exit 0");

	tap_int(plotter_open(&g, path, &e), ASC_OK, "full scratch: the program is taken");
	samples_init(&s);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = old.rlim_max};
	setrlimit(RLIMIT_FSIZE, &none);
	const enum asc_status status = pictures_draw(&g, s.pictures, PICTURE_KINDS, &e);
	setrlimit(RLIMIT_FSIZE, &old);
	tap_int(status, ASC_OK, "full scratch: the pictures alone are not drawn");
	for (int k = 0; k < PICTURE_KINDS; k++) {
		tap_has(s.pictures[k].reason ? s.pictures[k].reason : "",
			"the folder for scratch files is full",
			"full scratch: a picture that is not drawn says why");
		picture_fini(&s.pictures[k]);
	}
	plotter_close(&g);
	free(path);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_open();
	test_reasons();
	test_hanging();
	test_surroundings();
	test_one_of_many();
	test_no_scratch();
	test_full_scratch();
	char *path = path_join(folder, "gnuplot");
	(void)unlink(path);
	free(path);
	tap_int(rmdir(folder), 0, "nothing is left in the folder");
	return tap_done();
}
