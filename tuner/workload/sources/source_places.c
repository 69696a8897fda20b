
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/file.h"
#include "tuner/workload/sources/include_scan.h"

enum { MAX_NESTED = 8, MAX_BYTES = 1 << 20 };

static const char separators[] = " \t\r\n";

static void add_string(struct buf *list, const char *text)
{
	buf_add(list, text, strlen(text) + 1);
}

static void add_words(struct source_places *p, const char *text, int depth);

/* Adds the words of a file of flags, which are flags themselves. */
static void add_flags_of(struct source_places *p, const char *path, int depth)
{
	struct buf text = {0};
	struct asc_err e;

	/* A file that cannot be read adds nothing: the compiler will say so. */
	if (depth < MAX_NESTED && file_read(path, MAX_BYTES, &text, &e) == ASC_OK)
		add_words(p, buf_str(&text), depth + 1);
	buf_fini(&text);
}

static void add_path(struct source_places *p, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return;
	if (S_ISDIR(st.st_mode))
		add_string(&p->folders, path);
	else if (S_ISREG(st.st_mode))
		add_string(&p->files, path);
}

/* Adds the value of a flag: a path, or a header that is searched for like others. */
static void add_value(struct source_places *p, const char *value)
{
	if (!*value || *value == '-')
		return;
	add_path(p, value);
	/* The value of -include is found beside sources and in folders, like a name in a text. */
	buf_add_char(&p->words, INCLUDE_NAME);
	add_string(&p->words, value);
}

/* Adds a flag's value, which may be a word of its own or follow its flag at once, after '=' or
 * after ','. */
static void add_flag(struct source_places *p, const char *flag, int depth)
{
	static const char *const prefixes[] = {"-I",       "-isystem", "-iquote", "-idirafter",
					       "-include", "-imacros", NULL};

	/* A word of its own: the value of a flag in front of it, whatever that is. */
	add_value(p, flag);
	for (size_t i = 0; prefixes[i]; i++)
		if (strncmp(flag, prefixes[i], strlen(prefixes[i])) == 0)
			add_value(p, flag + strlen(prefixes[i]));
	/* -Wl,-T,script and --flag=path: each part may be a path. */
	for (const char *at = strpbrk(flag, "=,"); at; at = strpbrk(at + 1, "=,"))
		add_value(p, at + 1);
	/* -DNAME=VALUE, or NAME=VALUE behind a -D of its own. */
	const char *macro = strncmp(flag, "-D", 2) == 0 ? flag + 2 : flag;
	const size_t name = strcspn(macro, "=");
	if (macro[name] == '=')
		include_scan_define(macro, (int)name, macro + name + 1, &p->words);
	if (*flag != '@')
		return;
	add_path(p, flag + 1);
	add_flags_of(p, flag + 1, depth);
}

static void add_words(struct source_places *p, const char *text, int depth)
{
	char *copy = str_dup(text), *rest = NULL;

	if (!copy)
		p->words.failed = true;
	for (char *word = copy ? strtok_r(copy, separators, &rest) : NULL; word;
	     word = strtok_r(NULL, separators, &rest))
		add_flag(p, word, depth);
	free(copy);
}

/* Adds the folders of a list with colons; an empty one is the current folder. */
static void add_folders(struct source_places *p, const char *variable)
{
	const char *list = getenv(variable);

	while (list && *list) {
		size_t n = strcspn(list, ":");
		/* GCC and clang take an empty entry for the current folder. */
		buf_print(&p->folders, "%.*s", n ? (int)n : 1, n ? list : ".");
		buf_add_char(&p->folders, '\0');
		list += n + (list[n] == ':');
	}
}

void source_places_add(struct source_places *p, const char *const *flags)
{
	for (size_t i = 0; flags && flags[i]; i++)
		add_flag(p, flags[i], 0);
}

void source_places_add_environment(struct source_places *p)
{
	const char *compiler = getenv("CC");

	if (compiler) {
		/* The first word is the program; the others are flags of every call. */
		compiler += strspn(compiler, separators);
		add_words(p, compiler + strcspn(compiler, separators), 0);
	}
	add_folders(p, "CPATH");
	add_folders(p, "C_INCLUDE_PATH");
}

void source_places_fini(struct source_places *p)
{
	buf_fini(&p->folders);
	buf_fini(&p->words);
	buf_fini(&p->files);
}
