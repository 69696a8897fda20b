#include "tests/compile.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"

#define LIBRARY_LIMIT_NS INT64_C(60000000000)

static const char *const flags[] = {"-O3",   "-march=native", "-std=gnu17",     "-fopenmp-simd",
				    "-fPIC", "-shared",       "-fno-math-errno"};
enum { N_FLAGS = sizeof flags / sizeof *flags, N_TYPES = DTYPE_COUNT + 8, OTHERS = 6 };

void compile_define(struct compilation *c, const char *name, long value)
{
	size_t i = 0;
	while (i < COMPILE_DEFINES - 1 && c->defines[i][0])
		i++;
	snprintf(c->defines[i], sizeof c->defines[i], "-D%s=%ld", name, value);
}

/* Kernels of T alone do not name the others. */
static void print_types(char out[N_TYPES][40], enum dtype t, enum dtype w, enum dtype s)
{
	const struct {
		char name;
		enum dtype dtype;
	} variables[] = {{'T', t}, {'U', w}, {'W', w}, {'S', s}};

	for (int i = 0; i < DTYPE_COUNT; i++)
		snprintf(out[i], sizeof out[i], "-DDTYPE_%s=%d", dtype_name((enum dtype)i), i);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char name = variables[i].name;
		const enum dtype dtype = variables[i].dtype;

		snprintf(out[DTYPE_COUNT + 2 * i], sizeof *out, "-DDTYPE_%c=DTYPE_%s", name,
			 dtype_name(dtype));
		snprintf(out[DTYPE_COUNT + 2 * i + 1], sizeof *out, "-DCTYPE_%c=%s", name,
			 dtype_ctype(dtype));
	}
}

static bool place(struct compilation *c)
{
	const char *base = getenv("TMPDIR");
	snprintf(c->path, sizeof c->path, "%s/kernel-XXXXXX.so", base && *base ? base : "/tmp");
	const int fd = mkstemps(c->path, 3);
	return fd >= 0 && close(fd) == 0;
}

bool compile_start(struct compilation *c, const char *source, enum dtype t)
{
	return compile_start_types(c, source, t, t, DTYPE_I64);
}

// NOLINTNEXTLINE(readability-function-size): a type for each variable
bool compile_start_types(struct compilation *c, const char *source, enum dtype t, enum dtype w,
			 enum dtype s)
{
	struct asc_err e;
	char types[N_TYPES][40], file[512];
	const char *cc = getenv("CC"), *argv[OTHERS + N_FLAGS + N_TYPES + COMPILE_DEFINES];
	size_t n = 0;

	if (!place(c))
		return false;
	snprintf(file, sizeof file, "%s/%s", PROJECT_ROOT, source);
	print_types(types, t, w, s);
	argv[n++] = cc && *cc ? cc : "cc";
	argv[n++] = "-o";
	argv[n++] = c->path;
	argv[n++] = file;
	for (size_t i = 0; i < N_FLAGS; i++)
		argv[n++] = flags[i];
	for (size_t i = 0; i < N_TYPES; i++)
		argv[n++] = types[i];
	for (size_t i = 0; i < COMPILE_DEFINES && c->defines[i][0]; i++)
		argv[n++] = c->defines[i];
	argv[n++] = "-lm";
	argv[n] = NULL;
	return proc_start(&c->compiler, &(struct proc_options){.argv = argv}, &e) == ASC_OK;
}

void *compile_load(struct compilation *c, const char *entry)
{
	while (!proc_reap(&c->compiler))
		usleep(2000);
	void *library = dlopen(c->path, RTLD_NOW), *symbol = library ? dlsym(library, entry) : NULL;
	if (!symbol)
		tap_note("%s", dlerror());
	unlink(c->path);
	return symbol;
}

bool compile_library(const char *path, const char *source, const char *define)
{
	const char *cc = getenv("CC");
	char file[512];
	const char *argv[] = {
		cc && *cc ? cc : "cc", "-O2", "-fPIC", "-shared", "-o", path, file, define, NULL};
	struct buf said = {0};
	struct asc_err e;
	int status = -1;

	snprintf(file, sizeof file, "%s/%s", PROJECT_ROOT, source);
	if (proc_run(argv, NULL, LIBRARY_LIMIT_NS, 65536, &said, &status, &e) || status)
		tap_note("%s", buf_str(&said));
	buf_fini(&said);
	return status == 0;
}
