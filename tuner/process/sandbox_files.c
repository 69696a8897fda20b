/* Rules of Landlock: a list of what is allowed, and all else is forbidden.
 *
 * sandbox_files_open(), in the starter, opens each place and adds a rule for it: the system, the
 * program, what variables and the starter name, what the workload names, the driver, the child's
 * own folder. A place is a file with all below it, so one around the user's home, or around a file
 * of sandbox_hide(), is opened entry by entry, without what is hidden there. The child then adds
 * its own part of /proc and enters. */
#include "tuner/process/sandbox_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/process/channel.h"
#include "tuner/process/sandbox.h"

/* ---- the kernel's interface: headers of older systems lack parts of it ---- */

/* Calls, the same numbers on all processors. */
enum { CREATE = 444, ADD = 445, RESTRICT = 446 };
enum { ASK_VERSION = 1, RULE_PATH = 1 };

struct rules { /* struct landlock_ruleset_attr of version 6 */
	uint64_t files, network, scopes;
};

struct path_rule { /* struct landlock_path_beneath_attr */
	uint64_t rights;
	int32_t folder;
} __attribute__((packed));

/* Rights, each 1 << its place in the kernel's list. */
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	FIRST_RIGHTS = (1 << 13) - 1, /* of version 1 */
	REFER = 1 << 13,              /* version 2 */
	TRUNCATE = 1 << 14,           /* version 3 */
	READ = EXECUTE | READ_FILE | READ_DIR,
	OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
};
enum { BIND_AND_CONNECT = 3, SOCKETS_AND_SIGNALS = 3 };
enum { FIRST_FREE_FD = CHANNEL_FD + 1 /* a child sets up those below anew */ };
enum { WITH_REFER = 2, WITH_TRUNCATE = 3, WITH_NETWORK = 4 };

int sandbox_files_version(void)
{
	static int version = -1;

	if (version < 0) {
		long answer = syscall(CREATE, NULL, 0, ASK_VERSION);
		version = answer > 0 ? (int)answer : 0;
	}
	return version;
}

/* The rights among `rights` that this kernel knows. */
static uint64_t known_rights(uint64_t rights)
{
	const int version = sandbox_files_version();

	if (version < WITH_TRUNCATE)
		rights &= ~(uint64_t)TRUNCATE;
	if (version < WITH_REFER)
		rights &= ~(uint64_t)REFER;
	return rights;
}

static int create(void)
{
	const int version = sandbox_files_version();
	const struct rules all = {.files = known_rights(FIRST_RIGHTS | REFER | TRUNCATE),
				  .network = version >= WITH_NETWORK ? BIND_AND_CONNECT : 0,
				  .scopes = version >= SANDBOX_FILES_SIGNALS ? SOCKETS_AND_SIGNALS
									     : 0};

	/* Members that an older kernel does not know are 0, which it takes. */
	int made = version ? (int)syscall(CREATE, &all, sizeof all, 0) : -1;
	if (made < 0)
		return -1;
	/* Out of the way of the descriptors that the child sets up before it enters. */
	int ruleset = fcntl(made, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	close(made);
	return ruleset;
}

static void add_own(int ruleset, const char *path, uint64_t rights)
{
	const struct path_rule rule = {known_rights(rights),
				       open(path, O_PATH | O_CLOEXEC | O_DIRECTORY)};

	(void)syscall(ADD, ruleset, RULE_PATH, &rule, 0);
	if (rule.folder >= 0)
		close(rule.folder);
}

bool sandbox_files_enter(int ruleset, bool driver)
{
	if (ruleset < 0)
		return false;
	/* Its own part of /proc is named by its number, which only the child knows. */
	add_own(ruleset, "/proc/self", READ);
	/* NVIDIA's driver writes the names of its threads there, and does not start (304) without
	 * that right. */
	if (driver)
		add_own(ruleset, "/proc/self/task", READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE);
	return syscall(RESTRICT, ruleset, 0) == 0;
}

void sandbox_files_check(int version, char *reason, size_t size)
{
	const int has = sandbox_files_version();

	if (has >= version)
		return;
	/* Asked again for its errno, which says why there is none. */
	long answer = syscall(CREATE, NULL, 0, ASK_VERSION);
	if (answer > 0)
		(void)snprintf(reason, size,
			       "the kernel's Landlock is version %d, which needs to be %d", has,
			       version);
	else
		(void)snprintf(reason, size, "%s",
			       errno == ENOSYS ? "the kernel has no Landlock (Linux 5.13 or newer)"
			       : errno == EOPNOTSUPP ? "Landlock is switched off at boot (lsm=)"
						     : "the container forbids Landlock");
}

/* ---- one folder ---- */

/* A folder that is not opened as a whole, as something below it is hidden. */
struct place {
	dev_t device;
	ino_t file;
	const char *hides; /* what names of its hidden entries begin with; NULL: there are none */
	bool of_home;      /* the user's home, or above it */
};

enum { MAX_DEPTH = 32, PATH_BYTES = 40 };

struct rule_maker {
	int ruleset;
	struct place *places;
	size_t n_places, capacity;
	bool chosen; /* what is added is a workload's choice */
	int error;   /* errno of the first rule that could not be made; 0: none */
};

/* Index of the first place from `i` on that is the folder, or n_places. */
static size_t find_place(const struct rule_maker *m, size_t i, const struct stat *st)
{
	while (i < m->n_places &&
	       (m->places[i].device != st->st_dev || m->places[i].file != st->st_ino))
		i++;
	return i;
}

static bool is_place(const struct rule_maker *m, const struct stat *st)
{
	return find_place(m, 0, st) < m->n_places;
}

static void note_error(struct rule_maker *m, int error)
{
	if (!m->error)
		m->error = error;
}

/* Adds a folder and those above it. */
static void add_places(struct rule_maker *m, const char *folder, const char *hides, bool of_home)
{
	int at = open(folder, O_PATH | O_CLOEXEC | O_DIRECTORY);
	struct stat st, last = {0};

	for (int depth = 0; at >= 0 && depth < MAX_DEPTH && fstat(at, &st) == 0 &&
			    (st.st_ino != last.st_ino || st.st_dev != last.st_dev);
	     depth++) {
		if (!array_room(&m->places, m->n_places, &m->capacity, sizeof *m->places)) {
			note_error(m, ENOMEM);
			break;
		}
		m->places[m->n_places++] = (struct place){st.st_dev, st.st_ino, hides, of_home};
		hides = NULL;
		last = st;
		int above = openat(at, "..", O_PATH | O_CLOEXEC | O_DIRECTORY);
		close(at);
		at = above;
	}
	if (at >= 0)
		close(at);
}

static void find_home(struct rule_maker *m)
{
	const char *home = getenv("HOME");

	if (home && *home)
		add_places(m, home, ".", true);
}

static void add_rule(struct rule_maker *m, int fd, const struct stat *st, uint64_t rights)
{
	const uint64_t possible = S_ISDIR(st->st_mode) ? rights : rights & OF_FILES;
	const struct path_rule rule = {known_rights(possible), fd};

	if (syscall(ADD, m->ruleset, RULE_PATH, &rule, 0) != 0)
		note_error(m, errno);
}

/* True for an entry of a folder that is hidden there; with `home` false, for another reason than
 * that the folder is the user's home. */
static bool hides(const struct rule_maker *m, const struct stat *folder, const char *name,
		  bool home)
{
	bool hidden = false;

	for (size_t i = find_place(m, 0, folder); i < m->n_places; i = find_place(m, i + 1, folder))
		hidden |= m->places[i].hides && (home || !m->places[i].of_home) &&
			  strncmp(name, m->places[i].hides, strlen(m->places[i].hides)) == 0;
	return hidden;
}

/* True for the user's home and the folders above it. */
static bool is_around_home(const struct rule_maker *m, const struct stat *folder)
{
	bool around = false;

	for (size_t i = find_place(m, 0, folder); i < m->n_places; i = find_place(m, i + 1, folder))
		around |= m->places[i].of_home;
	return around;
}

/* Adds what is below a folder that has something hidden below it: all but that. Links lead to
 * places that are not below it. */
static void add_around(struct rule_maker *m, int fd, const struct stat *folder, uint64_t rights)
{
	int listed = openat(fd, ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
	DIR *d = listed >= 0 ? fdopendir(listed) : NULL;
	struct stat st;

	if (!d && listed >= 0)
		close(listed);
	/* Interpreters list the folders that they import from. */
	if (!is_around_home(m, folder))
		add_rule(m, fd, folder, rights & READ_DIR);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		const char *name = entry->d_name;
		const bool dots = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
		int one = dots || hides(m, folder, name, true)
				  ? -1
				  : openat(fd, name, O_PATH | O_CLOEXEC | O_NOFOLLOW);

		if (one >= 0 && fstat(one, &st) == 0 && !S_ISLNK(st.st_mode)) {
			/* The next folder on the way to what is hidden is opened entry by entry
			 * too. */
			if (is_place(m, &st))
				add_around(m, one, &st, rights);
			else
				add_rule(m, one, &st, rights);
		}
		if (one >= 0)
			close(one);
	}
	if (d)
		closedir(d);
}

/* Folders of the home with keys, tokens and what was done: of shells, browsers and tools that log
 * in. */
static const char *const secrets[] = {".ssh",
				      ".gnupg",
				      ".pki",
				      ".password-store",
				      ".local/share/keyrings",
				      ".config",
				      ".mozilla",
				      ".thunderbird",
				      ".aws",
				      ".azure",
				      ".gcloud",
				      ".oci",
				      ".kube",
				      ".minikube",
				      ".docker",
				      ".cargo",
				      ".gem",
				      ".m2",
				      ".gradle",
				      ".subversion",
				      ".ansible",
				      ".terraform.d",
				      NULL};

/* True where one of two paths is the other, or a folder above. */
static bool is_related(const char *path, const char *other)
{
	while (*path && *path == *other) {
		path++;
		other++;
	}
	return (!*path && (!*other || *other == '/')) || (!*other && *path == '/');
}

/* True for a hidden entry, by its path in the home, that no workload may name: a file of the home
 * itself (`.netrc`), and what is, has or is in a folder of secrets. */
static bool is_closed(const char *path, bool is_folder)
{
	bool closed = *path == '.' && !is_folder && !strchr(path, '/');

	for (size_t i = 0; !closed && secrets[i]; i++)
		closed = is_related(path, secrets[i]);
	return closed;
}

/* True for a file that a workload may not name, whatever links lead there; also when out of memory.
 */
static bool is_secret(int fd, bool is_folder)
{
	char link[PATH_BYTES], path[PATH_MAX];
	const char *home = getenv("HOME");
	char *real = home && *home ? realpath(home, NULL) : NULL;
	const int failure = home && *home && !real ? errno : 0;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = real ? readlink(link, path, sizeof path - 1) : -1;
	const size_t above = real ? strlen(real) : 0;
	path[n > 0 ? n : 0] = '\0';
	bool secret = real ? n > (ssize_t)above + 1 && strncmp(path, real, above) == 0 &&
				      path[above] == '/' && is_closed(path + above + 1, is_folder)
			   : failure == ENOMEM;
	free(real);
	return secret;
}

/* True for a file of sandbox_hide(), whatever links lead there. */
static bool is_hidden(struct rule_maker *m, int fd)
{
	char link[PATH_BYTES], path[PATH_MAX];
	struct stat st;

	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	const ssize_t n = readlink(link, path, sizeof path - 1);

	path[n > 0 ? n : 0] = '\0';
	char *folder = path_folder(path);
	if (!folder)
		note_error(m, ENOMEM);
	const bool hidden =
		folder && stat(folder, &st) == 0 && hides(m, &st, path_name(path), false);

	free(folder);
	return hidden;
}

/* Adds a path; one with nothing at it needs no rule. */
static void add(struct rule_maker *m, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		if (fd >= 0)
			close(fd);
		return;
	}
	/* In a folder where files are made there is no rule for each; only the home is worth that.
	 */
	const bool parts =
		is_place(m, &st) && (!(rights & ~(uint64_t)READ) || is_around_home(m, &st));
	/* Looked at by its descriptor, which the rule is for: a link may change meanwhile. */
	if ((m->chosen && is_secret(fd, S_ISDIR(st.st_mode))) || is_hidden(m, fd))
		;
	else if (parts)
		add_around(m, fd, &st, rights);
	else
		add_rule(m, fd, &st, rights);
	close(fd);
}

/* ---- workloads ---- */

/* The folders above `path` that may be searched; the one of the repository is the result. */
static char *find_repository(const char *path)
{
	struct rule_maker m = {0};
	char *at = str_dup(path), *found = NULL;

	find_home(&m);
	while (at && !found && strcmp(at, "/") != 0) {
		struct stat st;
		int fd = open(at, O_PATH | O_CLOEXEC | O_DIRECTORY);
		/* A repository that has the home in it, as for dotfiles, would open all of it. */
		bool outside = fd < 0 || fstat(fd, &st) != 0 || is_place(&m, &st);

		/* A file in worktrees and submodules. */
		if (!outside && fstatat(fd, ".git", &st, AT_SYMLINK_NOFOLLOW) == 0)
			found = str_dup(at);
		if (fd >= 0)
			close(fd);
		if (outside)
			break;
		char *above = path_folder(at);
		free(at);
		at = above;
	}
	free(m.places);
	free(at);
	return found;
}

static char *find_tree(const char *path, bool around)
{
	struct asc_err e;
	char *real = path_absolute(path, &e);

	if (!real)
		return str_dup(path); /* what is not there is not read */
	char *folder = dir_exists(real) ? str_dup(real) : path_folder(real);
	free(real);
	char *repository = folder && around ? find_repository(folder) : NULL;
	if (!repository)
		return folder;
	free(folder);
	return repository;
}

static struct grant {
	char *path;
	bool named; /* by a workload */
} * granted;
static size_t n_granted, granted_capacity;

/* Takes `path`, NULL when out of memory. */
static enum asc_status add_grant(char *path, bool named, struct asc_err *e)
{
	if (path && array_room(&granted, n_granted, &granted_capacity, sizeof *granted)) {
		granted[n_granted++] = (struct grant){path, named};
		return ASC_OK;
	}
	free(path);
	return asc_err_nomem(e);
}

enum asc_status sandbox_grant(const char *path, bool around, struct asc_err *e)
{
	return add_grant(find_tree(path, around), false, e);
}

bool sandbox_has_named(const char *path)
{
	for (size_t i = 0; i < n_granted; i++)
		if (granted[i].named && strcmp(granted[i].path, path) == 0)
			return true;
	return false;
}

enum asc_status sandbox_grant_named(const char *path, struct asc_err *e)
{
	return sandbox_has_named(path) ? ASC_OK : add_grant(str_dup(path), true, e);
}

bool sandbox_is_granted(const char *path)
{
	for (size_t i = 0; i < n_granted; i++)
		if (!granted[i].named && !strstr(path, "/.") &&
		    path_is_within(path, granted[i].path))
			return true;
	return false;
}

size_t sandbox_grants(void)
{
	return n_granted;
}

static struct hidden {
	char *folder;
	const char *name; /* the last part of `path` */
	char *path;
} * hidden;
static size_t n_hidden, hidden_capacity;

enum asc_status sandbox_hide(const char *path, struct asc_err *e)
{
	for (size_t i = 0; i < n_hidden; i++)
		if (strcmp(hidden[i].path, path) == 0)
			return ASC_OK;
	char *copy = str_dup(path), *folder = path_folder(path);

	if (!copy || !folder || !array_room(&hidden, n_hidden, &hidden_capacity, sizeof *hidden)) {
		free(folder);
		free(copy);
		return asc_err_nomem(e);
	}
	hidden[n_hidden++] = (struct hidden){folder, path_name(copy), copy};
	return ASC_OK;
}

/* ---- all of them ---- */

static const char *const system_folders[] = {
	"/usr", "/lib", "/lib32",     "/lib64",     "/libx32", "/bin", "/sbin",
	"/etc", "/opt", "/nix/store", "/gnu/store", "/sys",    NULL};

/* Facts of the machine. The rest of /proc has memory and environment of other processes, which root
 * would read. */
static const char *const machine_facts[] = {"/proc/cpuinfo",
					    "/proc/meminfo",
					    "/proc/stat",
					    "/proc/vmstat",
					    "/proc/loadavg",
					    "/proc/uptime",
					    "/proc/version",
					    "/proc/devices",
					    "/proc/modules",
					    "/proc/filesystems",
					    "/proc/sys",
					    "/proc/driver",
					    NULL};

static const char *const plain_devices[] = {"/dev/null",   "/dev/zero",    "/dev/full",
					    "/dev/random", "/dev/urandom", NULL};

/* Nodes and files of NVIDIA's and Huawei's drivers. */
static const char *const driver_patterns[] = {"/dev/nvidia*",   "/dev/dri",         "/dev/davinci*",
					      "/dev/devmm_svm", "/dev/hisi_hdc",    "/dev/shm",
					      "/run/nvidia*",   "/tmp/nvidia-mps*", NULL};

/* Lists of folders and files, between colons. Of a file its folder is meant. */
static const char *const variables[] = {"PATH",
					"LD_LIBRARY_PATH",
					"LIBRARY_PATH",
					"CPATH",
					"C_INCLUDE_PATH",
					"CPLUS_INCLUDE_PATH",
					"COMPILER_PATH",
					"GCC_EXEC_PREFIX",
					"PYTHONPATH",
					"PYTHONHOME",
					"VIRTUAL_ENV",
					"CONDA_PREFIX",
					"PYENV_ROOT",
					"CUDA_HOME",
					"CUDA_PATH",
					"ASCTUNE_OPENBLAS",
					"ASCTUNE_NVRTC",
					"ASCTUNE_CUBLASLT",
					"ASCTUNE_CUPTI",
					"ASCTUNE_POWERCAP",
					NULL};

/* Compared as text: a file or folder that is named there needs no rule of its own, and most that
 * variables name are. One with ".." may lead elsewhere. */
bool sandbox_files_is_system(const char *path)
{
	for (size_t i = 0; system_folders[i]; i++) {
		const size_t n = strlen(system_folders[i]);

		if (strncmp(path, system_folders[i], n) == 0 && (!path[n] || path[n] == '/') &&
		    !strstr(path, ".."))
			return true;
	}
	return false;
}

/* Adds a folder, or a file with its folder. */
static void add_named(struct rule_maker *m, const char *path)
{
	struct stat st;

	add(m, path, READ);
	if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
		return;
	char *folder = path_folder(path);
	if (folder)
		add(m, folder, READ);
	else
		note_error(m, ENOMEM);
	free(folder);
}

static void add_variable(struct rule_maker *m, const char *name, const char *separators)
{
	const char *value = getenv(name);
	char *text = value ? str_dup(value) : NULL, *rest = NULL;

	if (value && !text)
		note_error(m, ENOMEM);
	for (char *path = text ? strtok_r(text, separators, &rest) : NULL; path;
	     path = strtok_r(NULL, separators, &rest))
		if (!sandbox_files_is_system(path))
			add_named(m, path);
	free(text);
}

/* Adds the folder of a program, and where that is PREFIX/bin, PREFIX. */
static void add_program(struct rule_maker *m, const char *program)
{
	struct asc_err e;
	char *real = path_absolute(program, &e), *folder = real ? path_folder(real) : NULL;
	char *prefix = folder ? path_folder(folder) : NULL;
	const char *name = folder ? strrchr(folder, '/') : NULL;
	const bool has_prefix =
		name && prefix && strcmp(name, "/bin") == 0 && strcmp(prefix, "/") != 0;

	if (real && !prefix)
		note_error(m, ENOMEM);
	add(m, program, READ);
	if (folder && !sandbox_files_is_system(folder))
		add(m, has_prefix ? prefix : folder, READ);
	free(prefix);
	free(folder);
	free(real);
}

static void add_driver(struct rule_maker *m)
{
	const char *home = getenv("HOME");
	char *compiled = home && *home ? path_join(home, ".nv") : NULL;

	for (size_t i = 0; driver_patterns[i]; i++) {
		glob_t found;

		if (glob(driver_patterns[i], GLOB_NOSORT, NULL, &found) != 0)
			continue;
		/* All rights: nodes are written, and the caches and sockets of a driver are made.
		 */
		for (size_t k = 0; k < found.gl_pathc; k++)
			add(m, found.gl_pathv[k], FIRST_RIGHTS | REFER | TRUNCATE);
		globfree(&found);
	}
	add(m, "/proc", READ);
	if (home && *home && !compiled)
		note_error(m, ENOMEM);
	if (compiled)
		add(m, compiled, FIRST_RIGHTS | REFER | TRUNCATE);
	free(compiled);
}

static void add_all(struct rule_maker *m, const struct sandbox *s, const char *program)
{
	for (size_t i = 0; system_folders[i]; i++)
		add(m, system_folders[i], READ);
	for (size_t i = 0; machine_facts[i]; i++)
		add(m, machine_facts[i], READ);
	for (size_t i = 0; plain_devices[i]; i++)
		add(m, plain_devices[i], READ_FILE | WRITE_FILE);
	for (size_t i = 0; variables[i]; i++)
		add_variable(m, variables[i], ":");
	add_variable(m, "CC", " "); /* a script that an interpreter runs is a word of it */
	for (size_t i = 0; s->reads && s->reads[i]; i++)
		add(m, s->reads[i], READ);
	for (size_t i = 0; i < n_granted; i++)
		if (!granted[i].named)
			add(m, granted[i].path, READ);
	add_program(m, program);
	/* Paths that a workload names come from its author: no secrets of the home. */
	m->chosen = true;
	for (size_t i = 0; i < n_granted; i++)
		if (granted[i].named)
			add_named(m, granted[i].path);
	for (size_t i = 0; s->named && s->named[i]; i++)
		add_named(m, s->named[i]);
	m->chosen = false;
	if (s->driver)
		add_driver(m);
	if (s->own)
		add(m, s->own, FIRST_RIGHTS | REFER | TRUNCATE);
	for (size_t i = 0; s->writes && s->writes[i]; i++)
		add(m, s->writes[i], FIRST_RIGHTS | REFER | TRUNCATE);
}

enum asc_status sandbox_files_open(const struct sandbox *s, const char *program, int *ruleset,
				   struct asc_err *e)
{
	struct rule_maker m = {.ruleset = create()};

	*ruleset = m.ruleset;
	if (m.ruleset < 0)
		return ASC_OK;
	find_home(&m);
	for (size_t i = 0; i < n_hidden; i++)
		add_places(&m, hidden[i].folder, hidden[i].name, false);
	add_all(&m, s, program);
	free(m.places);
	if (!m.error)
		return ASC_OK;
	/* Half of the rules would have a compiler fail with words that are no help. */
	close(m.ruleset);
	*ruleset = -1;
	if (m.error == ENOMEM)
		return asc_err_nomem(e);
	return asc_err_set(e, ASC_IO, "cannot make the rules of the sandbox for %s: %s", program,
			   strerror(m.error));
}
