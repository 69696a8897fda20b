#include "tuner/build/allowed_flags.h"

#include <stdbool.h>
#include <string.h>

#include "tuner/base/file.h"

/* The longest text that begins the flag decides: -include is no -I. */
static const struct allowed_flag *find(const struct allowed_flag *list, const char *flag)
{
	const struct allowed_flag *found = NULL;

	for (; list && list->text; list++) {
		size_t n = strlen(list->text);
		if (strncmp(flag, list->text, n) == 0 &&
		    (list->value != ALLOWED_ALONE || flag[n] == '\0') &&
		    (!found || n > strlen(found->text)))
			found = list;
	}
	return found;
}

static enum asc_status refuse(const char *flag, struct asc_err *e)
{
	return asc_err_set(e, ASC_INPUT, "\"%s\" is not among the flags of --untrusted", flag);
}

static enum asc_status check_value(const struct allowed_flag *rule, const char *flag,
				   const char *value, const char *folder, struct asc_err *e)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.=";

	/* A macro is code of the source, which may be anything; a line's end would begin another.
	 */
	if (rule->value == ALLOWED_MACRO)
		return strpbrk(value, "\r\n") ? refuse(flag, e) : ASC_OK;
	if (rule->value == ALLOWED_PLACE)
		return path_is_within(value, folder)
			       ? ASC_OK
			       : asc_err_set(e, ASC_INPUT, "%s: %s is no place in %s", flag, value,
					     folder);
	return value[strspn(value, word)] ? refuse(flag, e) : ASC_OK;
}

enum asc_status allowed_flags_check(const struct allowed_flag *list, const char *const *flags,
				    size_t n, const char *folder, size_t *at, struct asc_err *e)
{
	for (size_t i = 0; i < n; i++) {
		const struct allowed_flag *rule = find(list, flags[i]);
		const char *value = rule ? flags[i] + strlen(rule->text) : NULL;

		*at = i;
		if (!rule)
			return refuse(flags[i], e);
		/* A value that is missing is the next flag; compilers read flags from @FILE
		 * wherever it stands. */
		if (!*value && rule->value >= ALLOWED_PAIR) {
			if (i + 1 == n || strchr("-@", *flags[i + 1]))
				return refuse(flags[i], e);
			value = flags[++i];
		}
		if (check_value(rule, flags[*at], value, folder, e))
			return e->status;
	}
	return ASC_OK;
}
