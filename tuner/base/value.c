#include "tuner/base/value.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/intern.h"

enum { NUMBER_MAX_LEN = 400 }; /* all digits of the largest double are 309 */

static const double two_63 = 9223372036854775808.0;

struct value value_int(int64_t i)
{
	return (struct value){.kind = VALUE_INT, .i = i};
}

struct value value_real(double r)
{
	return (struct value){.kind = VALUE_REAL, .r = r};
}

struct value value_bool(bool b)
{
	return (struct value){.kind = VALUE_BOOL, .i = b};
}

double value_as_real(struct value v)
{
	if (v.kind == VALUE_TEXT)
		return NAN;
	return v.kind == VALUE_REAL ? v.r : (double)v.i;
}

bool value_truth(struct value v)
{
	return v.kind == VALUE_TEXT || (v.kind == VALUE_REAL ? v.r != 0 : v.i != 0);
}

/* Compares as integers: the conversion of a large integer to double would round. */
static int order_int_real(int64_t i, double r)
{
	if (isnan(r))
		return 2;
	if (r >= two_63)
		return -1;
	if (r < -two_63)
		return 1;
	int64_t whole = (int64_t)r;
	if (i != whole)
		return i < whole ? -1 : 1;
	double fraction = r - (double)whole;
	return (fraction < 0) - (fraction > 0);
}

int value_order(struct value a, struct value b)
{
	if (a.kind == VALUE_TEXT && b.kind == VALUE_TEXT) {
		const int order = strcmp(value_text_get(a), value_text_get(b));

		return (order > 0) - (order < 0);
	}
	if (a.kind == VALUE_TEXT || b.kind == VALUE_TEXT) /* texts come behind numbers */
		return a.kind == VALUE_TEXT ? 1 : -1;
	if (a.kind == VALUE_REAL && b.kind == VALUE_REAL)
		return isunordered(a.r, b.r) ? 2 : (a.r > b.r) - (a.r < b.r);
	if (b.kind == VALUE_REAL)
		return order_int_real(a.i, b.r);
	if (a.kind != VALUE_REAL)
		return (a.i > b.i) - (a.i < b.i);
	int reverse = order_int_real(b.i, a.r);
	return reverse == 2 ? 2 : -reverse;
}

bool value_equal(struct value a, struct value b)
{
	return value_order(a, b) == 0;
}

/* Prints an integer with what follows it. As snprintf() does, which takes ten times as long: an
 * export prints tens of millions. */
static int int_print(int64_t i, const char *end, char *text, size_t size)
{
	const size_t n_end = strlen(end);
	char digits[32], *at = digits + sizeof digits - 1 - n_end;
	uint64_t rest = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;

	memcpy(at, end, n_end + 1);
	do {
		*--at = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (i < 0)
		*--at = '-';
	const size_t n = (size_t)(digits + sizeof digits - 1 - at);

	if (n >= size)
		return snprintf(text, size, "%s", at);
	memcpy(text, at, n + 1);
	return (int)n;
}

/* Sets the C locale for this thread, whatever the program has set. */
static locale_t locale_enter(void)
{
	return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static int real_print(double r, char *text, size_t size)
{
	static const char *const quarters[] = {".0", ".25", ".5", ".75"};
	char digits[40];

	/* Multiples of a quarter have all their digits at once: most times are medians and
	 * quartiles of whole nanoseconds. Below 10^13 none of them has more than 15 digits. */
	if (r > 0 && r < 1e13 && r * 4 == floor(r * 4)) {
		const int64_t n = (int64_t)(r * 4);

		return int_print(n / 4, quarters[n % 4], text, size);
	}
	locale_t before = locale_enter();
	/* The fewest digits that read back; 17 always do. */
	for (int precision = 15; precision <= 17; precision++) {
		(void)snprintf(digits, sizeof digits, "%.*g", precision, r);
		if (strtod(digits, NULL) == r)
			break;
	}
	uselocale(before);
	bool integral = isfinite(r) && !strpbrk(digits, ".e");
	return snprintf(text, size, "%s%s", digits, integral ? ".0" : "");
}

int value_print(struct value v, char *text, size_t size)
{
	switch (v.kind) {
	case VALUE_REAL: return real_print(v.r, text, size);
	case VALUE_BOOL: return snprintf(text, size, "%s", v.i ? "true" : "false");
	case VALUE_TEXT: return snprintf(text, size, "%s", value_text_get(v));
	case VALUE_INT: break;
	}
	return int_print(v.i, "", text, size);
}

/* Passes only digits, point, exponent and signs to strtod(), which would also take hexadecimal
 * numbers, `inf`, and leading blanks. */
bool value_parse(const char *text, size_t len, struct value *out)
{
	static const struct {
		const char *name;
		bool truth;
	} names[] = {{"true", true}, {"True", true}, {"false", false}, {"False", false}};
	char digits[NUMBER_MAX_LEN + 1];
	if (len == 0 || len > NUMBER_MAX_LEN)
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(digits, names[i].name) == 0) {
			*out = value_bool(names[i].truth);
			return true;
		}
	}
	const char *first = digits + (digits[0] == '-');
	if (*first == '+' || strspn(digits, "0123456789.eE+-") != len)
		return false;
	bool integral = *first && strspn(first, "0123456789") == strlen(first);
	if (integral) {
		errno = 0;
		*out = value_int(strtoll(digits, NULL, 10));
		return errno == 0;
	}
	char *end;
	locale_t before = locale_enter();
	*out = value_real(strtod(digits, &end));
	uselocale(before);
	return *end == '\0' && isfinite(out->r);
}

/* ---- texts ---- */

/* Each text is kept once for the life of the process, so that a value is plain data and equal texts
 * have equal numbers. */
enum { MAX_TEXTS = 1 << 16 };

static struct {
	pthread_mutex_t lock;
	struct intern table;
	size_t n;
	_Atomic(const char *) list[MAX_TEXTS]; /* a holder of a number reads without the lock */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct wanted {
	const char *text;
	size_t len;
};

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const char *text = known.list[id];

	return strncmp(text, w->text, w->len) == 0 && text[w->len] == '\0';
}

bool value_text_check(const char *text, size_t len)
{
	struct value number;

	if (len == 0 || len > VALUE_TEXT_MAX || text[0] == ' ' || text[len - 1] == ' ')
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || strchr(",='\"\\", text[i]))
			return false;
	return !value_parse(text, len, &number);
}

/* Adds a text that is not there; INTERN_NONE: out of memory, or there are too many. */
static uint32_t add(const struct wanted *w, uint64_t hash)
{
	const uint32_t id = (uint32_t)known.n;
	char *copy = known.n < MAX_TEXTS ? strndup(w->text, w->len) : NULL;

	if (!copy || !intern_add(&known.table, hash, id)) {
		free(copy);
		return INTERN_NONE;
	}
	known.list[known.n++] = copy;
	return id;
}

static bool find(const char *text, size_t len, bool adds, struct value *out)
{
	const struct wanted w = {text, len};
	const uint64_t hash = hash_bytes(text, len);

	pthread_mutex_lock(&known.lock);
	uint32_t id = intern_find(&known.table, hash, is_wanted, &w);

	if (id == INTERN_NONE && adds)
		id = add(&w, hash);
	pthread_mutex_unlock(&known.lock);
	*out = (struct value){.kind = VALUE_TEXT, .i = id};
	return id != INTERN_NONE;
}

bool value_text_add(const char *text, size_t len, struct value *out)
{
	return find(text, len, true, out);
}

bool value_text_find(const char *text, size_t len, struct value *out)
{
	return find(text, len, false, out);
}

const char *value_text_get(struct value v)
{
	return known.list[v.i];
}
