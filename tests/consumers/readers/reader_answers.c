/* reader_answers: asctune's side of a comparison with a library that reads its tables. Questions
 * come from the standard input, a line each, words between tabs:
 *
 *     READER FOLDER TRITON DEVICE ARCH KERNEL SHARED_BYTES N {SIZE VALUE}... N {TYPE VALUE}...
 *
 * An answer is a line of JSON: "file", the name that is asked for in FOLDER; "by", one of "row",
 * "rest" (the row for all that no other one serves), "own" (the library's default) and "refused"
 * (no such question, or a file that cannot be read), "exact" for the row of the key itself, and
 * "config". All questions are read first: a library that has to be asked for names is asked once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/exchange/reader_ask.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"

enum { MOST = 16 };

struct question {
	const struct reader_ops *reader;
	const char *folder, *triton;
	struct reader_problem problem;
	struct rule_size sizes[MOST];
	bool truths[MOST];
	struct asctune_type types[MOST];
};

static const char *next(char **line)
{
	const char *word = strsep(line, "\t");

	if (!word) {
		(void)fputs("reader_answers: a question has too few words\n", stderr);
		exit(2);
	}
	return word;
}

static size_t next_count(char **line)
{
	const size_t n = strtoul(next(line), NULL, 10);

	if (n > MOST) {
		(void)fprintf(stderr, "reader_answers: %zu sizes or types, at most %d\n", n, MOST);
		exit(2);
	}
	return n;
}

static void parse(char *line, struct question *q)
{
	const char *name = next(&line);

	*q = (struct question){.reader = reader_find(name)};
	if (!q->reader) {
		(void)fprintf(stderr, "reader_answers: no reader %s\n", name);
		exit(2);
	}
	q->folder = next(&line);
	q->triton = next(&line);
	q->problem.sizes = q->sizes;
	q->problem.truths = q->truths;
	q->problem.types = q->types;
	q->problem.device = next(&line);
	q->problem.arch = next(&line);
	q->problem.kernel = next(&line);
	q->problem.shared_bytes = strtoll(next(&line), NULL, 10);
	q->problem.n_sizes = next_count(&line);
	for (size_t i = 0; i < q->problem.n_sizes; i++) {
		q->sizes[i].name = next(&line);
		const char *value = next(&line);

		q->truths[i] = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
		q->sizes[i].low = q->truths[i] ? *value == 't' : strtoll(value, NULL, 10);
		q->sizes[i].high = q->sizes[i].low;
	}
	q->problem.n_types = next_count(&line);
	for (size_t i = 0; i < q->problem.n_types; i++) {
		q->types[i].name = next(&line);
		q->types[i].type = next(&line);
	}
}

static void write_config(struct json_writer *w, const struct reader_config *c)
{
	json_write_begin(w, "config", '{');
	for (size_t i = 0; i < c->n; i++)
		json_write_value(w, c->list[i].name, c->list[i].value);
	json_write_end(w, '}');
}

/* Writes what the library takes: a row of the file, else its own default. */
static enum asc_status answer(const struct question *q, struct reader_table *t,
			      struct json_writer *w, struct asc_err *e)
{
	const struct reader_ops *r = q->reader;
	struct buf name = {0}, path = {0}, text = {0}, key = {0};
	size_t found = READER_OWN;
	enum asc_status status = reader_check_problem(r, &q->problem, e);

	if (status == ASC_OK)
		status = r->name_file(&q->problem, q->triton, &name, e);
	if (status == ASC_OK)
		status = r->print_key(r, &q->problem, &key, e);
	if (status == ASC_OK) {
		json_write_string(w, "file", buf_str(&name));
		buf_print(&path, "%s/%s", q->folder, buf_str(&name));
		status = buf_check(&path, e);
	}
	if (status == ASC_OK && file_read(buf_str(&path), 0, &text, e) == ASC_OK) {
		status = r->read(buf_str(&path), &text, t, e);
		found = status == ASC_OK ? r->find(t, buf_str(&key)) : READER_OWN;
	}
	if (status == ASC_OK && found == READER_OWN) {
		struct reader_config own = {0};

		json_write_string(w, "by", "own");
		if (r->find_default && r->find_default(&q->problem, &own))
			write_config(w, &own);
	} else if (status == ASC_OK) {
		const struct reader_row *row = &t->rows[found];

		json_write_string(w, "by", row->key ? "row" : "rest");
		json_write_bool(w, "exact", row->key && strcmp(row->key, buf_str(&key)) == 0);
		write_config(w, &row->config);
	}
	buf_fini(&name);
	buf_fini(&path);
	buf_fini(&text);
	buf_fini(&key);
	return status;
}

/* Asks the library of the questions, which are of one reader. */
static enum asc_status ask(struct question *const *list, size_t n, struct reader_answers *told,
			   struct asc_err *e)
{
	struct reader_problem *problems = calloc(n, sizeof *problems);
	struct reader_asking a = {.library = list[0]->reader->library, .list = problems, .n = n};

	if (!problems)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		problems[i] = list[i]->problem;
	const enum asc_status status = reader_ask(&a, told, e);

	for (size_t i = 0; i < n; i++)
		list[i]->problem.told = problems[i].told;
	free(problems);
	return status;
}

static void print_answer(const struct question *q)
{
	struct reader_table t = {0};
	struct buf out = {0};
	struct json_writer w = {&out, false};
	struct asc_err e;

	json_write_begin(&w, NULL, '{');
	if (answer(q, &t, &w, &e)) {
		json_write_string(&w, "by", "refused");
		json_write_string(&w, "reason", e.text);
	}
	json_write_end(&w, '}');
	(void)puts(buf_str(&out));
	buf_fini(&out);
	reader_table_fini(&t);
}

int main(void)
{
	struct reader_answers told = {0};
	struct question **list = NULL;
	char **lines = NULL;
	size_t n = 0, room = 0, n_lines = 0, lines_room = 0, line_room = 0;
	char *line = NULL;
	struct asc_err e;

	for (ssize_t length; (length = getline(&line, &line_room, stdin)) > 0; line = NULL) {
		struct question *q = malloc(sizeof *q);

		if (!q || !array_room(&list, n, &room, sizeof *list) ||
		    !array_room(&lines, n_lines, &lines_room, sizeof *lines))
			return 2;
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		lines[n_lines++] = line;
		list[n++] = q;
		parse(line, q);
		line_room = 0;
	}
	if (n > 0 && list[0]->reader->asks && ask(list, n, &told, &e)) {
		(void)fprintf(stderr, "reader_answers: %s\n", e.text);
		return 2;
	}
	for (size_t i = 0; i < n; i++) {
		print_answer(list[i]);
		free(list[i]);
		free(lines[i]);
	}
	free(line);
	free(lines);
	free(list);
	reader_answers_fini(&told);
	return 0;
}
