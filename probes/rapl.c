#include "probes/rapl.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 64 }; /* the kernel's numbers have 20 digits at most, its names few letters */

const char *rapl_folder(void)
{
	const char *folder = getenv("ASCTUNE_POWERCAP");

	return folder && *folder ? folder : "/sys/class/powercap";
}

/* Opens a file of a zone; -1 with errno. */
static int open_file(const char *zone, const char *file)
{
	char path[4096];

	(void)snprintf(path, sizeof path, "%s/%s", zone, file);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads a file of the kernel from its begin: its content is that of the moment. */
static bool read_text(int fd, char text[TEXT_SIZE])
{
	const ssize_t n = pread(fd, text, TEXT_SIZE - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return *text != '\0';
}

static bool read_number(int fd, uint64_t *out)
{
	char text[TEXT_SIZE], *end;

	if (!read_text(fd, text))
		return false;
	*out = strtoull(text, &end, 10);
	return end > text && *end == '\0';
}

static bool read_once(const char *zone, const char *file, char text[TEXT_SIZE])
{
	const int fd = open_file(zone, file);
	const bool known = fd >= 0 && read_text(fd, text);

	if (fd >= 0)
		(void)close(fd);
	return known;
}

/* True for a zone that is counted: each joule is in one of these. "psys" has the packages in it,
 * "core" and "uncore" are in their package. */
static bool is_counted(const char *zone)
{
	char name[TEXT_SIZE];

	return read_once(zone, "name", name) &&
	       (strncmp(name, "package-", 8) == 0 || strcmp(name, "dram") == 0);
}

/* Opens a zone's counter; errno says why not. */
static bool open_zone(struct rapl *r, const char *path)
{
	char most[TEXT_SIZE];
	struct rapl_zone z = {.fd = open_file(path, "energy_uj")};

	if (z.fd < 0)
		return false;
	/* Without the range, a counter that went back says nothing. */
	if (read_once(path, "max_energy_range_uj", most))
		z.most_uj = strtoull(most, NULL, 10);
	if (!read_number(z.fd, &z.last_uj)) {
		(void)close(z.fd);
		errno = EIO;
		return false;
	}
	r->zones[r->n++] = z;
	return true;
}

bool rapl_open(struct rapl *r, const char *folder, char *reason, size_t size)
{
	char pattern[4096];
	glob_t found = {0};
	bool closed = false; /* a zone that counts could not be opened */

	*r = (struct rapl){0};
	(void)snprintf(pattern, sizeof pattern, "%s/intel-rapl:*", folder);
	(void)snprintf(reason, size,
		       "the system counts no energy of its processors (no intel-rapl in %s), as in "
		       "most virtual machines",
		       folder);
	/* Some processors have the same counters a second time, as intel-rapl-mmio:N, which the
	 * pattern leaves out. */
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && r->n < RAPL_ZONES && !closed; i++)
			if (is_counted(found.gl_pathv[i]) && !open_zone(r, found.gl_pathv[i])) {
				closed = true;
				(void)snprintf(reason, size, "%s/energy_uj: %s%s",
					       found.gl_pathv[i], strerror(errno),
					       errno == EACCES
						       ? " (the kernel lets root alone read it)"
						       : "");
			}
	globfree(&found);
	/* A part of the packages is not the energy of a launch. */
	if (closed)
		rapl_close(r);
	return r->n > 0;
}

void rapl_close(struct rapl *r)
{
	for (size_t i = 0; i < r->n; i++)
		(void)close(r->zones[i].fd);
	*r = (struct rapl){0};
}

bool rapl_read(struct rapl *r, double *joules)
{
	for (size_t i = 0; i < r->n; i++) {
		struct rapl_zone *z = &r->zones[i];
		uint64_t now;

		if (!read_number(z->fd, &now) || (now < z->last_uj && z->most_uj < z->last_uj))
			return false;
		r->uj += now >= z->last_uj ? now - z->last_uj : now + (z->most_uj - z->last_uj);
		z->last_uj = now;
	}
	*joules = (double)r->uj / 1e6;
	return r->n > 0;
}
