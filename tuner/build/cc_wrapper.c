#include "tuner/build/cc_wrapper.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/build/build_request.h"

/* ---- names for the compiler's messages ---- */

static const char error_mark[] = ": error: ";
static const char arguments_name[] = "(): arguments[", count_name[] = "(): the workload passes ";

/* Prints a line that gives the next one a name in place of a file's, and ends the name's buffer.
 * What would end the string, or a message's part in front of a colon, is not in it. */
static void print_name(struct buf *name, struct buf *out)
{
	buf_add_str(out, "\n#line 1 \"");
	for (const char *c = buf_str(name); *c; c++)
		buf_add_char(out, (char)(*c == '"'                 ? '\''
					 : *c == '\\'              ? '/'
					 : (unsigned char)*c < ' ' ? ' '
								   : *c));
	buf_add_str(out, "\"\n");
	out->failed |= name->failed; /* one of another name has another key */
	buf_fini(name);
}

static void print_call_name(const struct build_request *r, struct buf *out)
{
	struct buf name = {0};

	buf_print(&name, "%s%s%zu arguments", r->entry, count_name, r->n_arguments);
	print_name(&name, out);
}

/* `conv2d(): arguments[3] (scalar C, i64)` */
static void print_argument_name(const struct build_request *r, size_t i, struct buf *out)
{
	const struct build_argument *a = &r->arguments[i];
	struct buf name = {0};

	buf_print(&name, "%s%s%zu]", r->entry, arguments_name, i);
	if (a->words) {
		buf_print(&name, " (%s", a->words);
		if (a->kind == BUILD_SCALAR || a->kind == BUILD_BUILTIN)
			buf_print(&name, ", %s", dtype_name(a->type));
		else if (a->kind == BUILD_TENSOR)
			buf_print(&name, ", %s *", dtype_ctype(a->type));
		buf_add_char(&name, ')');
	}
	print_name(&name, out);
}

/* ---- the call ---- */

static enum asc_status print_argument(const struct build_request *r, size_t i, struct buf *out,
				      struct asc_err *e)
{
	const struct build_argument *a = &r->arguments[i];

	buf_add_str(out, i ? "," : "");
	print_argument_name(r, i, out);
	switch (a->kind) {
	case BUILD_TENSOR:
		buf_print(out, "(%s *)*(void *const *)asctune_args[%zu]", dtype_ctype(a->type), i);
		break;
	case BUILD_SCRATCH: buf_print(out, "*(void *const *)asctune_args[%zu]", i); break;
	case BUILD_SCALAR:
		buf_print(out, "*(const %s *)asctune_args[%zu]", dtype_ctype(a->type), i);
		break;
	case BUILD_BUILTIN: buf_print(out, "*(const int64_t *)asctune_args[%zu]", i); break;
	case BUILD_TENSOR_MAP:
		return asc_err_set(e, ASC_INPUT, "argument %zu: a CPU has no tensor maps", i);
	}
	return ASC_OK;
}

/* Arguments are passed as what they are, so that the compiler refuses a kernel with other
 * parameters; a scalar that would be narrowed is refused too. */
enum asc_status cc_wrapper_print(const struct build_request *r, char **out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = ASC_OK;

	*out = NULL;
	if (!str_is_identifier(r->entry))
		return asc_err_set(e, ASC_INPUT, "entry \"%s\" is not an identifier of C",
				   r->entry);
	buf_add_str(&text, "#include <stdint.h>\n"
			   "#pragma GCC diagnostic error \"-Wconversion\"\n"
			   "#pragma GCC diagnostic error \"-Wsign-conversion\"\n"
			   "void asctune_launch(void *const *asctune_args);\n"
			   "__attribute__((visibility(\"default\"))) "
			   "void asctune_launch(void *const *asctune_args)\n"
			   "{\n"
			   "\t(void)asctune_args;\n");
	print_call_name(r, &text);
	buf_print(&text, "\t%s(", r->entry);
	for (size_t i = 0; i < r->n_arguments && s == ASC_OK; i++)
		s = print_argument(r, i, &text, e);
	buf_add_str(&text, ");\n}\n");
	if (s == ASC_OK)
		s = buf_check(&text, e);
	if (s == ASC_OK)
		*out = buf_take(&text);
	buf_fini(&text);
	return s;
}

/* ---- its mistakes ---- */

/* The type of the parameter, in the words of gcc or clang, between `from` and `end`; *n is 0 where
 * they do not say. */
static const char *find_type(const char *from, const char *end, size_t *n)
{
	static const char *const marks[] = {"note: expected '", "parameter of type '", " to '",
					    NULL};

	for (size_t i = 0; marks[i]; i++) {
		const char *at = memmem(from, (size_t)(end - from), marks[i], strlen(marks[i]));

		if (!at)
			continue;
		at += strlen(marks[i]);
		*n = strcspn(at, "'\n");
		return at;
	}
	*n = 0;
	return from;
}

/* Parameters of the declaration that the compiler shows below "declared here"; -1: not shown whole.
 */
static int count_parameters(const char *log)
{
	const char *note = strstr(log, "declared here\n");
	const char *line = note ? strchr(note, '\n') + 1 : "";
	const char *open = memchr(line, '(', strcspn(line, "\n"));
	int depth = 0, commas = 0;

	for (const char *c = open; c && *c && *c != '\n'; c++) {
		depth += (*c == '(') - (*c == ')');
		commas += *c == ',' && depth == 1;
		if (depth == 0)
			return strncmp(open, "(void)", 6) == 0 ? 0 : commas + 1;
	}
	return -1;
}

static const char *find_part(const char *line, const char *end, const char *part)
{
	return memmem(line, (size_t)(end - line), part, strlen(part));
}

/* An error that names the call or one of its arguments. */
struct mistake {
	const char *name; /* what the line begins with, ... */
	size_t n;         /* ... up to `:LINE:COLUMN: error: ` */
	bool of_argument;
	const char *text, *end; /* the words after it; the notes are within, too */
};

static bool find_mistake(const char *log, const char *error, struct mistake *m)
{
	const char *line = error, *next;

	while (line > log && line[-1] != '\n')
		line--;
	*m = (struct mistake){.name = line, .n = (size_t)(error - line)};
	for (int colons = 0; m->n > 0 && colons < 2; colons++)
		do
			m->n--;
		while (m->n > 0 && line[m->n] != ':');
	m->of_argument = find_part(line, error, arguments_name);
	m->text = error + sizeof error_mark - 1;
	next = strstr(m->text, error_mark);
	m->end = next ? next : m->text + strlen(m->text);
	return m->of_argument || find_part(line, error, count_name);
}

static int number_after(const struct mistake *m, const char *from, const char *words)
{
	const char *at = find_part(from, m->end, words);

	return at ? (int)strtol(at + strlen(words), NULL, 10) : -1;
}

/* `conv2d(): the workload passes 10 arguments, the kernel takes 9`; newer compilers say how many
 * they expect. */
static char *describe_count(const struct mistake *m)
{
	int passed = number_after(m, m->text, ", have "),
	    taken = number_after(m, m->text, "expected ");

	if (passed < 0)
		passed = number_after(m, m->name, count_name);
	if (taken < 0)
		taken = count_parameters(m->text);
	if (passed < 0 || taken < 0)
		return str_print("%.*s: %.*s", (int)m->n, m->name, (int)strcspn(m->text, "\n"),
				 m->text);
	return str_print("%.*s%s%d arguments, the kernel takes %d", (int)strcspn(m->name, "("),
			 m->name, count_name, passed, taken);
}

static char *describe(const struct mistake *m)
{
	size_t line = strcspn(m->text, "\n"), n;
	const char *type = find_type(m->text, m->end, &n);

	if (find_part(m->text, m->text + line, "implicit declaration") ||
	    find_part(m->text, m->text + line, "undeclared function"))
		return str_print("the source has no function %.*s", (int)strcspn(m->name, "("),
				 m->name);
	if (m->of_argument && n > 0)
		return str_print("%.*s: the kernel's parameter is %.*s", (int)m->n, m->name, (int)n,
				 type);
	return str_print("%.*s: %.*s", (int)m->n, m->name, (int)line, m->text);
}

char *cc_wrapper_reason(const char *log)
{
	const char *error = strstr(log, error_mark);
	struct mistake first, m;

	if (!error || !find_mistake(log, error, &first))
		return NULL;
	/* A wrong number of arguments explains most mismatches of types. */
	for (const char *at = error; at; at = strstr(at + 1, error_mark))
		if (find_mistake(log, at, &m) && find_part(m.text, m.end, "arguments to function"))
			return describe_count(&m);
	return describe(&first);
}
