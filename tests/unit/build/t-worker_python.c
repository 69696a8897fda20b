/* Which Python can be a worker, and what one that cannot says: each in one sentence with its name.
 * covers: worker_python.c interpreter.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/tap.h"
#include "tests/unit/build/folder.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/triton_python.h"
#include "tuner/build/worker_python.h"

/* Names an interpreter that runs `before` in front of each text that it is given; false where that
 * cannot be made. */
static bool name_changed(const char *real, const char *before)
{
	static int made;
	char name[32];
	struct buf script = {0};
	struct asc_err e;

	(void)snprintf(name, sizeof name, "python-%d", ++made);
	buf_print(&script,
		  "#!/bin/sh\n"
		  "exec '%s' -B -c 'import sys, platform\n"
		  "text = sys.argv[3]\n"
		  "sys.argv[1:] = sys.argv[4:]\n"
		  "%s\n"
		  "exec(text)' \"$@\"\n",
		  real, before);
	const char *path = in_folder(name);
	const bool done = file_write(path, buf_str(&script), script.len, &e) == ASC_OK &&
			  chmod(path, 0700) == 0 && setenv(TRITON_PYTHON_VARIABLE, path, 1) == 0;

	buf_fini(&script);
	return done;
}

static void check_refusal(const char *words, const char *about)
{
	const struct worker_python *python;
	const char *named = getenv(TRITON_PYTHON_VARIABLE);
	struct asc_err e = {0};

	tap_int(worker_python_get(&python, &e), ASC_ABSENT, "%s cannot be a worker", about);
	tap_has(e.text, words, "%s: it is said why", about);
	tap_has(e.text, named, "%s: its name is said", about);
}

/* A file that has the first bytes of a program or library. */
static char *make_head(const char *name, int bits, int machine)
{
	unsigned char head[64] = {0x7f, 'E', 'L', 'F', bits == 32 ? 1 : 2, 1, 1};
	struct asc_err e;

	head[18] = (unsigned char)machine;
	(void)file_write(in_folder(name), head, sizeof head, &e);
	return str_print("sys.argv[1:] = [\"%s\"]", in_folder(name));
}

static void test_refusals(const char *real)
{
	/* EM_AARCH64 or, there, EM_X86_64: numbers of the ELF specification's list. */
#ifdef __x86_64__
	enum { OWN = 62, OTHER = 183 };
#else
	enum { OWN = 183, OTHER = 62 };
#endif
	char *narrow = make_head("narrow.so", 32, OWN), *other = make_head("other.so", 64, OTHER),
	     *broken = make_head("broken.so", 64, OWN);

	(void)setenv(TRITON_PYTHON_VARIABLE, "no-such-python", 1);
	check_refusal("there is no program", "a program that is missing");
	(void)setenv(TRITON_PYTHON_VARIABLE, "echo", 1);
	check_refusal("is no Python", "another program");
	(void)setenv(TRITON_PYTHON_VARIABLE, "ls", 1);
	check_refusal("is no Python: it exited with status 2", "one that says what it was given");
	(void)setenv(TRITON_PYTHON_VARIABLE, in_folder(""), 1);
	check_refusal("is a folder: name a program, such as ", "a folder");
	(void)name_changed(real, "sys.version_info = (3, 8, 19)\n"
				 "platform.python_version = lambda: \"3.8.19\"");
	check_refusal("(CPython 3.8.19) is too old for a worker: that takes Python 3.9",
		      "an old Python");
	(void)name_changed(real, "platform.python_implementation = lambda: \"PyPy\"");
	check_refusal("(PyPy 3.", "another Python");
	(void)name_changed(real, "sys.modules[\"ctypes\"] = None");
	check_refusal("cannot be a worker, which loads its library by ctypes",
		      "one without ctypes");
	(void)name_changed(real, narrow ? narrow : "");
	check_refusal("it is a program of 64 bits, asctune one of 32", "one of other bits");
	(void)name_changed(real, other ? other : "");
	check_refusal("it is a program for another processor", "one of another processor");
	(void)name_changed(real, broken ? broken : "");
	check_refusal("cannot load the library of a worker: ", "one that cannot load the library");
	free(narrow);
	free(other);
	free(broken);
}

/* True where a list has the path. */
static bool reads(const struct worker_python *python, const char *path)
{
	return str_is_in(path, python->interpreter.reads);
}

static void test_folders(void)
{
	const struct worker_python *python;
	struct buf said = {0};
	struct asc_err e = {0};

	buf_print(&said,
		  "{\"dir_info\": {\"editable\": true}, \"url\": \"file://%s/edited%%20here\"}",
		  in_folder(""));
	(void)dir_make(in_folder("edited here"), &e);
	(void)dir_make(in_folder("mine-1.dist-info"), &e);
	(void)file_write(in_folder("mine-1.dist-info/direct_url.json"), buf_str(&said), said.len,
			 &e);
	buf_fini(&said);
	(void)setenv("PYTHONPATH", in_folder(""), 1);
	tap_int(worker_python_get(&python, &e), ASC_OK, "it is asked again: %s", e.text);
	tap_ok(reads(python, in_folder("")), "a folder of PYTHONPATH is read");
	tap_ok(reads(python, in_folder("edited here")),
	       "so is that of a package that is being edited, wherever it lies");
	unsetenv("PYTHONPATH");
}

int main(void)
{
	const struct worker_python *python;
	struct asc_err e = {0};

	if (!tap_ok(folder_init("worker-python"), "there is a folder"))
		return tap_done();
	if (worker_python_get(&python, &e)) {
		tap_skip("%s", e.text);
		folder_fini();
		return tap_done();
	}
	char *real = str_dup(python->interpreter.executable);

	tap_ok(real && *real == '/', "the interpreter's own path: %s", real);
	tap_has(python->interpreter.python, "CPython 3.", "its version");
	tap_has(python->library, "libasctune_worker.so", "the worker's library is found");
	(void)setenv(TRITON_PYTHON_VARIABLE, real, 1);
	tap_ok(worker_python_is_named(), "one is named");
	test_folders();
	test_refusals(real);
	free(real);
	folder_fini();
	return tap_done();
}
