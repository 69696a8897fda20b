#include "tuner/build/outcome.h"

#include <ctype.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"
#include "tuner/build/cc_wrapper.h"
#include "tuner/process/sandbox.h"

enum { REASON_BYTES = 1000 };

/* The start of the first line in which `part` occurs, else of the first line. */
static const char *find_line(const char *log, const char *part)
{
	const char *start = strstr(log, part);

	if (!start)
		return log;
	while (start > log && start[-1] != '\n')
		start--;
	return start;
}

/* The start of the first line that says what is wrong: an "error:", or an assembler's "Error:". */
static const char *find_error(const char *log)
{
	const char *error = strstr(log, "error:"), *other = strstr(log, "Error:");

	if (error && (!other || error < other))
		return find_line(log, "error:");
	return find_line(log, "Error:");
}

/* An assembler's line names a temporary file, which says nothing: *n bytes of what stands behind
 * "/tmp/ccXYZ.s:12: Error: ". */
static const char *skip_temporary(const char *line, size_t *n)
{
	const char *error = memmem(line, *n, "Error: ", strlen("Error: "));
	const char *colon = memchr(line, ':', *n);
	bool temporary = colon && colon > line + 1 &&
			 (colon[-1] == '}' || (colon[-2] == '.' && colon[-1] == 's'));

	if (!error || !temporary)
		return line;
	error += strlen("Error: ");
	*n -= (size_t)(error - line);
	return error;
}

/* Cuts "/a/b/kernel.c:3:5: error: ..." to "kernel.c:3:5: error: ...". */
static const char *skip_folders(const char *line, size_t *n)
{
	const char *colon = memchr(line, ':', *n);
	const char *slash = colon ? memrchr(line, '/', (size_t)(colon - line)) : NULL;

	if (!slash || memchr(line, ' ', (size_t)(slash - line)))
		return line;
	*n -= (size_t)(slash + 1 - line);
	return slash + 1;
}

/* Compiler drivers end with a line that says only that the linker failed; the cause is above it. */
static const char *find_cause(const char *log, const char *line)
{
	static const char *const drivers[] = {"ld returned", "linker command failed", NULL};
	static const char *const causes[] = {"undefined reference", "multiple definition",
					     "cannot find", "ld: ", NULL};
	size_t n = strcspn(line, "\n");
	bool linker = false;

	for (size_t i = 0; drivers[i]; i++)
		linker = linker || memmem(line, n, drivers[i], strlen(drivers[i]));
	for (size_t i = 0; linker && causes[i]; i++) {
		const char *cause = find_line(log, causes[i]);
		if (cause < line && strstr(cause, causes[i]) < line)
			return cause;
	}
	return line;
}

char *outcome_reason(const char *log)
{
	char *call = cc_wrapper_reason(log);

	if (call)
		return call;
	const char *start = log + strspn(log, " \t\r\n");
	const char *line = find_cause(start, find_error(start));
	size_t n = strcspn(line, "\n");
	const char *cause = skip_temporary(line, &n);

	bool assembler = cause != line;

	if (!assembler)
		cause = skip_folders(line, &n);
	/* A line of template arguments may be as long as a page. */
	size_t kept = utf8_cut(cause, n, REASON_BYTES);
	char more[SANDBOX_EXPLANATION];

	return str_print("%s%.*s%s%s", assembler ? "assembler: " : "", (int)kept, cause,
			 kept < n ? "..." : "", sandbox_explain(cause, more, sizeof more));
}

/* Bytes of the name that starts at `at`. */
static size_t name_len(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

const char *outcome_find_unknown(const char *reason, size_t *len)
{
	static const struct {
		const char *before, *behind;
	} words[] = {{"'", "' undeclared"},
		     {"\xE2\x80\x98", "\xE2\x80\x99 undeclared"}, /* gcc's quotes in UTF-8 */
		     {"undeclared identifier '", "'"},
		     {"identifier \"", "\" is undefined"}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const char *behind = words[i].behind, *at = strstr(reason, words[i].before);

		for (; at; at = strstr(at, words[i].before)) {
			at += strlen(words[i].before);
			*len = name_len(at);
			if (*len && strncmp(at + *len, behind, strlen(behind)) == 0)
				return at;
		}
	}
	return NULL;
}

/* True when the line is about a place in a source, or quotes it: its text is no sign. Temporary
 * files are the driver's: {standard input}:1:, /tmp/x.s:1:. Where an output cannot be opened, gcc
 * names the place that it has read up to. */
static bool is_of_source(const char *line, size_t n)
{
	static const char *const outputs[] = {"error writing to ", "opening dependency file ",
					      NULL};
	static const char *const temporary[] = {"}", ".s", ".o", NULL};
	size_t name = 0;

	for (size_t i = 0; outputs[i]; i++)
		if (memmem(line, n, outputs[i], strlen(outputs[i])))
			return false;
	while (name + 1 < n && !((line[name] == ':' || line[name] == '(') &&
				 isdigit((unsigned char)line[name + 1])))
		name++;
	if (name + 1 >= n)
		return isspace((unsigned char)line[0]);
	for (size_t i = 0; temporary[i]; i++) {
		size_t end = strlen(temporary[i]);
		if (name >= end && strncmp(line + name - end, temporary[i], end) == 0)
			return false;
	}
	return true;
}

static enum asc_status find_sign(const char *line, size_t n)
{
	static const struct {
		const char *words;
		enum asc_status status;
	} signs[] = {{"No space left on device", ASC_FULL},
		     {"Disk quota exceeded", ASC_FULL},
		     {"File size limit exceeded", ASC_FULL},
		     {"File too large", ASC_FULL},
		     {"Cannot allocate memory", ASC_NOMEM},
		     {"virtual memory exhausted", ASC_NOMEM},
		     {"out of memory", ASC_NOMEM},
		     {"NVRTC_ERROR_OUT_OF_MEMORY", ASC_NOMEM},
		     {"signal terminated program", ASC_CHILD},
		     {"failed due to signal", ASC_CHILD},
		     {"terminated with signal", ASC_CHILD},
		     {"unable to execute command: Killed", ASC_CHILD}};

	/* In the words of gcc, clang, ld and NVRTC. */
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (memmem(line, n, signs[i].words, strlen(signs[i].words)))
			return signs[i].status;
	return ASC_OK;
}

enum asc_status outcome_trouble(const char *log, int status)
{
	while (*log && status != 0) {
		size_t n = strcspn(log, "\n");
		enum asc_status sign = is_of_source(log, n) ? ASC_OK : find_sign(log, n);
		if (sign)
			return sign;
		log += n + (log[n] == '\n');
	}
	return WIFSIGNALED(status) ? ASC_CHILD : ASC_OK;
}

bool outcome_lasts(const char *log)
{
	static const char *const signs[] = {"No such file or directory",
					    "file not found",
					    "cannot find -l",
					    "unable to find library",
					    "open source file",
					    "cannot open shared object file",
					    SANDBOX_DENIAL, /* modes may change, and grants */
					    NULL};

	for (size_t i = 0; signs[i]; i++)
		if (strstr(log, signs[i]))
			return false;
	return true;
}
