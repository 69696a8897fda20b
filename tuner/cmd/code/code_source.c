/* What a kernel was made of, PTX and lines of its source: of cubins alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/answers/show_text.h"
#include "tuner/cmd/code/code_side.h"
#include "tuner/cmd/code/code_text.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/code/cubin_code.h"
#include "tuner/code/cubin_lines.h"

enum { SOURCE_BYTES = 16 << 20 }; /* of a source file; a longer one is none that a person wrote */

enum asc_status code_print_ptx(const struct code_kernel *k, struct json_writer *json,
			       struct asc_err *e)
{
	struct buf bytes = {0}, ptx = {0};
	struct cubin c;
	enum asc_status s = code_kernel_open_cubin(k, "PTX", &bytes, &c, e);

	if (s == ASC_OK && cubin_print_ptx(&c, &ptx, e))
		s = asc_err_wrap(e, "%s", k->name);
	if (s == ASC_OK && json)
		json_write_string(json, "ptx", buf_str(&ptx));
	else if (s == ASC_OK)
		s = show_text_print(&ptx, e);
	buf_fini(&ptx);
	buf_fini(&bytes);
	return s;
}

/* The instructions that came of one line of source. */
struct line_counts {
	const char *file, *folder; /* borrowed */
	uint32_t line;
	struct code_tally all, loop;
};

static int compare_counts(const void *a, const void *b)
{
	const struct line_counts *x = a, *y = b;
	const int files = strcmp(x->file, y->file);

	return files ? files : (x->line > y->line) - (x->line < y->line);
}

/* Counts instructions by the line that they come from; *out is a heap array, one for each line. */
static enum asc_status count_by_line(const struct cubin_lines *lines,
				     const struct code_instruction *list, size_t n,
				     struct line_counts **out, size_t *n_out, struct asc_err *e)
{
	size_t found = 0, kept = 0;

	*out = calloc(n + 1, sizeof **out);
	if (!*out)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		const struct cubin_line *line = cubin_lines_find(lines, 16 * (uint64_t)i);
		struct line_counts *to = &(*out)[found];

		if (!line || list[i].class == CODE_NONE)
			continue;
		*to = (struct line_counts){line->file, line->folder, line->line, {0}, {0}};
		to->all.by_class[list[i].class] = to->all.instructions = 1;
		to->loop.by_class[list[i].class] = to->loop.instructions = list[i].loop != 0;
		found++;
	}
	qsort(*out, found, sizeof **out, compare_counts);
	for (size_t i = 0; i < found; i++) {
		struct line_counts *to = &(*out)[kept > 0 ? kept - 1 : 0];

		if (kept == 0 || compare_counts(to, &(*out)[i]) != 0) {
			(*out)[kept++] = (*out)[i];
			continue;
		}
		to->all.instructions += (*out)[i].all.instructions;
		to->loop.instructions += (*out)[i].loop.instructions;
		for (size_t k = 0; k < CODE_CLASS_COUNT; k++) {
			to->all.by_class[k] += (*out)[i].all.by_class[k];
			to->loop.by_class[k] += (*out)[i].loop.by_class[k];
		}
	}
	*n_out = kept;
	return ASC_OK;
}

static const char *base_name(const char *path)
{
	return path ? path_name(path) : "";
}

/* Reads a source file: the kernel's own, by its name alone, since compilers are given its text in
 * whatever folder they run in; else where the compiler found it. Empty: it is not there. */
static void read_source(const struct code_kernel *k, const struct line_counts *line,
			struct buf *out)
{
	const bool own = *line->file && strcmp(base_name(k->source), base_name(line->file)) == 0;
	char *path = own                                    ? str_dup(k->source)
		     : *line->file == '/' || !*line->folder ? str_dup(line->file)
							    : path_join(line->folder, line->file);
	struct asc_err e;

	if (path && file_read(path, SOURCE_BYTES, out, &e))
		buf_clear(out);
	free(path);
}

/* Copies line `number` of a text, without the blanks in front. */
static void add_source_line(const struct buf *text, uint32_t number, struct buf *out)
{
	const char *at = buf_str(text);

	while (number > 1 && (at = strchr(at, '\n')) != NULL) {
		at++;
		number--;
	}
	if (!at)
		return;
	at += strspn(at, " \t");
	buf_add(out, at, strcspn(at, "\r\n"));
}

/* "4 f32 2 global" */
static void add_classes_of_line(const struct code_tally *t, struct buf *out)
{
	for (size_t i = 0; i < CODE_CLASS_COUNT; i++)
		if (t->by_class[i])
			buf_print(out, "%s%lld %s", out->len ? " " : "", (long long)t->by_class[i],
				  code_class_name((enum code_class)i));
}

static void write_source_line(const struct line_counts *l, const char *text, struct json_writer *w)
{
	json_write_begin(w, NULL, '{');
	json_write_string(w, "file", l->file);
	json_write_int(w, "line", l->line);
	json_write_int(w, "instructions", l->all.instructions);
	json_write_int(w, "in_loops", l->loop.instructions);
	json_write_begin(w, "classes", '{');
	for (size_t i = 0; i < CODE_CLASS_COUNT; i++)
		if (l->all.by_class[i])
			json_write_int(w, code_class_name((enum code_class)i), l->all.by_class[i]);
	json_write_end(w, '}');
	json_write_string(w, "text", *text ? text : NULL);
	json_write_end(w, '}');
}

static enum asc_status print_lines(const struct code_kernel *k, const struct line_counts *list,
				   size_t n, struct json_writer *json, struct asc_err *e)
{
	struct buf source = {0}, text = {0}, classes = {0};
	const char *file = "";
	struct table t;

	table_init(&t, ">line|>in loops|>in all|source|what it became");
	if (json)
		json_write_begin(json, "source", '[');
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i].file, file) != 0) {
			buf_clear(&source);
			read_source(k, &list[i], &source);
			file = list[i].file;
		}
		buf_clear(&text);
		buf_clear(&classes);
		add_source_line(&source, list[i].line, &text);
		add_classes_of_line(&list[i].all, &classes);
		if (json) {
			write_source_line(&list[i], buf_str(&text), json);
			continue;
		}
		table_add(&t, "%s:%u", file, list[i].line);
		table_add(&t, "%lld", (long long)list[i].loop.instructions);
		table_add(&t, "%lld", (long long)list[i].all.instructions);
		table_add(&t, "%s", buf_str(&text));
		table_add_inked(&t, INK_DIM, "%s", buf_str(&classes));
	}
	if (json)
		json_write_end(json, ']');
	enum asc_status s = source.failed || text.failed || classes.failed ? asc_err_nomem(e)
			    : json                                         ? ASC_OK
				   : table_print(&t, stdout, e);

	table_fini(&t);
	buf_fini(&source);
	buf_fini(&text);
	buf_fini(&classes);
	return s;
}

enum asc_status code_print_source(const struct code_kernel *k, struct json_writer *json,
				  struct asc_err *e)
{
	struct buf bytes = {0};
	struct cubin c;
	struct cubin_lines lines = {0};
	struct code_instruction *list = NULL;
	struct line_counts *counts = NULL;
	size_t n = 0, n_counts = 0;
	int64_t jumps;
	enum asc_status s = code_kernel_open_cubin(k, "source lines", &bytes, &c, e);

	if (s == ASC_OK)
		s = cubin_lines_open(&c, k->entry, &lines, e);
	if (s == ASC_OK)
		s = cubin_decode(&c, k->entry, &list, &n, &jumps, e);
	if (s == ASC_OK)
		s = count_by_line(&lines, list, n, &counts, &n_counts, e);
	if (s == ASC_OK)
		s = print_lines(k, counts, n_counts, json, e);
	free(counts);
	free(list);
	cubin_lines_close(&lines);
	buf_fini(&bytes);
	return s;
}
