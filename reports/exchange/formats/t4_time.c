#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "reports/exchange/formats/t4.h"
#include "reports/exchange/formats/t4_record.h"

/* Names of units; the published records have "miliseconds". */
static const struct {
	const char *name;
	double ns;
} units[] = {
	{"milliseconds", T4_NS_PER_MS},
	{"miliseconds", T4_NS_PER_MS},
	{"ms", T4_NS_PER_MS},
	{"seconds", 1e9},
	{"s", 1e9},
	{"microseconds", 1e3},
	{"us", 1e3},
	{"nanoseconds", 1},
	{"ns", 1},
};

bool t4_unit_find(const char *name, double *unit_ns)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].name, name) == 0) {
			*unit_ns = units[i].ns;
			return true;
		}
	return false;
}

double t4_ms(double ns)
{
	return ns / T4_NS_PER_MS;
}

double t4_ns(double time, double unit_ns)
{
	double ns = time * unit_ns, near = round(ns * 2) / 2;

	return near / unit_ns == time ? near : ns;
}

static bool read_two_digits(const char *text, int *out)
{
	if (!isdigit((unsigned char)text[0]) || !isdigit((unsigned char)text[1]))
		return false;
	*out = 10 * (text[0] - '0') + text[1] - '0';
	return true;
}

bool t4_moment_parse(const char *text, int64_t *ms)
{
	struct tm t = {0};
	int hours = 0, minutes = 0;
	const char *at = strptime(text, "%Y-%m-%d", &t);

	at = at && (*at == 'T' || *at == ' ') ? strptime(at + 1, "%H:%M:%S", &t) : NULL;
	if (!at || t.tm_year < 70 || t.tm_year > 8000)
		return false;
	*ms = (int64_t)timegm(&t) * 1000;
	if (*at == '.') {
		int64_t unit = 100;

		for (at++; isdigit((unsigned char)*at); at++, unit /= 10)
			*ms += unit * (*at - '0');
	}
	if (*at == 'Z')
		at++;
	else if ((*at == '+' || *at == '-') && read_two_digits(at + 1, &hours) && at[3] == ':' &&
		 read_two_digits(at + 4, &minutes)) {
		*ms -= (*at == '-' ? -1 : 1) * ((int64_t)hours * 60 + minutes) * 60000;
		at += 6;
	}
	return *at == '\0';
}
