#include "tuner/code/code_listing.h"

#include <ctype.h>
#include <elf.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/file.h"
#include "tuner/code/code_file.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/object_code.h"
#include "tuner/device/libs/library.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

/* Time limit of a disassembler: one that hangs is ended. nvdisasm needs 0.7 s for a cubin of 939
 * kB, and a busy machine some times as long. */
static int64_t tool_limit_ns(size_t file_bytes)
{
	static const int64_t least = INT64_C(5000000000), most = INT64_C(60000000000);
	static const int64_t byte_ns = 5000;
	const int64_t bytes = file_bytes < CODE_FILE_BYTES ? (int64_t)file_bytes : CODE_FILE_BYTES;

	return least + bytes * byte_ns < most ? least + bytes * byte_ns : most;
}

/* A line of a listing has about 60 characters: a million instructions. */
enum { LISTING_BYTES = 64 << 20 };

/* ---- where a disassembler lies ---- */

/* Finds a file that can be run; a heap string, NULL: there is none. */
static char *take_program(const char *folder, const char *name)
{
	char *path = path_join(folder, name);

	if (path && access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* Finds a program in the packages of the Python interpreter that is used for Triton: Triton brings
 * it, and it is a package of its own. */
static char *find_in_python(const char *name)
{
	static const char *const packages[] = {"triton/backends/nvidia/bin", "nvidia/*/bin"};
	const char *named = getenv("ASCTUNE_PYTHON");
	char *python = proc_find(named && *named ? named : "python3"), *found = NULL;
	char *bin = python ? path_folder(python) : NULL;

	for (size_t i = 0; i < sizeof packages / sizeof *packages && bin && !found; i++) {
		char *pattern = str_print("%s/../lib/python3*/site-packages/%s", bin, packages[i]);
		glob_t at = {0};

		if (pattern && glob(pattern, 0, NULL, &at) == 0)
			for (size_t k = 0; k < at.gl_pathc && !found; k++)
				found = take_program(at.gl_pathv[k], name);
		globfree(&at);
		free(pattern);
	}
	free(bin);
	free(python);
	return found;
}

/* Finds a program of the CUDA toolkit: in PATH, where toolkits lie, in Python's packages. */
static enum asc_status find_cuda_program(const char *name, char **out, struct asc_err *e)
{
	*out = proc_find(name);
	for (size_t i = 0; toolkit_cuda.places[i] && !*out; i++) {
		char *folder;

		if (toolkit_folder(&toolkit_cuda, i, "bin", &folder, e))
			return e->status;
		*out = folder ? take_program(folder, name) : NULL;
		free(folder);
	}
	if (!*out)
		*out = find_in_python(name);
	return ASC_OK;
}

/* ---- what it prints ---- */

static enum asc_status add_line(struct code_listing *l, const struct code_line *line,
				struct asc_err *e)
{
	if (!array_room(&l->lines, l->n, &l->room, sizeof *l->lines))
		return asc_err_nomem(e);
	l->lines[l->n] = *line;
	l->lines[l->n++].is.class = CODE_UNKNOWN;
	return ASC_OK;
}

/* Cuts off the next line of a text, NUL-terminated; NULL at the end. */
static char *next_line(char **at)
{
	char *line = *at, *end = line ? strchr(line, '\n') : NULL;

	if (!line || !*line)
		return NULL;
	if (end)
		*end = '\0';
	*at = end ? end + 1 : line + strlen(line);
	return line;
}

static char *skip_blanks(char *text)
{
	return text + strspn(text, " \t");
}

/* Ends a text before the blanks at its end. */
static void cut_blanks(char *text)
{
	size_t n = strlen(text);

	while (n > 0 && isspace((unsigned char)text[n - 1]))
		text[--n] = '\0';
}

struct function {
	const char *name;
	size_t begin, end; /* lines */
	bool reached, followed;
};

/* Marks the functions that a line names, as "call 10f0 <softmax>" and "lea 0x1c(%rip),%rdi
 * # 2040 <rows._omp_fn.0>" do. */
static void follow_line(const char *text, struct function *all, size_t n)
{
	for (; (text = strchr(text, '<')) != NULL; text++) {
		const size_t length = strcspn(text + 1, "+->@");

		for (size_t i = 0; i < n; i++)
			if (strncmp(all[i].name, text + 1, length) == 0 && !all[i].name[length])
				all[i].reached = true;
	}
}

/* Leaves the functions that a kernel's launch may come to: its source may have other kernels. An
 * object that is no kernel of ours keeps all. */
static enum asc_status keep_reached(struct code_listing *l, struct asc_err *e)
{
	struct function *all = calloc(l->n ? l->n : 1, sizeof *all);
	size_t n = 0, kept = 0;
	bool found = false;

	if (!all)
		return asc_err_nomem(e);
	for (size_t i = 0; i < l->n; i++) {
		if (i == 0 || l->lines[i].function != l->lines[i - 1].function)
			all[n++] = (struct function){.name = l->lines[i].function, .begin = i};
		all[n - 1].end = i + 1;
	}
	for (size_t i = 0; i < n; i++)
		found |= all[i].reached = strcmp(all[i].name, "asctune_launch") == 0;
	/* Until no further one is reached. */
	for (bool more = found; more;) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			if (!all[i].reached || all[i].followed)
				continue;
			more = all[i].followed = true;
			for (size_t k = all[i].begin; k < all[i].end; k++)
				follow_line(l->lines[k].text, all, n);
		}
	}
	for (size_t i = 0; found && i < n; i++)
		for (size_t k = all[i].begin; all[i].reached && k < all[i].end; k++)
			l->lines[kept++] = l->lines[k];
	l->n = found ? kept : l->n;
	free(all);
	return ASC_OK;
}

/* Lines such as
 *
 *     Disassembly of section .text:
 *     0000000000001100 <pass_multiply>:
 *         1100:	push   %rbp
 */
enum asc_status code_listing_parse_objdump(struct code_listing *l, struct asc_err *e)
{
	/* What the compiler's own files bring along, whatever the source. */
	static const char *const others[] = {"_init",
					     "_fini",
					     "_start",
					     "deregister_tm_clones",
					     "frame_dummy",
					     "register_tm_clones",
					     "call_weak_fn",
					     "__do_global_dtors_aux",
					     NULL};
	static const char section[] = "Disassembly of section ";
	struct code_line line = {0};
	char *at = l->raw.data, *text;
	bool wanted = false, in_text = false;

	while ((text = next_line(&at)) != NULL) {
		char *end, *name = strchr(text, '<');

		if (strncmp(text, section, strlen(section)) == 0) {
			in_text = strncmp(text + strlen(section), ".text", 5) == 0;
			wanted = false;
			continue;
		}
		line.address = strtoull(text, &end, 16);
		if (end == text)
			continue;
		if (*end == ' ' && name && text[strlen(text) - 1] == ':') {
			name[strcspn(name, ">")] = '\0';
			line.function = name + 1;
			wanted = in_text && !str_is_in(line.function, others);
			continue;
		}
		if (*end != ':' || !wanted)
			continue;
		line.text = skip_blanks(end + 1);
		cut_blanks(end + 1);
		if (*line.text && add_line(l, &line, e))
			return e->status;
	}
	return keep_reached(l, e);
}

/* Lines such as
 *
 *     .text.gemm:                     (nvdisasm)         Function : gemm      (cuobjdump)
 *     .L_x_3:
 *             /\*0070*\/                   @P0 EXIT ;
 */
enum asc_status code_listing_parse_sass(struct code_listing *l, const char *kernel,
					struct asc_err *e)
{
	static const char section[] = ".text.", function[] = "Function : ", comment[] = "/*";
	struct code_line line = {0};
	char *at = l->raw.data, *text;

	while ((text = next_line(&at)) != NULL) {
		text = skip_blanks(text);
		cut_blanks(text);
		const size_t n = strlen(text);
		char *end;

		if (strncmp(text, section, strlen(section)) == 0 && text[n - 1] == ':') {
			text[n - 1] = '\0';
			line.function = text + strlen(section);
		} else if (strncmp(text, function, strlen(function)) == 0) {
			line.function = text + strlen(function);
		} else if (*text == '.' && n > 1 && text[n - 1] == ':') {
			text[n - 1] = '\0';
			line.label = text;
		} else if (strncmp(text, comment, strlen(comment)) == 0) {
			line.address = strtoull(text + strlen(comment), &end, 16);
			/* The second word of an instruction is a comment alone. */
			if (strncmp(end, "*/", 2) != 0 || !strchr(end, ';'))
				continue;
			*strchr(end, ';') = '\0';
			cut_blanks(end);
			line.text = skip_blanks(end + 2);
			if (line.function && (!kernel || strcmp(line.function, kernel) == 0) &&
			    add_line(l, &line, e))
				return e->status;
			line.label = NULL;
		}
	}
	return ASC_OK;
}

/* ---- one run of it ---- */

static enum asc_status run(struct code_listing *l, const char *const *argv, const char *path,
			   int64_t limit_ns, struct asc_err *e)
{
	const char *const reads[] = {path, NULL};
	const struct sandbox sandbox = {
		.reads = reads, .childless = true, .limit_ns = limit_ns, .file_bytes = 1};
	char text[128];
	int status;

	if (proc_run(argv, &sandbox, limit_ns, LISTING_BYTES, &l->raw, &status, e))
		return e->status == ASC_TIMEOUT ? e->status : asc_err_wrap(e, "%s", argv[0]);
	if (status != 0)
		return asc_err_set(e, ASC_INPUT, "%s %s: %.200s", argv[0],
				   proc_print_status(status, text, sizeof text), buf_str(&l->raw));
	return ASC_OK;
}

static const struct {
	const char *name, *option;
} cubin_tools[] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};

enum {
	CUBIN_TOOLS = sizeof cubin_tools / sizeof *cubin_tools,
#ifdef __aarch64__
	OWN_MACHINE = EM_AARCH64
#else
	OWN_MACHINE = EM_X86_64
#endif
};

static const char NO_CUBIN_TOOL[] =
	"there is no nvdisasm and no cuobjdump: not in PATH, in $CUDA_HOME/bin, or in the packages "
	"of Python ($ASCTUNE_PYTHON), where Triton and nvidia-cuda-nvdisasm bring one";
static const char NO_OBJDUMP[] = "there is no objdump in PATH: binutils has it";

/* Finds objdump; NULL: there is none. One for one machine often knows no other: the one of that
 * machine goes first. */
static char *find_objdump(int machine)
{
	char *own = proc_find(machine == EM_X86_64 ? "x86_64-linux-gnu-objdump"
						   : "aarch64-linux-gnu-objdump");

	return own ? own : proc_find("objdump");
}

bool code_listing_check(bool cubin, char *reason, size_t size)
{
	char *program = cubin ? NULL : find_objdump(OWN_MACHINE);
	struct asc_err e;

	for (size_t i = 0; cubin && i < CUBIN_TOOLS && !program; i++)
		if (find_cuda_program(cubin_tools[i].name, &program, &e))
			program = NULL;
	const bool found = program != NULL;

	if (!found)
		(void)snprintf(reason, size, "%s", cubin ? NO_CUBIN_TOOL : NO_OBJDUMP);
	free(program);
	return found;
}

/* Lists a cubin, and takes what the instructions are from the cubin itself. */
static enum asc_status list_cubin(struct code_listing *l, const char *path, const char *kernel,
				  const struct cubin *c, struct asc_err *e)
{
	struct code_instruction *list = NULL;
	char *program = NULL;
	size_t n;
	int64_t jumps;

	for (size_t i = 0; i < CUBIN_TOOLS && !program; i++) {
		if (find_cuda_program(cubin_tools[i].name, &program, e))
			return e->status;
		if (!program)
			continue;
		const char *const argv[] = {program, cubin_tools[i].option, path, NULL};

		l->tool = cubin_tools[i].name;
		if (run(l, argv, path, tool_limit_ns(c->elf.file.n), e) ||
		    code_listing_parse_sass(l, kernel, e)) {
			free(program);
			return e->status;
		}
	}
	free(program);
	if (!l->tool)
		return asc_err_set(e, ASC_ABSENT, "%s", NO_CUBIN_TOOL);
	if (cubin_decode(c, kernel, &list, &n, &jumps, e))
		return e->status;
	/* What it prints of a kernel is all of it, or nothing to go by. */
	if (n > 0 && l->n > 0 && l->n != n) {
		free(list);
		return asc_err_set(e, ASC_INPUT, "%s lists %zu instructions of %zu of %s", l->tool,
				   l->n, n, kernel);
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->lines[i].address / 16 < n)
			l->lines[i].is = list[l->lines[i].address / 16];
	free(list);
	return cubin_count(c, kernel, &l->counts, e);
}

/* Lists a shared object. */
static enum asc_status list_object(struct code_listing *l, const char *path, int machine,
				   size_t file_bytes, struct asc_err *e)
{
	char *program = find_objdump(machine);

	if (!program)
		return asc_err_set(e, ASC_ABSENT, "%s", NO_OBJDUMP);
	const char *const argv[] = {program, "-d", "--no-show-raw-insn", "-w", path, NULL};
	enum asc_status s = run(l, argv, path, tool_limit_ns(file_bytes), e);

	l->tool = "objdump";
	free(program);
	if (s)
		return s;
	s = code_listing_parse_objdump(l, e);
	return s ? s : object_decode(machine, l->lines, l->n, &l->counts, e);
}

enum asc_status code_listing_open(const char *path, const char *kernel, struct code_listing *out,
				  struct asc_err *e)
{
	struct buf bytes = {0};
	struct cubin cubin;
	enum asc_status s = file_read(path, CODE_FILE_BYTES, &bytes, e);

	*out = (struct code_listing){0};
	const int machine = s ? 0 : object_machine(bytes.data, bytes.len);

	if (s == ASC_OK && machine)
		s = list_object(out, path, machine, bytes.len, e);
	else if (s == ASC_OK)
		s = cubin_open(bytes.data, bytes.len, &cubin, e)
			    ? e->status
			    : list_cubin(out, path, kernel, &cubin, e);
	if (s == ASC_OK && out->n == 0)
		s = asc_err_set(e, ASC_INPUT, "%s lists nothing%s%s", out->tool,
				kernel ? " of " : "", kernel ? kernel : "");
	buf_fini(&bytes);
	/* What is not here is not the file's fault. */
	return s == ASC_OK || s == ASC_ABSENT ? s : asc_err_wrap(e, "%s", path);
}

void code_listing_close(struct code_listing *l)
{
	buf_fini(&l->raw);
	free(l->lines);
	*l = (struct code_listing){0};
}
