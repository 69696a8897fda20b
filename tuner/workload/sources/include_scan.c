#include "tuner/workload/sources/include_scan.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "tuner/base/buf.h"

static const char blanks[] = " \t\v\f\r";

#define WORDS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

enum { LONGEST_DELIMITER = 16 /* of a raw string, C++17 [lex.string] */ };

/* ---- the text without comments and with whole lines ---- */

/* Length of a line continuation at `at`, a backslash and a line's end; 0: none. */
static size_t join_length(const char *at)
{
	size_t n = 0;

	if (at[0] == '\\')
		n = 1;
	else if (strncmp(at, "?\?/", 3) == 0)
		n = 3;
	if (n == 0)
		return 0;
	/* GCC joins lines with blanks behind the backslash, too. */
	size_t end = n + strspn(at + n, blanks);
	return at[end] == '\n' ? end + 1 : 0;
}

/* Text after '#', or a digraph of it, at the beginning of a line; else NULL. */
static const char *skip_hash(const char *line)
{
	static const char *const hashes[] = {"#", "%:", "?\?=", NULL};

	line += strspn(line, blanks);
	for (size_t i = 0; hashes[i]; i++)
		if (strncmp(line, hashes[i], strlen(hashes[i])) == 0) {
			line += strlen(hashes[i]);
			return line + strspn(line, blanks);
		}
	return NULL;
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_')
		n++;
	return n;
}

static bool is_include(const char *word, size_t n)
{
	static const char *const names[] = {"include", "import", "include_next", "embed", NULL};
	/* #import and #include_next are extensions, #embed is C23: a compiler that knows none of
	 * them reads less. */
	size_t i = 0;

	while (names[i] && (strlen(names[i]) != n || strncmp(names[i], word, n) != 0))
		i++;
	return names[i] != NULL;
}

/* True when '<' begins the name of a file, in a line that was read up to `line`. */
static bool expects_name(const char *line)
{
	/* Elsewhere '<' is an operator, and what follows it is no literal. */
	const char *word = skip_hash(line);
	size_t n = word ? word_length(word) : 0;

	return word && is_include(word, n) && word[n + strspn(word + n, blanks)] == '\0';
}

/* Length of a comment without its line's end; 0: none. */
static size_t comment_length(const char *at)
{
	if (at[0] != '/' || (at[1] != '/' && at[1] != '*'))
		return 0;
	if (at[1] == '/')
		return strcspn(at, "\n");
	const char *end = strstr(at + 2, "*/");
	/* A comment without an end takes the rest of the text, as compilers say in their error. */
	return end ? (size_t)(end + 2 - at) : strlen(at);
}

/* Length of a literal, which ends with its line at the latest. */
static size_t literal_length(const char *at, char end)
{
	size_t n = 1;

	/* A quote that stays open, as an apostrophe in skipped text does, must not swallow the
	 * lines behind it. */
	while (at[n] && at[n] != '\n' && at[n] != end)
		n += at[n] == '\\' && at[n + 1] && at[n + 1] != '\n' ? 2 : 1;
	return at[n] == end ? n + 1 : n;
}

/* True when a quote behind `text`, of `n` bytes, opens a raw string of C++ (or of GNU's C). */
static bool expects_raw(const char *text, size_t n)
{
	static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R", NULL};
	size_t begin = n, i = 0;

	while (begin > 0 && (isalnum((unsigned char)text[begin - 1]) || text[begin - 1] == '_'))
		begin--;
	while (prefixes[i] && (strlen(prefixes[i]) != n - begin ||
			       strncmp(prefixes[i], text + begin, n - begin) != 0))
		i++;
	return prefixes[i] != NULL;
}

/* Length of the raw string whose quote is at `at`, R"x(...)x"; 0: none, or it has no end. */
static size_t raw_length(const char *at)
{
	const size_t n = strcspn(at + 1, "( )\\\t\v\f\r\n\"");
	const char *end = at + 1 + n;

	/* Not the beginning of a raw string: the quote is read as a plain literal's. */
	if (*end != '(' || n > LONGEST_DELIMITER)
		return 0;
	while ((end = strchr(end + 1, ')')) != NULL)
		if (strncmp(end + 1, at + 1, n) == 0 && end[1 + n] == '"')
			return (size_t)(end + n + 2 - at);
	return 0;
}

static void drop_comments(const char *text, bool has_raw, struct buf *out)
{
	size_t line = 0;

	while (*text && !out->failed) {
		size_t n = comment_length(text);
		if (n) {
			/* A comment is one blank: two words with a comment between them stay
			 * two. */
			buf_add_char(out, ' ');
			text += n;
			continue;
		}
		/* Before plain literals: a raw string may hold quotes, and lines that look like
		 * directives. */
		if (has_raw && *text == '"' && expects_raw(out->data, out->len) &&
		    (n = raw_length(text)) > 0) {
			/* The text counts as one line: none of its lines is one of the program. */
			for (; n > 0; n--, text++)
				buf_add_char(out, (char)(*text == '\n' ? ' ' : *text));
			continue;
		}
		if (*text == '"' || *text == '\'')
			n = literal_length(text, *text);
		else if (*text == '<' && expects_name(buf_str(out) + line))
			n = literal_length(text, '>');
		else if (*text == '\n')
			n = 1;
		else /* up to what may begin something else, or end the line */
			n = 1 + strcspn(text + 1, "/\"'<\n");
		buf_add(out, text, n);
		if (text[n - 1] == '\n')
			line = out->len;
		text += n;
	}
}

/* ---- words ---- */

static void add_word(enum include_word kind, const char *text, size_t n, struct buf *words)
{
	buf_add_char(words, (char)kind);
	buf_add(words, text, n);
	buf_add_char(words, '\0');
}

/* Length of the text between quotes or angle brackets at `at`; 0: none. */
static size_t name_length(const char *at)
{
	const char end[] = {(char)(*at == '<' ? '>' : '"'), '\n', '\0'};

	if (*at != '<' && *at != '"')
		return 0;
	size_t n = strcspn(at + 1, end);
	return at[1 + n] == end[0] ? n : 0;
}

bool include_climbs(const char *name, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (name[i] == '.' && name[i + 1] == '.' && (i == 0 || name[i - 1] == '/') &&
		    (i + 2 == n || name[i + 2] == '/'))
			return true;
	return false;
}

static void scan_include(const char *at, struct buf *words)
{
	size_t n = name_length(at);

	if (n) {
		const bool climbs = *at == '<' && include_climbs(at + 1, n);
		add_word(climbs ? INCLUDE_CLIMB : INCLUDE_NAME, at + 1, n, words);
		return;
	}
	/* A name alone is a macro; anything else is an expression that only a compiler can
	 * evaluate. */
	n = word_length(at);
	bool alone = at[n + strspn(at + n, blanks)] == '\0';
	add_word(n && alone ? INCLUDE_MACRO : INCLUDE_OPAQUE, at, n, words);
}

void include_scan_define(const char *name, int n, const char *value, struct buf *words)
{
	value += strspn(value, blanks);
	size_t length = strcspn(value, "\n");

	bool wanted =
		*value == '"' || *value == '<' || *value == '_' || isalpha((unsigned char)*value);

	if (n == 0 || !wanted)
		return;
	/* Values that are numbers or operators name no file: headers define thousands of them. */
	buf_print(words, "%c%.*s=", INCLUDE_DEFINE, n, name);
	buf_add(words, value, length);
	buf_add_char(words, '\0');
}

/* Adds the name after `word`, anywhere in the line: __has_include("x"), ".incbin \"x\"". */
static void scan_names_behind(const char *line, const char *word, const char *open,
			      enum include_word kind, struct buf *words)
{
	for (const char *at = line; (at = strstr(at, word));) {
		at += strlen(word);
		/* The rest of the word: __has_include_next as well. */
		at += word_length(at);
		at += strspn(at, open);
		size_t n = strcspn(at, "\">\\");
		if (n)
			add_word(kind, at, n, words);
	}
}

static void scan_line(const char *line, struct buf *words)
{
	const char *word = skip_hash(line);
	size_t n = word ? word_length(word) : 0;
	const char *rest = word ? word + n + strspn(word + n, blanks) : NULL;

	if (word && is_include(word, n)) {
		scan_include(rest, words);
	} else if (word && n == strlen("define") && strncmp(word, "define", n) == 0) {
		/* A macro with parameters cannot name a file alone. */
		const size_t length = word_length(rest);
		if (rest[length] != '(')
			include_scan_define(rest, (int)length, rest + length, words);
	}
	/* Anywhere in the line: __has_include stands in conditions, .incbin in the text of an
	 * asm. */
	scan_names_behind(line, "__has_include", " \t(\"<", INCLUDE_NAME, words);
	scan_names_behind(line, ".incbin", " \t\\\"", INCLUDE_BYTES, words);
	scan_names_behind(line, ".include", " \t\\\"", INCLUDE_BYTES, words);
}

static void scan_lines(const char *whole, bool has_raw, struct buf *words)
{
	struct buf plain = {0};

	drop_comments(whole, has_raw, &plain);
	words->failed = words->failed || plain.failed;
	for (char *line = plain.data; line && *line && !words->failed;) {
		size_t n = strcspn(line, "\n");
		/* Cut at its end in place, for functions that search the line alone. */
		char *next = line + n + (line[n] == '\n');
		line[n] = '\0';
		scan_line(line, words);
		line = next;
	}
	buf_fini(&plain);
}

/* True for a text that ends where its bytes do, and whose lines end with a line feed. */
static bool is_plain(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\0' || (text[i] == '\r' && text[i + 1] != '\n'))
			return false;
	return true;
}

/* Reads a text with R"..." both ways: language and dialect decide whether that is one string. */
void include_scan(const char *text, size_t n, struct buf *words)
{
	static const char byte_order[] = "\xef\xbb\xbf"; /* compilers skip it, too */
	struct buf whole = {0};

	/* Opaque, but read all the same: its names count in addition to everything below the
	 * folders. */
	if (!is_plain(text, n))
		add_word(INCLUDE_OPAQUE, "", 0, words);
	if (strncmp(text, byte_order, sizeof byte_order - 1) == 0)
		text += sizeof byte_order - 1;
	/* Lines are joined before comments are dropped: that is the order of C's translation
	 * phases. */
	while (*text) {
		const size_t joined = join_length(text);
		const size_t plain = joined ? 0 : 1 + strcspn(text + 1, "\\?");

		buf_add(&whole, text, plain);
		text += joined + plain;
	}
	words->failed = words->failed || whole.failed;
	scan_lines(buf_str(&whole), false, words);
	/* Most texts have none, and are read once. */
	if (strstr(buf_str(&whole), "R\""))
		scan_lines(buf_str(&whole), true, words);
	buf_fini(&whole);
}

/* ---- Python ---- */

/* Extends a path by the dotted name of a module, and adds the files that it may be: its packages
 * and a file. Returns what follows the name. */
static const char *add_module(struct buf *path, const char *name, struct buf *words)
{
	for (bool more = true; more;) {
		const size_t n = word_length(name);

		buf_add(path, name, n);
		name += n;
		buf_print(words, "%c%s/__init__.py", INCLUDE_IMPORT, buf_str(path));
		buf_add_char(words, '\0');
		more = n > 0 && *name == '.';
		if (more)
			buf_add_char(path, '/'), name++;
	}
	buf_print(words, "%c%s.py", INCLUDE_IMPORT, buf_str(path));
	buf_add_char(words, '\0');
	return name;
}

/* Adds each name up to the end of a statement or line: `as` and what follows it, too. */
static void add_modules(const char *folder, const char *line, struct buf *words)
{
	static const char ends[] = "\n;#" WORDS;
	struct buf path = {0};

	for (line += strcspn(line, ends); word_length(line); line += strcspn(line, ends)) {
		buf_clear(&path);
		buf_add_str(&path, folder);
		line = add_module(&path, line, words);
	}
	words->failed = words->failed || path.failed;
	buf_fini(&path);
}

static bool begins_with_word(const char *line, const char *word)
{
	return word_length(line) == strlen(word) && strncmp(line, word, strlen(word)) == 0;
}

/* Adds the files of `from MODULE import NAMES`: `line` begins behind "from". */
static void scan_from(const char *line, struct buf *words)
{
	struct buf path = {0};

	line += strspn(line, blanks);
	/* One dot is the text's own folder, as none is, each further one the folder around it. */
	for (size_t dots = 0; *line == '.'; line++)
		if (dots++ > 0)
			buf_add_str(&path, "../");
	line += strspn(line, blanks);
	if (begins_with_word(line, "import")) {
		buf_print(words, "%c%s__init__.py", INCLUDE_IMPORT, buf_str(&path));
		buf_add_char(words, '\0');
	} else if (word_length(line)) {
		line = add_module(&path, line, words);
		buf_add_char(&path, '/');
		line += strspn(line, blanks);
	}
	if (begins_with_word(line, "import"))
		add_modules(buf_str(&path), line + strlen("import"), words);
	words->failed = words->failed || path.failed;
	buf_fini(&path);
}

void import_scan(const char *text, struct buf *words)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		const char *line = text + strspn(text, blanks);

		if (begins_with_word(line, "from"))
			scan_from(line + strlen("from"), words);
		else if (begins_with_word(line, "import"))
			add_modules("", line + strlen("import"), words);
	}
}
