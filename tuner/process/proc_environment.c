#include "tuner/process/proc_environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/process/proc.h"
#include "tuner/process/sandbox.h"

/* Variables that children go by; a `*` stands for any rest of a name. All else, tokens of a CI and
 * of clouds among it, is none of a kernel's or a compiler's business. */
static const char *const passed[] = {
	/* system and language */
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "LOCPATH",
	"LOCALE_ARCHIVE", "TZ", "TZDIR", "TERM", "TMPDIR", "XDG_CACHE_HOME",
	/* loader and C library */
	"LD_*", "GLIBC_TUNABLES", "MALLOC_*", "MIMALLOC_*", "FAKETIME*",
	/* compilers */
	"CC", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
	"GCC_EXEC_PREFIX", "GCC_COLORS", "SOURCE_DATE_EPOCH", "CCACHE_*", "NIX_*", "GUIX_*",
	/* threads */
	"OMP_*", "GOMP_*", "KMP_*", "OPENBLAS_*", "GOTO_*", "MKL_*", "BLIS_*",
	/* devices */
	"CUDA_*", "CUBLAS_*", "CUBLASLT_*", "CUPTI_*", "NVRTC_*", "NVIDIA_VISIBLE_DEVICES",
	"NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_TF32_OVERRIDE", "ASCEND_*", "ASCENDC_*", "ACL_*",
	"CANN_*", "HCCL_*", "MSPROF*", "TOOLCHAIN_HOME", "STANDIN", "STANDIN_*",
	/* interpreters */
	"PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_*", "TRITON_*", "MLIR_*", "LLVM_*",
	/* pictures */
	"GNUPLOT_*", "GNUTERM", "GDFONTPATH",
	/* this program, and what it is tested with */
	"ASCTUNE_*", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "GCOV_*",
	"VALGRIND_*", "QEMU_*", NULL};

/* Parts of names that say that a value is a secret. */
static const char *const secret[] = {"TOKEN",       "SECRET",     "PASSWORD", "PASSWD",
				     "PASSPHRASE",  "CREDENTIAL", "API_KEY",  "ACCESS_KEY",
				     "PRIVATE_KEY", "AUTH",       NULL};

/* True when the name of `n` bytes is `pattern` of `length`, whose last `*` stands for any rest. */
static bool is_like(const char *name, size_t n, const char *pattern, size_t length)
{
	const bool open = length > 0 && pattern[length - 1] == '*';

	length -= open;
	return (open ? n >= length : n == length) && strncmp(name, pattern, length) == 0;
}

static bool is_secret(const char *name, size_t n)
{
	for (size_t i = 0; secret[i]; i++) {
		const size_t length = strlen(secret[i]);

		for (size_t at = 0; at + length <= n; at++)
			if (strncmp(name + at, secret[i], length) == 0)
				return true;
	}
	return false;
}

/* True when the user's own list has the name. */
static bool is_asked_for(const char *name, size_t n)
{
	const char *list = getenv(PROC_PASS_VARIABLE);

	while (list && *list) {
		const size_t length = strcspn(list, ",");
		const bool open = length > 0 && list[length - 1] == '*';

		if (length > 0 && is_like(name, n, list, length) && (!open || !is_secret(name, n)))
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}

bool proc_environment_passes(const char *variable)
{
	const size_t n = strcspn(variable, "=");

	if (is_asked_for(variable, n))
		return true;
	for (size_t i = 0; passed[i]; i++)
		if (is_like(variable, n, passed[i], strlen(passed[i])))
			return !is_secret(variable, n);
	return false;
}

/* ---- the whole ---- */

static bool names_same(const char *variable, const char *other)
{
	const size_t n = strcspn(variable, "=");

	return strncmp(variable, other, n) == 0 && other[n] == '=';
}

static bool is_replaced(const char *inherited, const char *const *variables)
{
	for (; *variables; variables++)
		if (names_same(*variables, inherited))
			return true;
	return false;
}

const char **proc_environment_new(const struct proc_options *o, const char *const *own)
{
	static const char *const none[] = {NULL};
	const char *const *lists[] = {o->variables ? o->variables : none, own};
	const bool confined = o->sandbox && !sandbox_is_off();
	size_t n = 0, room = 1;

	for (char *const *v = environ; v && *v; v++)
		room++;
	for (size_t i = 0; i < 2; i++)
		for (const char *const *v = lists[i]; *v; v++)
			room++;
	const char **all = calloc(room, sizeof *all);

	for (char *const *v = environ; all && !o->alone && v && *v; v++)
		if (!is_replaced(*v, lists[0]) && !is_replaced(*v, own) &&
		    (!confined || proc_environment_passes(*v)))
			all[n++] = *v;
	for (size_t i = 0; all && i < 2; i++)
		for (const char *const *v = lists[i]; *v; v++)
			all[n++] = *v;
	return all;
}
