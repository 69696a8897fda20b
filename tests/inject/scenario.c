#include "tests/inject/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inject/scenario_check.h"
#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/process/proc.h"

#define AXPY     PROJECT_ROOT "/tests/cli/workloads/axpy.json"
#define RECORDED PROJECT_ROOT "/tests/cli/workloads/recorded.json"
#define RUN_SANDBOX                                                                                \
	"asctune", "run", AXPY, "--device", "cpu", "--cache", "hot", "--problem", "small", "--json"
/* In a sandbox the library cannot be preloaded: only the coordinator's calls fail there. */
#define RUN RUN_SANDBOX, "--trust"

const struct scenario scenarios[] = {
	{"best", .argv = {"asctune", "best", "--db", "a.db"}, .inputs = {"a.db"}, .db = "a.db"},
	{"export-json", .argv = {"asctune", "export", "json", "--db", "a.db", "-o", "out"},
	 .inputs = {"a.db"}, .db = "a.db"},
	{"export-csv", .argv = {"asctune", "export", "csv", "--db", "a.db", "-o", "out"},
	 .inputs = {"a.db"}, .db = "a.db"},
	{"export-trace", .argv = {"asctune", "export", "trace", "--db", "a.db", "-o", "out"},
	 .inputs = {"a.db"}, .db = "a.db"},
	{"export-t4", .argv = {"asctune", "export", "t4", "--db", "a.db", "-o", "out"},
	 .inputs = {"a.db"}, .db = "a.db"},
	{
		"export-t1",
		.argv = {"asctune", "export", "t1", AXPY, "--device", "cpu", "-o", "out"},
	},
	{"report", .argv = {"asctune", "report", "--db", "a.db", "-o", "out/page.html"},
	 .inputs = {"a.db"}, .db = "a.db"},
	{"report-plots", .argv = {"asctune", "report", "--db", "a.db", "-o", "out/page.html"},
	 .inputs = {"a.db"}, .db = "a.db", .plots = true},
	{"track", .argv = {"asctune", "track", "--db", "a.db"}, .inputs = {"a.db"}, .db = "a.db"},
	{"merge", .argv = {"asctune", "merge", "b.db", "--db", "a.db"}, .inputs = {"a.db", "b.db"},
	 .db = "a.db"},
	{"merge-new", .argv = {"asctune", "merge", "a.db", "b.db", "--db", "ab.db"},
	 .inputs = {"a.db", "b.db"}, .db = "ab.db"},
	{"import", .argv = {"asctune", "import", "T4.json", "--db", "a.db"},
	 .inputs = {"a.db", "T4.json"}, .db = "a.db"},
	{"runs", .argv = {"asctune", "runs", AXPY, "--device", "cpu", "--db", "a.db"},
	 .inputs = {"a.db"}, .db = "a.db"},
	{"show", .argv = {"asctune", "show", "1", "--db", "a.db"}, .inputs = {"a.db"},
	 .db = "a.db"},
	{"show-run", .argv = {"asctune", "show", "run", "1", "--db", "a.db"}, .inputs = {"a.db"},
	 .db = "a.db", .on_demand = true},
	{"space", .argv = {"asctune", "space", AXPY, "--device", "cpu"}, .on_demand = true},
	{"build",
	 .argv = {"asctune", "build", AXPY, "--device", "cpu", "--budget", "2", "--json",
		  "--trust"},
	 .run = true},
	{"check", .argv = {"asctune", "check-workload", "--untrusted", AXPY}},
	{"run-cached", .argv = {RUN, "--budget", "3", "--repeats", "3"}, .inputs = {"cache"},
	 .db = "asctune.db", .run = true, .on_demand = true},
	{"run", .argv = {RUN, "--budget", "3", "--repeats", "3"}, .db = "asctune.db", .run = true},
	{"run-sandbox", .argv = {RUN_SANDBOX, "--budget", "3", "--repeats", "3"},
	 .inputs = {"cache"}, .db = "asctune.db", .run = true, .on_demand = true},
	{"run-finals", .argv = {RUN, "--budget", "3"}, .inputs = {"cache"}, .db = "asctune.db",
	 .run = true, .on_demand = true},
	/* Its first configuration, the program's own, is the only right one. */
	{"run-recorded",
	 .argv = {"asctune", "run", RECORDED, "--device", "cpu", "--cache", "hot", "--problem",
		  "bit", "--json", "--trust", "--budget", "1", "--repeats", "3"},
	 .inputs = {"cache"}, .db = "asctune.db", .run = true, .on_demand = true},
	{0}};

/* ---- folders ---- */

static const char *path_in(const struct scene *s, const char *folder, const char *name)
{
	return scene_path(s->folder, folder, name);
}

/* Runs a program of the system, which is not under test. */
static bool do_quietly(const char *const *argv)
{
	struct asc_err e;
	struct buf output = {0};
	int status = 0;
	const bool ok =
		proc_run(argv, NULL, INT64_C(60000000000), 4096, &output, &status, &e) == ASC_OK;

	if (!ok || status != 0)
		tap_note("%s: %s", argv[0], ok ? buf_str(&output) : e.text);
	buf_fini(&output);
	return ok && status == 0;
}

static bool copy(const char *from, const char *to)
{
	return do_quietly((const char *[]){"cp", "-a", "--", from, to, NULL});
}

static bool make(const char *folder)
{
	struct asc_err e;
	const bool ok = dir_make(folder, &e) == ASC_OK;

	if (!ok)
		tap_note("%s", e.text);
	return ok;
}

/* ---- the base ---- */

/* Runs asctune in the scene's base; its words are split at blanks. */
static bool prepare(struct scene *s, const char *command)
{
	const char *argv[SCENARIO_WORDS] = {0};
	char words[600], *rest = NULL;
	size_t n = 0;
	struct injected r;

	snprintf(words, sizeof words, "%s", command);
	for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
		argv[n++] = w;
	setenv("ASCTUNE_CACHE_DIR", path_in(s, "base", "cache"), 1);
	setenv("TMPDIR", path_in(s, "base", ""), 1);
	inject_run(&s->injector, &(struct injection){0}, path_in(s, "base", ""), argv, 60, &r);
	const bool ok = !r.hung && r.status == 0;

	if (!ok)
		tap_note("%s: %s", command, buf_str(&r.messages));
	injected_fini(&r);
	return ok;
}

/* Two nights and another machine's, and an export. */
static bool make_base(struct scene *s)
{
	return make(path_in(s, "base", "")) &&
	       prepare(s, "asctune run " AXPY
			  " --device cpu --cache hot --problem small --budget 3 --db a.db") &&
	       prepare(s, "asctune run " AXPY
			  " --device cpu --cache hot --problem small --budget 3 --db a.db") &&
	       prepare(s, "asctune run " AXPY
			  " --device cpu --cache cold --problem small --budget 2 --db b.db") &&
	       prepare(s, "asctune export t4 --db b.db -o t4") &&
	       do_quietly((const char *[]){"sh", "-c", "mv \"$1\"/t4/*_T4.json \"$1\"/T4.json",
					   "sh", path_in(s, "base", ""), NULL});
}

/* A folder of programs without gnuplot. */
static bool make_programs(struct scene *s)
{
	return make(path_in(s, "bin", "")) &&
	       do_quietly((const char *[]){
		       "sh", "-c",
		       "for p in asctune cc as ld; do ln -s \"$(command -v $p)\" \"$1\"; done",
		       "sh", path_in(s, "bin", ""), NULL});
}

bool scene_open(struct scene *s, const char *library)
{
	const char *parent = getenv("TMPDIR");

	*s = (struct scene){0};
	snprintf(s->folder, sizeof s->folder, "%s/t-inject.XXXXXX", parent ? parent : "/tmp");
	if (!mkdtemp(s->folder)) {
		perror(s->folder);
		return false;
	}
	unsetenv("ASCTUNE_DB");
	unsetenv("ASCTUNE_DEBUG");
	setenv("ASCTUNE_BUSY_TIMEOUT_MS", "100", 1);
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	return injector_open(&s->injector, s->folder, library) && make_base(s) && make_programs(s);
}

static void forget(struct scene *s)
{
	buf_fini(&s->expected.output);
	buf_fini(&s->expected.messages);
}

void scene_close(struct scene *s)
{
	forget(s);
	injector_close(&s->injector);
	dir_remove(s->folder);
}

/* ---- one command ---- */

/* Runs the scenario's command in a copy of the template. */
static bool run_point(struct scene *s, const struct injection *what, struct injected *r)
{
	const struct scenario *c = s->scenario;
	char *path = getenv("PATH") ? strdup(getenv("PATH")) : NULL;

	dir_remove(path_in(s, "point", ""));
	if (!copy(path_in(s, "template", ""), path_in(s, "point", "")))
		return false;
	setenv("ASCTUNE_CACHE_DIR", path_in(s, "point", "cache"), 1);
	setenv("TMPDIR", path_in(s, "point", "tmp"), 1);
	if (!c->plots)
		setenv("PATH", path_in(s, "bin", ""), 1);
	inject_run(&s->injector, what, path_in(s, "point", ""), c->argv, 60, r);
	setenv("PATH", path ? path : "", 1);
	free(path);
	return true;
}

/* Puts old content in the place of each file that the command has written: its beginning tells that
 * asctune has written it, too. */
static bool age_outputs(struct scene *s)
{
	return do_quietly((const char *[]){"sh", "-c",
					   "for f in \"$1\"/*; do [ ! -f \"$f\" ] || "
					   "{ cat \"$f\"; echo old; } >\"$2/${f##*/}\"; done",
					   "sh", path_in(s, "expected", "out"),
					   path_in(s, "template", "out"), NULL});
}

bool scene_enter(struct scene *s, const struct scenario *c)
{
	struct injected r;

	s->scenario = c;
	dir_remove(path_in(s, "template", ""));
	dir_remove(path_in(s, "expected", ""));
	forget(s);
	if (!make(path_in(s, "template", "tmp")) || !make(path_in(s, "template", "out")))
		return false;
	for (size_t i = 0; i < SCENARIO_FILES && c->inputs[i]; i++)
		if (!copy(path_in(s, "base", c->inputs[i]), path_in(s, "template", c->inputs[i])))
			return false;
	s->expected.before = c->db ? scene_count(path_in(s, "template", c->db)) : -1;
	s->expected.first =
		c->db && !c->run ? scene_count(path_in(s, "template", c->inputs[0])) : -1;
	s->expected.second = c->db && !c->run && s->expected.before < 0 && c->inputs[1]
				     ? scene_count(path_in(s, "template", c->inputs[1]))
				     : -1;
	if (!run_point(s, &(struct injection){0}, &r))
		return false;
	s->expected.after = c->db ? scene_count(path_in(s, "point", c->db)) : -1;
	s->expected.status = r.status;
	s->expected.output = r.output;
	s->expected.messages = r.messages;
	r.output = r.messages = (struct buf){0};
	const bool ok = !r.hung && WIFEXITED(r.status) && WEXITSTATUS(r.status) < 2;

	if (!ok)
		tap_note("%s: %s", c->name, buf_str(&s->expected.messages));
	return ok && rename(path_in(s, "point", ""), path_in(s, "expected", "")) == 0 &&
	       age_outputs(s);
}

bool scene_try(struct scene *s, const struct injection *what, bool *reached)
{
	struct injected r;

	*reached = false;
	if (!run_point(s, what, &r))
		return false;
	*reached = r.failed > 0;
	const bool ok = scenario_check(s, what, &r);

	injected_fini(&r);
	return ok;
}
