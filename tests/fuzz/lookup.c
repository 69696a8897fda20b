/* Any bytes as the file of a dispatch table: one that is read answers questions with indices that
 * are active alone, the same ones again, and texts that are whole; one that is not leaves nothing.
 * covers: lookup.c lookup_ask.c lookup_read.c */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/tables/lookup/asctune.h"
#include "reports/tables/lookup/lookup.h"
#include "tests/fuzz/target.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static const int64_t active[] = {-1, 0, 1, 2, 10};
static const char *const types[] = {"float16", "f32", "posit8"};
static const int64_t values[] = {-1, 0, 1, 64, 4096};
enum { N_ACTIVE = 5, N_TYPES = 3, N_VALUES = 5 };

static void check_answer(const struct asctune_question *q, const struct lookup_answer *a)
{
	size_t i = 0;

	if (a->found == ASCTUNE_NOT_SET) {
		if (a->index != -1 || a->config || a->implementation)
			abort();
		return;
	}
	while (i < q->n_active && q->active[i] != a->index)
		i++;
	if (i == q->n_active || a->found > ASCTUNE_NEAREST ||
	    (a->config && (*a->config != '{' || strlen(a->config) >= ASCTUNE_CONFIG_BYTES)))
		abort();
}

static void ask(const struct lookup *t, const struct asctune_type *type, int64_t m, int64_t n,
		size_t n_active)
{
	const struct asctune_size sizes[] = {{"m", m}, {"n", n}};
	const struct asctune_question q = {"gemm", "nvidia", "H200", type,    1,
					   sizes,  2,        active, n_active};
	const struct lookup_answer a = lookup_ask(t, &q), again = lookup_ask(t, &q);

	check_answer(&q, &a);
	if (a.found != again.found || a.index != again.index || a.config != again.config ||
	    (n_active == 0 && a.found != ASCTUNE_NOT_SET))
		abort();
	struct buf why = {0};

	/* A reason where there is no answer, and only there. */
	lookup_explain(t, &q, &why);
	if ((a.found == ASCTUNE_NOT_SET) != (why.len > 0))
		abort();
	buf_fini(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/asctune-fuzz-lookup.XXXXXX";
	const int fd = mkstemp(path);
	struct lookup *t = NULL;
	struct asc_err e = {ASC_OK, ""};

	if (fd < 0)
		return 0;
	if (file_write_all(fd, data, size) && lookup_read(path, false, &t, &e) == ASC_OK) {
		for (size_t i = 0; i < (size_t)N_TYPES * N_VALUES * N_VALUES * 2; i++) {
			const struct asctune_type type = {NULL, types[i % N_TYPES]};

			ask(t, &type, values[i / N_TYPES % N_VALUES],
			    values[i / N_TYPES / N_VALUES % N_VALUES],
			    i / N_TYPES / N_VALUES / N_VALUES ? N_ACTIVE : 0);
		}
		lookup_free(t);
	} else if (t || (e.status != ASC_OK && !*e.text)) {
		abort();
	}
	close(fd);
	(void)unlink(path);
	return 0;
}
