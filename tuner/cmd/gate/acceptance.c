#include "tuner/cmd/gate/acceptance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"

enum {
	TEXT_BYTES = 1 << 20, /* of messages, or of a file; what is longer is said */
	ID_SHOWN = 12
};

static const char key[] = "Slower-kernels:", blanks[] = " \t\r\v\f";

/* ---- lines ---- */

/* Adds a line of others: without blanks at its ends, and without what a terminal would obey. */
static enum asc_status add_line(struct acceptances *a, const char *line, size_t n, const char *by,
				struct asc_err *e)
{
	static const struct escape list[] = {{'\t', " "}, {'\r', " "}, {'\n', " "}, {0, NULL}};
	char *plain = NULL;
	struct buf shown = {0}, cut = {0};

	while (n > 0 && strchr(blanks, *line))
		line++, n--;
	while (n > 0 && strchr(blanks, line[n - 1]))
		n--;
	if (n == 0)
		return ASC_OK;
	if (a->n == ACCEPTANCES_MOST) {
		if (!a->full)
			log_print(LOG_WARN, "%s: only the first %d acceptances are read", by,
				  ACCEPTANCES_MOST);
		a->full = true;
		return ASC_OK;
	}
	plain = str_print("%.*s", (int)(n < TEXT_BYTES ? n : TEXT_BYTES), line);
	if (plain)
		(void)escape_add(&shown, plain, ACCEPTANCE_BYTES + 1, list);
	buf_add_cut(&cut, buf_str(&shown), ACCEPTANCE_BYTES);
	enum asc_status status = plain && array_room(&a->list, a->n, &a->room, sizeof *a->list)
					 ? buf_check(&shown, e)
					 : asc_err_nomem(e);

	if (status == ASC_OK)
		status = buf_check(&cut, e);
	if (status == ASC_OK) {
		struct acceptance *x = &a->list[a->n++];

		*x = (struct acceptance){.text = buf_take(&cut)};
		snprintf(x->by, sizeof x->by, "%s", by);
	}
	buf_fini(&shown);
	buf_fini(&cut);
	free(plain);
	return status;
}

enum asc_status acceptances_add_lines(struct acceptances *a, const char *text, const char *by,
				      struct asc_err *e)
{
	for (; *text; text += *text == '\n') {
		const size_t n = strcspn(text, "\n");

		if (text[strspn(text, blanks)] != '#' && add_line(a, text, n, by, e))
			return e->status;
		text += n;
	}
	return ASC_OK;
}

enum asc_status acceptances_add_message(struct acceptances *a, const char *message, const char *by,
					struct asc_err *e)
{
	while (*message) {
		const char *value = message + sizeof key - 1, *end = message;
		const bool says = strncasecmp(message, key, sizeof key - 1) == 0;

		do { /* a line, and those that go on with it */
			end += strcspn(end, "\n");
			end += *end == '\n';
		} while (says && (*end == ' ' || *end == '\t'));
		if (says && add_line(a, value, (size_t)(end - value) - (end[-1] == '\n'), by, e))
			return e->status;
		message = end;
	}
	return ASC_OK;
}

bool acceptances_has(const struct acceptances *a, const char *text)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->list[i].text, text) == 0)
			return true;
	return false;
}

void acceptances_fini(struct acceptances *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->list[i].text);
	free(a->list);
	*a = (struct acceptances){.list = NULL};
}

/* ---- names ---- */

/* Passes over a word and what separates it from the next one; NULL: the text does not begin with
 * it. */
static const char *skip_word(const char *text, const char *word)
{
	static const char separators[] = " :,\t";
	const size_t n = strlen(word);

	if (strncmp(text, word, n) != 0 || (text[n] && !strchr(separators, text[n])))
		return NULL;
	return text + n + strspn(text + n, separators);
}

enum kernel_named kernel_find_named(const char *line, const char *workload, const char *problem,
				    const char *implementation, const char **rest)
{
	const size_t n = strlen(workload);
	const char *behind = strncmp(line, workload, n) == 0 && line[n] == '/'
				     ? skip_word(line + n + 1, problem)
				     : NULL;
	const char *last = behind ? skip_word(behind, implementation) : NULL;

	if (rest)
		*rest = last ? last : behind;
	return last ? KERNEL_NAMED : behind ? KERNEL_OF_PROBLEM : KERNEL_NOT_NAMED;
}

bool kernel_is_named_best(const char *line, kernel_names_fn *names_of, const void *list, size_t n,
			  size_t k, const char **rest)
{
	const struct kernel_names own = names_of(list, k);
	const enum kernel_named how =
		kernel_find_named(line, own.workload, own.problem, own.implementation, rest);

	for (size_t i = 0; how == KERNEL_OF_PROBLEM && i < n; i++) {
		const struct kernel_names x = names_of(list, i);

		if (kernel_find_named(line, x.workload, x.problem, x.implementation, NULL) > how)
			return false;
	}
	return how != KERNEL_NOT_NAMED;
}

/* ---- git, and files ---- */

static void warn_of_length(const char *what)
{
	log_print(LOG_WARN, "%s: longer than %d MiB: what is behind accepts nothing", what,
		  TEXT_BYTES >> 20);
}

enum asc_status acceptances_read_commits(struct acceptances *a, const struct git_repository *r,
					 const char *const *which, struct asc_err *e)
{
	/* A commit that is asked for: "commit ID", its message, NUL. */
	const char *words[16] = {"rev-list", "--format=%B%x00"};
	const struct git_question q = {.words = words, .most = TEXT_BYTES};
	struct buf answer = {0};
	size_t n = 2;

	while (*which && n + 1 < sizeof words / sizeof *words)
		words[n++] = *which++;
	const int asked = git_ask(r, &q, &answer);
	enum asc_status status = git_check_answer(asked, &answer, e);
	const char *at = buf_str(&answer), *end = at + answer.len;

	if (status == ASC_OK && answer.len >= TEXT_BYTES)
		warn_of_length("messages of commits");
	for (; status == ASC_OK && at < end; at += strlen(at) + 1) {
		char by[ACCEPTANCE_BY];

		at += *at == '\n';
		snprintf(by, sizeof by, "%.*s", (int)sizeof "commit" + ID_SHOWN, at);
		status = acceptances_add_message(a, at, by, e);
	}
	buf_fini(&answer);
	return status;
}

/* A text of no known length ends where its bytes do, or at a NUL. */
static enum asc_status add_file(struct acceptances *a, const struct buf *text, struct asc_err *e)
{
	static const char byte_order[] = "\xef\xbb\xbf"; /* some editors begin files with it */
	const char *lines = buf_str(text);

	if (text->len >= TEXT_BYTES)
		warn_of_length(ACCEPTANCE_FILE);
	if (strncmp(lines, byte_order, sizeof byte_order - 1) == 0)
		lines += sizeof byte_order - 1;
	return acceptances_add_lines(a, lines, ACCEPTANCE_FILE, e);
}

enum asc_status acceptances_read_tree(struct acceptances *a, const struct git_repository *r,
				      const char *commit, struct asc_err *e)
{
	char *object = str_print("%s:%s", commit, ACCEPTANCE_FILE);
	const char *const words[] = {"cat-file", "blob", object, NULL};
	const struct git_question q = {.words = words, .most = TEXT_BYTES};
	struct buf text = {0};
	const int asked = object ? git_ask(r, &q, &text) : -1;
	enum asc_status status = object ? git_check_answer(asked, &text, e) : asc_err_nomem(e);

	if (status == ASC_OK && asked == 0)
		status = add_file(a, &text, e);
	buf_fini(&text);
	free(object);
	return status;
}

enum asc_status acceptances_read_working(struct acceptances *a, const struct git_repository *r,
					 struct asc_err *e)
{
	char *path = path_join(r->root, ACCEPTANCE_FILE);
	struct buf text = {0};
	struct stat st;
	enum asc_status status = path ? ASC_OK : asc_err_nomem(e);

	/* A link may lead to what nobody is to see: its lines would be shown as accepting nothing.
	 */
	if (path && lstat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			log_print(LOG_WARN, "%s: no plain file: it accepts nothing", path);
		else if (file_read(path, TEXT_BYTES, &text, e) == ASC_OK)
			status = add_file(a, &text, e);
		else if (e->status == ASC_NOMEM)
			status = e->status;
		else
			log_print(LOG_WARN, "%s: it accepts nothing", e->text);
	}
	buf_fini(&text);
	free(path);
	return status;
}
