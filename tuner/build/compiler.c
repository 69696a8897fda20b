#include "tuner/build/compiler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/build/builder.h"
#include "tuner/process/guard.h"
#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

#define ANSWER_LIMIT_NS INT64_C(10000000000)

enum { ANSWER_BYTES = 65536 };

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* Adds the path of a program; false: there is none. Without memory the command has failed. */
static bool add_program(struct build_command *c, const char *name)
{
	char *path = proc_find(name);

	if (path)
		build_command_add(c, "%s", path);
	else if (errno == ENOMEM)
		asc_err_nomem(&c->failure);
	free(path);
	return path != NULL || c->failure.status == ASC_NOMEM;
}

static void add_setting(struct build_command *c, const char *setting)
{
	char *text = str_dup(setting), *rest = NULL;
	const char *word = text ? strtok_r(text, " ", &rest) : NULL;

	if (!text)
		asc_err_nomem(&c->failure);
	else if (!add_program(c, word))
		asc_err_set(&c->failure, ASC_ABSENT, "CC=%s: there is no program %s", setting,
			    word);
	else
		while ((word = strtok_r(NULL, " ", &rest)) != NULL)
			build_command_add(c, "%s", word);
	free(text);
}

void compiler_add(struct build_command *c)
{
	static const char *const names[] = {"cc", "gcc", "clang", NULL};
	const char *setting = environment("CC");
	size_t i = 0;

	if (setting[strspn(setting, " ")]) {
		add_setting(c, setting);
		return;
	}
	while (names[i] && !add_program(c, names[i]))
		i++;
	if (!names[i])
		asc_err_set(&c->failure, ASC_ABSENT,
			    "no C compiler in PATH (looked for cc, gcc, clang)");
}

/* Runs a compiler in a folder of its own, which compilers that are scripts may need; without one
 * where none can be made. */
static enum asc_status run(const char *const *argv, struct buf *out, int *status, struct asc_err *e)
{
	char *folder = NULL;

	if (dir_make_scratch("asctune-ask", &folder, e) == ASC_OK)
		guard_add_folder(folder);
	enum asc_status s = proc_run(argv, &(struct sandbox){.own = folder}, ANSWER_LIMIT_NS,
				     ANSWER_BYTES, out, status, e);
	dir_remove(folder);
	free(folder);
	return s;
}

/* Runs the compiler with the words of `question`; its words are in `out`. */
static enum asc_status ask(struct build_command *c, const char *const *question, struct buf *out,
			   struct asc_err *e)
{
	char text[80], more[SANDBOX_EXPLANATION];
	int status = 0;
	/* A `char **` does not convert to `const char *const *` by itself, in C. */
	const char *argv[BUILD_MAX_ARGV] = {0};

	compiler_add(c);
	build_command_add_list(c, question);
	enum asc_status s = build_command_check(c, e);
	for (size_t i = 0; i < c->argc; i++)
		argv[i] = c->argv[i];
	/* A compiler that was killed is asked again. */
	for (int tries = 0; s == ASC_OK && (tries == 0 || (tries < 3 && WIFSIGNALED(status)));
	     tries++) {
		buf_clear(out);
		s = run(argv, out, &status, e);
	}
	if (s || status == 0)
		return s;
	return asc_err_set(e, ASC_CHILD, "%s %s %s%s%.*s%s", c->argv[0], c->argv[c->argc - 1],
			   proc_print_status(status, text, sizeof text), out->len ? ": " : "",
			   (int)strcspn(buf_str(out), "\n"), buf_str(out),
			   sandbox_explain(buf_str(out), more, sizeof more));
}

/* Appends the words of the command and the first line of what it says to `--version`. */
static enum asc_status ask_identity(struct buf *out, struct asc_err *e)
{
	static const char *const question[] = {"--version", NULL};
	struct build_command c;
	struct buf words = {0};

	build_command_init(&c);
	enum asc_status s = ask(&c, question, &words, e);
	for (size_t i = 0; i + 1 < c.argc && s == ASC_OK; i++)
		buf_print(out, "%s ", c.argv[i]);
	if (s == ASC_OK)
		buf_add(out, buf_str(&words), strcspn(buf_str(&words), "\n"));
	buf_fini(&words);
	build_command_fini(&c);
	return s;
}

/* Appends the lines, each ` FOLDER`, that gcc and clang print of where they look for headers. */
static enum asc_status ask_folders(struct buf *out, struct asc_err *e)
{
	static const char *const question[] = {"-E", "-v", "-x", "c", "/dev/null", NULL};
	struct build_command c;
	struct buf words = {0};

	build_command_init(&c);
	enum asc_status s = ask(&c, question, &words, e);
	const char *list = s ? NULL : strstr(buf_str(&words), "search starts here:\n");
	for (const char *line = list ? strchr(list, '\n') + 1 : ""; *line;) {
		size_t n = strcspn(line, "\n");
		if (*line == ' ')
			buf_print(out, "%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
		if (strncmp(line, "End of", 6) == 0)
			break;
	}
	buf_fini(&words);
	build_command_fini(&c);
	return s;
}

/* The last answer of a kind and what it depends on: 200 configurations ask the same. */
struct answer {
	char *asked, *text;
};

static enum asc_status answer_add(struct answer *a,
				  enum asc_status (*find)(struct buf *out, struct asc_err *e),
				  struct buf *out, struct asc_err *e)
{
	char *asked = str_print("%s\n%s", environment("CC"), environment("PATH"));
	struct buf text = {0};

	if (!asked)
		return asc_err_nomem(e);
	if (a->asked && strcmp(a->asked, asked) == 0) {
		free(asked);
	} else {
		if (find(&text, e) || buf_check(&text, e)) {
			free(asked);
			buf_fini(&text);
			return e->status;
		}
		free(a->asked);
		free(a->text);
		*a = (struct answer){asked, buf_take(&text)};
	}
	buf_add_str(out, a->text ? a->text : "");
	return buf_check(out, e);
}

enum asc_status compiler_identity(struct buf *out, struct asc_err *e)
{
	static struct answer answer;

	return answer_add(&answer, ask_identity, out, e);
}

enum asc_status compiler_folders(struct buf *out, struct asc_err *e)
{
	static struct answer answer;

	return answer_add(&answer, ask_folders, out, e);
}
