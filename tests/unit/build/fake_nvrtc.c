/* A libnvrtc whose machine code is the text that it was given, behind the options, one a line. The
 * source says what goes wrong: "#error" is refused with a log, "NO MEMORY" fails for want of it,
 * and for "virtual" there is no machine code. Numbers are those of nvrtc.h, version 13. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 1, COMPILATION = 6 };

struct program {
	char *text, *code;
	const char *log;
};

int nvrtcVersion(int *major, int *minor);
const char *nvrtcGetErrorString(int result);
int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int n,
		       const char *const *headers, const char *const *names);
int nvrtcDestroyProgram(struct program **p);
int nvrtcCompileProgram(struct program *p, int n, const char *const *options);
int nvrtcGetProgramLogSize(struct program *p, size_t *bytes);
int nvrtcGetProgramLog(struct program *p, char *log);
int nvrtcGetCUBINSize(struct program *p, size_t *bytes);
int nvrtcGetCUBIN(struct program *p, char *cubin);

int nvrtcVersion(int *major, int *minor)
{
	*major = 13;
	*minor = 1;
	return SUCCESS;
}

const char *nvrtcGetErrorString(int result)
{
	return result == OUT_OF_MEMORY ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR_COMPILATION";
}

int nvrtcCreateProgram(struct program **out, const char *source, const char *name, int n,
		       const char *const *headers, const char *const *names)
{
	struct program *p = calloc(1, sizeof *p);

	(void)name, (void)headers, (void)names;
	if (!p || n != 0)
		abort();
	p->text = strdup(source);
	p->log = strstr(source, "#error") ? "k.cu(3): error: #error\n" : "";
	*out = p;
	return SUCCESS;
}

int nvrtcDestroyProgram(struct program **p)
{
	free((*p)->text);
	free((*p)->code);
	free(*p);
	*p = NULL;
	return SUCCESS;
}

int nvrtcCompileProgram(struct program *p, int n, const char *const *options)
{
	size_t bytes = strlen(p->text) + 1, at = 0;

	if (strstr(p->text, "NO MEMORY"))
		return OUT_OF_MEMORY;
	if (*p->log)
		return COMPILATION;
	for (int i = 0; i < n; i++)
		bytes += strlen(options[i]) + 1;
	p->code = calloc(1, bytes);
	for (int i = 0; p->code && i < n; i++)
		at += (size_t)snprintf(p->code + at, bytes - at, "%s\n", options[i]);
	if (p->code)
		(void)snprintf(p->code + at, bytes - at, "%s", p->text);
	return p->code ? SUCCESS : OUT_OF_MEMORY;
}

int nvrtcGetProgramLogSize(struct program *p, size_t *bytes)
{
	*bytes = strlen(p->log) + 1;
	return SUCCESS;
}

int nvrtcGetProgramLog(struct program *p, char *log)
{
	memcpy(log, p->log, strlen(p->log) + 1);
	return SUCCESS;
}

int nvrtcGetCUBINSize(struct program *p, size_t *bytes)
{
	*bytes = strstr(p->text, "virtual") ? 0 : strlen(p->code);
	return SUCCESS;
}

int nvrtcGetCUBIN(struct program *p, char *cubin)
{
	memcpy(cubin, p->code, strlen(p->code));
	return SUCCESS;
}
