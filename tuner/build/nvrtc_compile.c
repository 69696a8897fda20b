#include "tuner/build/nvrtc_compile.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/nvrtc_library.h"

enum { MAX_SOURCE_BYTES = 64 << 20 };
enum { SOURCE, MACROS, OUTPUT, OPTIONS }; /* indices of the arguments */

/* ---- the text ---- */

/* The end of a comment, of either kind, that begins at `at`. */
static const char *skip_comment(const char *at)
{
	const char *end = at[1] == '*' ? strstr(at + 2, "*/") : strchr(at, '\n');

	if (!end)
		return at + strlen(at);
	return at[1] == '*' ? end + 2 : end;
}

static const char *skip_space(const char *at)
{
	for (;;) {
		at += strspn(at, " \t\r\n");
		if (at[0] != '/' || (at[1] != '*' && at[1] != '/'))
			return at;
		at = skip_comment(at);
	}
}

/* The line after the directive at `at`; NULL when something else stands there. */
static const char *skip_directive(const char *at)
{
	if (strncmp(at, "#include <", 10) != 0 && strncmp(at, "#pragma ", 8) != 0)
		return NULL;
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

/* Finds the number of bytes of the source before anything that may depend on a macro. */
static size_t find_head(const char *source)
{
	const char *head = source, *next;

	for (const char *at = skip_space(source); (next = skip_directive(at));
	     at = skip_space(head))
		head = next;
	return (size_t)(head - source);
}

void nvrtc_splice(const char *source, const char *name, const char *macros, struct buf *out)
{
	size_t head = find_head(source), lines = 0;

	for (size_t i = 0; i < head; i++)
		lines += source[i] == '\n';
	buf_add(out, source, head);
	buf_add_str(out, head && source[head - 1] != '\n' ? "\n" : "");
	buf_add_str(out, macros);
	buf_print(out, "#line %zu \"%s\"\n", lines + 1, name);
	buf_add_str(out, source + head);
	buf_add_str(out, "\n#line 1 \"arguments\"\n" NVRTC_CHECKS "\n");
}

static enum asc_status read_text(const char *const *files, struct buf *out, struct asc_err *e)
{
	struct buf parts[OUTPUT] = {0};
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < OUTPUT && s == ASC_OK; i++)
		s = file_read(files[i], MAX_SOURCE_BYTES, &parts[i], e);
	if (s == ASC_OK) {
		nvrtc_splice(buf_str(&parts[SOURCE]), path_name(files[SOURCE]),
			     buf_str(&parts[MACROS]), out);
		s = buf_check(out, e);
	}
	for (size_t i = 0; i < OUTPUT; i++)
		buf_fini(&parts[i]);
	return s;
}

/* ---- compiling ---- */

static enum asc_status fail(const struct nvrtc *n, const char *what, int result, struct asc_err *e)
{
	return asc_err_set(e, result == NVRTC_ERROR_OUT_OF_MEMORY ? ASC_NOMEM : ASC_CHILD,
			   "error: NVRTC cannot %s: %s", what, n->get_error_string(result));
}

/* The library's size counts the NUL. */
static enum asc_status take_log(const struct nvrtc *n, nvrtc_program p, struct buf *log,
				struct asc_err *e)
{
	size_t bytes = 0;
	int result = n->get_log_size(p, &bytes);

	if (result != NVRTC_SUCCESS || bytes < 2)
		return result ? fail(n, "give its log", result, e) : ASC_OK;
	char *text = calloc(1, bytes + 1);
	if (!text)
		return asc_err_nomem(e);
	result = n->get_log(p, text);
	buf_add_str(log, text);
	free(text);
	return result ? fail(n, "give its log", result, e) : buf_check(log, e);
}

static enum asc_status write_cubin(const struct nvrtc *n, nvrtc_program p, const char *path,
				   struct asc_err *e)
{
	size_t bytes = 0;
	int result = n->get_cubin_size(p, &bytes);

	if (result != NVRTC_SUCCESS)
		return fail(n, "give the machine code", result, e);
	if (bytes == 0)
		return asc_err_set(e, ASC_CHILD,
				   "error: no machine code: the architecture is a virtual one");
	char *cubin = malloc(bytes);
	if (!cubin)
		return asc_err_nomem(e);
	result = n->get_cubin(p, cubin);
	/* Half a file is no artifact: the pool keeps it only after the reply. */
	enum asc_status s = result ? fail(n, "give the machine code", result, e)
				   : file_write(path, cubin, bytes, e);
	free(cubin);
	return s;
}

static enum asc_status compile_text(const struct nvrtc *n, const char *text,
				    const char *const *arguments, size_t count, struct buf *log,
				    struct asc_err *e)
{
	nvrtc_program p = NULL;
	int result = n->create_program(&p, text, arguments[SOURCE], 0, NULL, NULL);

	if (result != NVRTC_SUCCESS)
		return fail(n, "take the source", result, e);
	result = n->compile_program(p, (int)(count - OPTIONS), arguments + OPTIONS);
	enum asc_status s = take_log(n, p, log, e);
	if (s == ASC_OK && result != NVRTC_SUCCESS)
		s = fail(n, "compile", result, e);
	if (s == ASC_OK)
		s = write_cubin(n, p, arguments[OUTPUT], e);
	n->destroy_program(&p);
	return s;
}

static enum asc_status nvrtc_compile(const char *const *arguments, size_t n,
				     struct compile_reply *out, struct asc_err *e)
{
	const struct nvrtc *nvrtc;
	struct buf text = {0};

	if (n < OPTIONS)
		return asc_err_set(e, ASC_USAGE, "expected SOURCE MACROS OUTPUT [NVRTC OPTION]...");
	enum asc_status s = nvrtc_open(&nvrtc, e);
	if (s == ASC_OK)
		s = read_text(arguments, &text, e);
	if (s == ASC_OK)
		s = compile_text(nvrtc, buf_str(&text), arguments, n, &out->log, e);
	out->outcome = ARTIFACT_BUILT;
	buf_fini(&text);
	return s;
}

/* Loads the library before the first kernel comes. */
static void nvrtc_load(void)
{
	const struct nvrtc *nvrtc;
	struct asc_err e;

	(void)nvrtc_open(&nvrtc, &e); /* the first kernel reports a failure */
}

const struct compile_service nvrtc_service = {.open = nvrtc_load, .compile = nvrtc_compile};
