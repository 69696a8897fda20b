#include "tuner/device/cpu/cpu_info.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/device/cpu/cpu_caches.h"

enum { LINE_SIZE = 8192, MASK_CPUS = 65536, MAX_CACHES = 16 };

/* The first failure to read what is there: a processor that is known by less than it was yesterday
 * would count as another one. */
struct reading {
	int error; /* 0: none */
	char path[128];
};

static void note_failure(struct reading *r, const char *path)
{
	if (r->error || errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EPERM)
		return;
	r->error = errno;
	snprintf(r->path, sizeof r->path, "%s", path);
}

/* NULL: there is no such file for this user, or the failure is noted. */
static FILE *open_fact(struct reading *r, const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f)
		note_failure(r, path);
	return f;
}

/* Reads the value of the first `KEY : VALUE` line of a file under /proc, without its newline; false
 * when there is none. */
static bool read_field(struct reading *r, const char *path, const char *key, char *value,
		       size_t size)
{
	char *line = malloc(LINE_SIZE);
	FILE *f = line ? open_fact(r, path) : NULL;
	bool found = false;

	if (!line)
		note_failure(r, path);
	while (f && !found && fgets(line, LINE_SIZE, f)) {
		size_t n = strlen(key);
		const char *rest = line + n;
		rest += strspn(rest, " \t");
		if (strncmp(line, key, n) != 0 || *rest != ':')
			continue;
		rest++;
		rest += strspn(rest, " \t");
		snprintf(value, size, "%.*s", (int)strcspn(rest, "\n"), rest);
		found = true;
	}
	if (f)
		fclose(f);
	free(line);
	return found;
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	return false;
}

static void find_vectors(const char *flags, struct facts *f)
{
	static const struct {
		const char *flag;
		int64_t bytes;
	} widths[] = {{"avx512f", 64}, {"avx2", 32}, {"avx", 32}, {"sse2", 16}, {"asimd", 16}};

	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		if (has_word(flags, widths[i].flag)) {
			facts_set(f, FACT_VECTOR_BYTES, widths[i].bytes);
			return;
		}
	}
}

static void count_threads(struct reading *r, struct facts *f)
{
	cpu_set_t *mask = CPU_ALLOC(MASK_CPUS);
	size_t bytes = CPU_ALLOC_SIZE(MASK_CPUS);

	if (!mask)
		note_failure(r, "the processors that are allowed");
	/* Processors that this process may use, not all of the machine: a container has fewer. */
	if (mask && sched_getaffinity(0, bytes, mask) == 0)
		facts_set(f, FACT_THREADS, CPU_COUNT_S(bytes, mask));
	CPU_FREE(mask);
}

/* Reads one word of a file in a cache's folder in /sys. */
static bool read_cache(struct reading *r, int index, const char *name, char text[32])
{
	char path[128];

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
	FILE *f = open_fact(r, path);
	if (!f)
		return false;
	bool ok = fscanf(f, "%31s", text) == 1;
	fclose(f);
	return ok;
}

static void read_caches(struct reading *r, struct facts *f)
{
	char type[32], text[32];
	int64_t last_level = 0;

	/* Caches of processor 0, which stands for all. */
	for (int i = 0; i < MAX_CACHES && read_cache(r, i, "type", type); i++) {
		if (strcmp(type, "Instruction") == 0 || !read_cache(r, i, "level", text))
			continue;
		int64_t level = strtoll(text, NULL, 10);
		int64_t bytes =
			read_cache(r, i, "size", text) ? (int64_t)cpu_caches_parse_size(text) : 0;
		if (level == 1)
			facts_set(f, FACT_L1_BYTES, bytes);
		if (level == 1 && read_cache(r, i, "coherency_line_size", text))
			facts_set(f, FACT_LINE_BYTES, strtoll(text, NULL, 10));
		if (level == 2)
			facts_set(f, FACT_L2_BYTES, bytes);
		if (level > last_level) {
			last_level = level;
			facts_set(f, FACT_LLC_BYTES, bytes);
		}
	}
}

/* Arm kernels name the implementer and the part by number only. */
static void read_model(struct reading *r, const char *machine, char *model, size_t size)
{
	char implementer[16] = "", part[16] = "";

	if (read_field(r, "/proc/cpuinfo", "model name", model, size) && *model)
		return;
	read_field(r, "/proc/cpuinfo", "CPU implementer", implementer, sizeof implementer);
	read_field(r, "/proc/cpuinfo", "CPU part", part, sizeof part);
	snprintf(model, size, "%.32s%s%s%s%s", machine, *implementer ? " implementer " : "",
		 implementer, *part ? " part " : "", part);
}

/* True for a flag of /proc/cpuinfo that names instructions which compilers use. Other flags come
 * and go with the kernel and its microcode. All features of Arm are instructions. */
static bool is_instruction(const char *flag, size_t n)
{
	static const char *const families[] = {
		"sse",  "ssse",      "pni",      "avx",        "fma",    "f16c",     "bmi",
		"abm",  "popcnt",    "aes",      "vaes",       "pclmul", "vpclmul",  "sha",
		"gfni", "adx",       "amx",      "movbe",      "movdir", "tbm",      "xop",
		"lahf", "cx16",      "cldemote", "clflushopt", "clwb",   "prefetch", "3dnow",
		"mmx",  "serialize", NULL};
	size_t i = 0;

	while (families[i] &&
	       (strlen(families[i]) > n || strncmp(flag, families[i], strlen(families[i])) != 0))
		i++;
	return families[i] != NULL;
}

static void keep_instructions(char *flags)
{
	char *to = flags;

	for (const char *at = flags; *at;) {
		size_t n = strcspn(at, " ");
		size_t next = n + strspn(at + n, " ");
		if (is_instruction(at, n)) {
			if (to != flags)
				*to++ = ' ';
			memmove(to, at, n);
			to += n;
		}
		at += next;
	}
	*to = '\0';
}

/* Digest of the system's machine-id: machine-id(5) asks that the number itself is not handed on. */
static void read_machine(struct reading *r, char *out, size_t size)
{
	char id[64] = "";
	FILE *f = open_fact(r, "/etc/machine-id");
	bool known = f && fgets(id, sizeof id, f) && strspn(id, "0123456789abcdef") == 32;

	if (known)
		snprintf(out, size, "host-%016llx",
			 (unsigned long long)hash_bytes(id, strspn(id, "0123456789abcdef")));
	if (f)
		fclose(f);
}

enum asc_status cpu_info_read(struct device_info *out, struct asc_err *e)
{
	struct utsname u;
	struct reading r = {0};
	char memory[64], text[LINE_SIZE];
	char *flags = calloc(1, LINE_SIZE);

	if (!flags)
		return asc_err_nomem(e);
	*out = (struct device_info){.clock = "monotonic", .shares_host = true};
	if (uname(&u) != 0)
		u = (struct utsname){.sysname = "Linux", .machine = "unknown"};
	read_model(&r, u.machine, out->model, sizeof out->model);
	if (read_field(&r, "/proc/cpuinfo", "flags", flags, LINE_SIZE))
		keep_instructions(flags);
	else
		read_field(&r, "/proc/cpuinfo", "Features", flags, LINE_SIZE);
	/* Facts that -march=native looks at: the instructions that exist, and the model to tune
	 * for. */
	const int n = snprintf(text, sizeof text, "%s\n%s", out->model, flags);
	const size_t used = n < (int)sizeof text ? (size_t)n : sizeof text - 1;

	snprintf(out->arch, sizeof out->arch, "%.40s-%08x", u.machine,
		 (unsigned)hash_bytes(text, used));
	read_machine(&r, out->machine, sizeof out->machine);
	find_vectors(flags, &out->facts);
	free(flags);
	count_threads(&r, &out->facts);
	read_caches(&r, &out->facts);
	if (r.error) {
		errno = r.error;
		return file_fail(e, "read", r.path);
	}
	enum asc_status status = device_info_seal(out, "cpu", e);
	/* Kernel release and memory are left out of the fingerprint: an update of the kernel, or a
	 * virtual machine that is given other memory, makes no other processor. */
	snprintf(out->driver, sizeof out->driver, "%.16s %.70s", u.sysname, u.release);
	if (read_field(&r, "/proc/meminfo", "MemTotal", memory, sizeof memory))
		facts_set(&out->facts, FACT_MEMORY_BYTES, strtoll(memory, NULL, 10) * 1024);
	return status;
}
