#include "tuner/cmd/terminal/prose.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tuner/base/columns.h"
#include "tuner/result/setting.h"

enum {
	LEAST_COLUMNS =
		20, /* a narrower terminal breaks our lines, rather than each of our words */
	ESCAPE = '\033',
	MOST_SAID = 16384 /* of one paragraph: a compiler's log has no end */
};

static bool lost;

size_t prose_columns(FILE *to)
{
	const char *wanted = getenv("COLUMNS");
	struct winsize size = {0};
	const long columns = wanted ? strtol(wanted, NULL, 10) : 0;

	if (columns > 0) /* a shell's variable is rather of the user than of the terminal */
		return (size_t)columns;
	return ioctl(fileno(to), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void prose_open(struct prose *p, FILE *to)
{
	const size_t columns = prose_columns(to);

	*p = (struct prose){.to = to, .color = ink_wanted(to)};
	if (columns > 0)
		p->columns = columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns;
}

void prose_close(struct prose *p)
{
	lost |= p->text.failed;
	buf_fini(&p->text);
}

bool prose_was_lost(void)
{
	return lost;
}

void prose_put(struct prose *p, enum ink ink, const char *format, ...)
{
	const bool inked = p->color && ink != INK_PLAIN;
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	p->text.failed |= !text;
	if (!text)
		return;
	/* Each put ends its ink: a line may be broken between any two. */
	buf_add_str(&p->text, inked ? ink_begin(ink) : "");
	columns_add(&p->text, text, SIZE_MAX, true);
	buf_add_str(&p->text, inked ? INK_END : "");
	free(text);
}

/* ---- lines ---- */

/* Bytes of the escape sequence at the beginning of a text; 0: there is none. */
static size_t escape_length(const char *text)
{
	if (*text != ESCAPE)
		return 0;
	const size_t n = strcspn(text, "m");

	return n + (text[n] == 'm');
}

/* Columns of the first `n` bytes, of whole characters. */
static size_t width_of(const char *text, size_t n)
{
	struct buf plain = {0};

	for (size_t i = 0; i < n;) {
		const size_t escape = escape_length(text + i);

		if (!escape)
			buf_add(&plain, text + i, 1);
		i += escape ? escape : 1;
	}
	const size_t width = columns_count(buf_str(&plain));

	buf_fini(&plain);
	return width;
}

/* True for the blank between a number and its unit. */
static bool is_before_unit(const char *text, size_t blank)
{
	static const char *const units[] = {"%", "ns", "us", "ms", "s", "min", "MHz"};
	const size_t n = strcspn(text + blank + 1, " ,;:).\033");

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strlen(units[i]) == n && strncmp(text + blank + 1, units[i], n) == 0)
			return blank > 0 && text[blank - 1] >= '0' && text[blank - 1] <= '9';
	return false;
}

/* Bytes up to the next blank that a line may be broken at. A command's quoted blanks are none, and
 * what a backslash stands before begins no quotes. */
static size_t word_length(const char *text, bool command)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && (quoted || text[n] != ' ' || is_before_unit(text, n)); n++) {
		quoted ^= command && text[n] == '\'';
		n += command && !quoted && text[n] == '\\' && text[n + 1];
	}
	return n;
}

/* Bytes of a word's beginning that has at most `room` columns: up to a comma or slash where one is
 * there, else whole characters, at least one. */
static size_t part_of_word(const char *word, size_t n, size_t room)
{
	size_t any = 0, good = 0;

	for (size_t i = 0; i < n;) {
		const size_t escape = escape_length(word + i);
		size_t next = i + (escape ? escape : 1);

		while (next < n && ((unsigned char)word[next] & 0xC0U) == 0x80U)
			next++;
		if (width_of(word, next) > room && any > 0)
			break;
		any = next;
		good = !escape && strchr(",/", word[i]) ? next : good;
		i = next;
	}
	return good ? good : any;
}

/* Bytes of the next line of at most `room` columns; `room` 0: all. `fresh`: the line has nothing
 * but its indent, so that a word that is too long is broken. */
static size_t line_length(const char *text, size_t room, bool command)
{
	size_t n = strspn(text, " ");

	if (room == 0) { /* all, without the blanks at its end */
		n = strlen(text);
		while (n > 0 && text[n - 1] == ' ')
			n--;
		return n;
	}
	n += word_length(text + n, command);
	/* A command's word is pasted into a shell: it is too long rather than broken. */
	if (width_of(text, n) > room)
		return command ? n : part_of_word(text, n, room);
	for (;;) {
		const size_t blanks = strspn(text + n, " ");
		const size_t next = n + blanks + word_length(text + n + blanks, command);
		const size_t end = command && text[next] ? 2 : 0; /* " \" */

		if (!text[n + blanks] || width_of(text, next) + end > room)
			return n;
		n = next;
	}
}

static void print_lines(struct prose *p, size_t hang, bool command)
{
	const char *at = buf_str(&p->text);
	size_t indent = 0;

	lost |= p->text.failed;
	/* At least half of the least width is for text. */
	if (p->columns && hang + LEAST_COLUMNS / 2 > p->columns)
		hang = 0;
	for (bool first = true; first || *at; first = false) {
		const size_t n = line_length(at, p->columns ? p->columns - indent : 0, command);

		fprintf(p->to, "%*s%.*s", (int)indent, "", (int)n, at);
		at += n + strspn(at + n, " ");
		fputs(command && *at ? " \\\n" : "\n", p->to);
		p->lines++;
		indent = hang;
	}
	buf_clear(&p->text);
}

void prose_pad(struct prose *p, size_t column, size_t least)
{
	const size_t width = width_of(buf_str(&p->text), p->text.len);

	buf_print(&p->text, "%*s", (int)(width + least < column ? column - width : least), "");
}

bool prose_has_room(const struct prose *p, size_t more)
{
	return !p->columns || width_of(buf_str(&p->text), p->text.len) + more <= p->columns;
}

void prose_end(struct prose *p, size_t hang)
{
	print_lines(p, hang, false);
}

void prose_end_command(struct prose *p, size_t hang)
{
	print_lines(p, hang, true);
}

static void print_paragraph(FILE *to, size_t hang, const char *text, size_t n)
{
	struct prose p;

	prose_open(&p, to);
	prose_put(&p, INK_PLAIN, "%.*s", (int)n, text);
	if (p.text.failed) { /* as it is, for want of memory, but without control characters */
		for (size_t i = 0; i < n; i++)
			fputc((unsigned char)text[i] < ' ' ? '?' : text[i], to);
		fputc('\n', to);
	} else {
		prose_end(&p, hang);
	}
	buf_fini(&p.text);
}

void prose_print(FILE *to, size_t hang, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");

		print_paragraph(to, hang, text, n);
		text += n + (text[n] == '\n');
	}
}

void prose_say(FILE *to, size_t hang, const char *format, ...)
{
	char text[MOST_SAID];
	va_list args;

	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	print_paragraph(to, hang, text, strlen(text));
}

/* ---- configurations ---- */

void prose_put_config(struct prose *p, const char *config, const char *other)
{
	struct setting s;

	for (const char *at = config; setting_next(&at, &s);) {
		const bool same = !other || setting_is_in(&s, other);

		prose_put(p, INK_PLAIN, "%s%.*s=", s.name == config ? "" : " ", (int)s.name_len,
			  s.name);
		prose_put(p, same ? INK_PLAIN : INK_STRONG, "%.*s", (int)s.value_len, s.value);
	}
}

void prose_put_common(struct prose *p, size_t of, const struct setting *list, size_t n)
{
	prose_put(p, INK_PLAIN, "%s have", of == 2 ? "both" : "all");
	for (size_t i = 0; i < n; i++)
		prose_put(p, INK_PLAIN, " %.*s=%.*s", (int)list[i].name_len, list[i].name,
			  (int)list[i].value_len, list[i].value);
}
