#include "tuner/workload/workload_faults.h"

#include <string.h>

void workload_faults_fini(struct workload_faults *f)
{
	buf_fini(&f->lines);
	f->n = 0;
}

/* True where the fault is noted already, of this problem or another one: a message about a formula
 * ends with the problem's name. */
static bool is_noted(const struct workload_faults *f, const char *text)
{
	static const char last[] = " in problem ";
	const char *end = NULL;

	for (const char *at = text; (at = strstr(at, last)) != NULL; at += strlen(last))
		end = at + strlen(last);
	const size_t n = end ? (size_t)(end - text) : strlen(text) + 1;

	for (const char *line = buf_str(&f->lines); *line; line += strcspn(line, "\n") + 1) {
		const size_t len = strcspn(line, "\n");

		if (end ? strncmp(line, text, n) == 0
			: len + 1 == n && strncmp(line, text, len) == 0)
			return true;
	}
	return false;
}

bool workload_faults_note(struct workload_faults *f, const struct asc_err *fault)
{
	if (fault->status != ASC_INPUT)
		return false;
	if (!is_noted(f, fault->text)) {
		buf_print(&f->lines, "%s\n", fault->text);
		f->n++;
	}
	return !f->lines.failed;
}
