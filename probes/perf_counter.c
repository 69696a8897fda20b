#include "probes/perf_counter.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/names.h"

enum { WORD = 64, TEXT = 512, PATH = 512, PMUS = 256 };

struct parsing {
	const char *devices; /* folder */
	struct perf_counter *out;
	size_t room;
	double factor; /* of the term that is read */
};

static enum asc_status add(struct parsing *p, const struct perf_code *code, double scale,
			   struct asc_err *e)
{
	if (!array_room(&p->out->terms, p->out->n, &p->room, sizeof *p->out->terms))
		return asc_err_nomem(e);
	p->out->terms[p->out->n++] = (struct perf_term){*code, p->factor * scale};
	return ASC_OK;
}

/* ---- events that have a name everywhere ---- */

static const struct {
	const char *name;
	enum perf_kind kind;
	uint32_t type;
	uint64_t config;
} generic[] = {
	{"cpu-cycles", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branch-instructions", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", PERF_CORE, PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", PERF_CORE, PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", PERF_CORE, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"sw:task-clock", PERF_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"sw:page-faults", PERF_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"sw:minor-faults", PERF_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"sw:major-faults", PERF_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"sw:context-switches", PERF_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"sw:cpu-migrations", PERF_SOFTWARE, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
};

static const char *const processes[] = {PERF_PROCESS_LIST(NAME_OF)};

/* The nearest name, for "did you mean"; NULL: none. */
static const char *nearest(const char *text)
{
	static const char *names[sizeof generic / sizeof *generic + 1];

	for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
		names[i] = generic[i].name;
	return str_nearest(text, names);
}

/* "dTLB-load-misses": the cache, the operation and its result (perf_event_open(2), "config" of
 * PERF_TYPE_HW_CACHE). */
static bool find_cache_event(const char *text, uint64_t *config)
{
	static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC",  "dTLB",
					     "iTLB",      "branch",    "node", NULL};
	static const char *const operations[] = {"load", "store", "prefetch", NULL};

	for (size_t c = 0; caches[c]; c++) {
		const size_t n = strlen(caches[c]);

		if (strncmp(text, caches[c], n) != 0 || text[n] != '-')
			continue;
		for (size_t o = 0; operations[o]; o++) {
			const char *rest = text + n + 1;
			const size_t m = strlen(operations[o]);

			if (strncmp(rest, operations[o], m) != 0)
				continue;
			rest += m;
			const bool misses = strcmp(rest, "-misses") == 0;
			*config = c | o << 8 | (uint64_t)misses << 16;
			if (misses || strcmp(rest, "s") == 0 || strcmp(rest, "es") == 0)
				return true;
		}
	}
	return false;
}

static bool find_generic(const char *text, struct perf_code *out)
{
	size_t which;

	*out = (struct perf_code){.cpu = -1};
	for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
		if (strcmp(generic[i].name, text) == 0) {
			out->kind = generic[i].kind;
			out->type = generic[i].type;
			out->config = generic[i].config;
			return true;
		}
	if (strncmp(text, "process:", 8) == 0 &&
	    name_find(processes, PERF_PROCESS_COUNT, text + 8, &which)) {
		out->kind = PERF_PROCESS;
		out->config = which;
		return true;
	}
	out->kind = PERF_CORE;
	out->type = PERF_TYPE_HW_CACHE;
	return find_cache_event(text, &out->config);
}

/* ---- PMUs (Documentation/ABI/testing/sysfs-bus-event_source-devices-*) ---- */

/* Reads a small file without its newline; false: there is none. */
static bool read_file(const char *folder, const char *name, char text[TEXT])
{
	char path[PATH];
	ssize_t n;

	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, TEXT - 1);
	(void)close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return n >= 0;
}

/* Puts `value` into the bits of a format such as "config:0-7,32-35": the lowest bits first. */
static bool place_bits(const char *format, uint64_t value, struct perf_code *code)
{
	const char *colon = strchr(format, ':');
	uint64_t *word = NULL;

	if (!colon)
		return false;
	if (strncmp(format, "config:", 7) == 0)
		word = &code->config;
	else if (strncmp(format, "config1:", 8) == 0)
		word = &code->config1;
	else if (strncmp(format, "config2:", 8) == 0)
		word = &code->config2;
	for (const char *at = colon; word && *at && (*at == ':' || *at == ',');) {
		char *end;
		const unsigned long first = strtoul(at + 1, &end, 10);
		const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (first > last || last > 63)
			return false;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			*word = (*word & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
		at = end;
	}
	return word && value == 0; /* no bit is left over */
}

/* Checks how fields are written, whether or not their PMU is here: "event=0xc0,inv", each a name of
 * letters, digits and "_-.", alone or with a number. */
static enum asc_status check_fields(const char *fields, const char *text, struct asc_err *e)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

	for (const char *at = fields;; at++) {
		const size_t name = strspn(at, letters), n = strcspn(at, ",");
		char *end = NULL;

		if (name == 0 || (name < n && at[name] != '='))
			return asc_err_set(e, ASC_INPUT,
					   "counter %s: \"%.*s\" is neither NAME nor NAME=NUMBER",
					   text, (int)n, at);
		if (name < n && (!isdigit((unsigned char)at[name + 1]) ||
				 (strtoull(at + name + 1, &end, 0), end != at + n)))
			return asc_err_set(e, ASC_INPUT, "counter %s: \"%.*s\" has no number", text,
					   (int)n, at);
		at += n;
		if (!*at)
			return ASC_OK;
	}
}

/* Applies fields such as "event=0xc0,umask=1,inv" of the PMU in `folder`. */
static enum asc_status apply_fields(const char *folder, const char *fields, const char *text,
				    struct perf_code *code, struct asc_err *e)
{
	char list[TEXT], *save = NULL;

	(void)snprintf(list, sizeof list, "%s", fields);
	for (char *field = strtok_r(list, ",", &save); field; field = strtok_r(NULL, ",", &save)) {
		char name[WORD + 8], format[TEXT];
		char *equals = strchr(field, '=');
		/* A field alone is a flag. */
		const uint64_t value = equals ? strtoull(equals + 1, NULL, 0) : 1;

		if (equals)
			*equals = '\0';
		if (strncmp(field, "config", 6) == 0 && (!field[6] || !field[7])) {
			/* A whole word, which no format describes. */
			(void)snprintf(format, sizeof format, "%s:0-63", field);
		} else if (snprintf(name, sizeof name, "format/%s", field) >= (int)sizeof name ||
			   !read_file(folder, name, format)) {
			return asc_err_set(e, ASC_ABSENT, "this PMU has no field \"%s\" (%s)",
					   field, text);
		}
		if (!place_bits(format, value, code))
			return asc_err_set(e, ASC_ABSENT, "field \"%s\" is too small (%s)", field,
					   text);
	}
	return ASC_OK;
}

/* Factor of a unit that an event's folder names, to bytes; 1: none of bytes. */
static double unit_factor(const char *unit)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {
		{"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"KB", 1e3}, {"MB", 1e6}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].unit, unit) == 0)
			return units[i].factor;
	return 1;
}

/* Adds the event for each processor of the PMU's list ("0,32" or "0-3"), of a whole machine; once,
 * for threads, where it has none. */
static enum asc_status add_everywhere(struct parsing *p, const char *folder, struct perf_code *code,
				      double scale, struct asc_err *e)
{
	char list[TEXT];

	if (!read_file(folder, "cpumask", list) || !*list)
		return add(p, code, scale, e);
	code->kind = PERF_MACHINE;
	for (const char *at = list; *at;) {
		char *end;
		const long first = strtol(at, &end, 10);
		const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		if (end == at || first < 0 || last > INT32_MAX)
			return asc_err_set(e, ASC_ABSENT, "%s/cpumask lists \"%s\"", folder, list);
		for (long cpu = first; cpu <= last; cpu++) {
			code->cpu = (int)cpu;
			if (add(p, code, scale, e))
				return e->status;
		}
		at = end + (*end == ',');
	}
	return ASC_OK;
}

/* Adds the event `fields` of the PMU in `folder`. */
static enum asc_status add_of_pmu(struct parsing *p, enum perf_kind kind, const char *folder,
				  const char *fields, const char *text, struct asc_err *e)
{
	struct perf_code code = {.kind = kind, .cpu = -1};
	char type[TEXT], event[TEXT], part[TEXT], name[WORD + 16];
	double scale = 1;

	if (!read_file(folder, "type", type))
		return asc_err_set(e, ASC_ABSENT, "this machine has no such PMU (%s)", text);
	code.type = (uint32_t)strtoul(type, NULL, 10);
	(void)snprintf(name, sizeof name, "events/%.*s", WORD, fields);
	if (!strpbrk(fields, "=,") && read_file(folder, name, event)) {
		fields = event;
		char unit[sizeof name + 8];
		(void)snprintf(unit, sizeof unit, "%s.scale", name);
		if (read_file(folder, unit, part))
			scale = strtod(part, NULL);
		(void)snprintf(unit, sizeof unit, "%s.unit", name);
		if (read_file(folder, unit, part))
			scale *= unit_factor(part);
	} else if (!strpbrk(fields, "=,")) {
		return asc_err_set(e, ASC_ABSENT, "this PMU has no event \"%s\" (%s)", fields,
				   text);
	}
	if (apply_fields(folder, fields, text, &code, e))
		return e->status;
	return add_everywhere(p, folder, &code, scale, e);
}

/* True for the folder of a PMU: by name, or by name and a number. Where processors are of two kinds
 * or of Arm, that of `cpu` is called otherwise; of two kinds the faster one counts. */
static bool is_pmu(const char *folder, const char *name)
{
	const size_t n = strlen(name);

	if (strcmp(name, "cpu") == 0)
		return strcmp(folder, "cpu") == 0 || strcmp(folder, "cpu_core") == 0 ||
		       strncmp(folder, "armv8_", 6) == 0 || strncmp(folder, "armv9_", 6) == 0;
	return strncmp(folder, name, n) == 0 &&
	       (!folder[n] || (folder[n] == '_' && folder[n + 1] &&
			       !folder[n + 1 + strspn(folder + n + 1, "0123456789")]));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* PMUs of the kernel's drivers for x86 and Arm (perf-list(1), Documentation/admin-guide/perf): a
 * file for several machines may name those of another one. */
static const char *const known_pmus[] = {
	"cpu",          "cpu_core",   "cpu_atom",       "power",      "msr",
	"cstate_core",  "cstate_pkg", "uncore_imc",     "uncore_cha", "uncore_cbox",
	"uncore_ha",    "uncore_upi", "uncore_qpi",     "uncore_iio", "uncore_m2m",
	"uncore_m3upi", "uncore_pcu", "uncore_arb",     "uncore_edc", "uncore_imc_free_running",
	"amd_df",       "amd_l3",     "amd_umc",        "amd_iommu",  "ibs_fetch",
	"ibs_op",       "intel_pt",   "intel_bts",      "arm_cmn",    "arm_dsu",
	"arm_spe",      "arm_smmuv3", "nvidia_scf_pmu", NULL};

/* An unknown word is no PMU of another machine; uncore_cha_12 is one of several. */
static enum asc_status explain_absence(const char *name, struct asc_err *e)
{
	for (size_t i = 0; known_pmus[i]; i++)
		if (is_pmu(name, known_pmus[i]))
			return asc_err_set(e, ASC_ABSENT, "this machine has no PMU \"%s\"", name);
	const char *near = str_nearest(name, known_pmus);

	return asc_err_set(e, ASC_INPUT, "no PMU is called \"%s\", here or elsewhere%s%s%s", name,
			   near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* Adds "PMU/FIELDS/". */
static enum asc_status add_pmu_event(struct parsing *p, const char *text, struct asc_err *e)
{
	const char *slash = strchr(text, '/');
	const size_t n = strlen(text);
	char name[WORD], fields[TEXT], (*pmus)[WORD] = NULL;
	size_t found = 0;

	if (slash == text || slash - text >= WORD || n - (size_t)(slash - text) - 1 >= TEXT ||
	    slash + 1 >= text + n - 1 || text[n - 1] != '/')
		return asc_err_set(e, ASC_INPUT, "counter %s: expected PMU/EVENT/", text);
	(void)snprintf(name, sizeof name, "%.*s", (int)(slash - text), text);
	(void)snprintf(fields, sizeof fields, "%.*s", (int)(n - (size_t)(slash - text) - 2),
		       slash + 1);
	if (check_fields(fields, text, e))
		return e->status;
	pmus = calloc(PMUS, sizeof *pmus);
	if (!pmus)
		return asc_err_nomem(e);
	DIR *d = opendir(p->devices);
	for (const struct dirent *entry; d && found < PMUS && (entry = readdir(d));)
		if (entry->d_name[0] != '.' && is_pmu(entry->d_name, name) &&
		    strlen(entry->d_name) < WORD)
			memcpy(pmus[found++], entry->d_name, strlen(entry->d_name) + 1);
	if (d)
		(void)closedir(d);
	qsort(pmus, found, sizeof *pmus, compare_names); /* the same order every time */
	enum asc_status s = found ? ASC_OK : explain_absence(name, e);
	/* One PMU of the processors: counters of threads go where these are. */
	const bool core = strcmp(name, "cpu") == 0;

	if (core && found > 1)
		found = 1;
	for (size_t i = 0; i < found && !s; i++) {
		char folder[PATH];

		(void)snprintf(folder, sizeof folder, "%s/%s", p->devices, pmus[i]);
		s = add_of_pmu(p, core ? PERF_CORE : PERF_SOFTWARE, folder, fields, text, e);
	}
	free(pmus);
	return s;
}

/* ---- texts ---- */

static enum asc_status add_term(struct parsing *p, char *term, struct asc_err *e)
{
	struct perf_code code;
	char *star = strchr(term, '*'), *end;

	p->factor = 1;
	if (star) {
		p->factor = strtod(term, &end);
		while (isspace((unsigned char)*end))
			end++;
		if (end != star)
			return asc_err_set(e, ASC_INPUT, "counter %s: expected NUMBER*EVENT", term);
		term = star + 1 + strspn(star + 1, " ");
	}
	if (!*term)
		return asc_err_set(e, ASC_INPUT, "a counter is empty");
	if (strchr(term, '/'))
		return add_pmu_event(p, term, e);
	if (!find_generic(term, &code)) {
		const char *other = nearest(term);

		return asc_err_set(e, ASC_INPUT, "there is no counter \"%s\"%s%s%s", term,
				   other ? "; did you mean \"" : "", other ? other : "",
				   other ? "\"?" : "");
	}
	return add(p, &code, 1, e);
}

enum asc_status perf_counter_parse(const char *text, const char *devices, struct perf_counter *out,
				   struct asc_err *e)
{
	struct parsing p = {.devices = devices, .out = out};
	char *copy = strdup(text), *next;
	enum asc_status s = copy ? ASC_OK : asc_err_nomem(e);

	*out = (struct perf_counter){0};
	/* " + " divides terms: a plus may stand in a number. */
	for (char *term = copy; !s && term; term = next) {
		next = strstr(term, " + ");
		if (next) {
			*next = '\0';
			next += 3;
		}
		s = add_term(&p, term + strspn(term, " "), e);
	}
	free(copy);
	if (s)
		perf_counter_fini(out);
	return s;
}

void perf_counter_fini(struct perf_counter *c)
{
	free(c->terms);
	*c = (struct perf_counter){0};
}

bool perf_code_is_same(const struct perf_code *a, const struct perf_code *b)
{
	return a->kind == b->kind && a->type == b->type && a->config == b->config &&
	       a->config1 == b->config1 && a->config2 == b->config2 && a->cpu == b->cpu;
}
