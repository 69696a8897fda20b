/* Any bytes as a file of tensors, .npy where they begin like one, else .safetensors: it is refused,
 * or what it says of its members is true of the file.
 * covers: tensor_file.c */
#include "tuner/base/tensor_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/target.h"

static char path[256];

static void forget(void)
{
	(void)unlink(path);
}

/* A file of this process, which its end removes: it has to have one of the two names. */
static void put(const uint8_t *data, size_t size)
{
	const bool npy = size > 1 && memcmp(data, "\x93N", 2) == 0;
	const char *folder = getenv("TMPDIR");

	if (!*path)
		(void)atexit(forget);
	else
		forget();
	(void)snprintf(path, sizeof path, "%s/fuzz-tensors-%d.%s", folder ? folder : "/tmp",
		       (int)getpid(), npy ? "npy" : "safetensors");
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, size > 0 ? data : (const uint8_t *)"", size) != (ssize_t)size)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"x", "y", "z", "a", "int32", "bool"};
	struct tensor_file *f = NULL;
	struct asc_err e;

	put(data, size);
	if (tensor_file_open(path, &f, &e))
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct tensor_member *m = tensor_file_find(f, names[i]);
		int64_t count = 1;

		if (!m)
			continue;
		for (size_t k = 0; k < m->rank; k++)
			count *= m->shape[k];
		if (count != m->count || m->at < 0 || m->bytes < 0 ||
		    m->at + m->bytes > (int64_t)size ||
		    (m->known && count * (int64_t)dtype_bytes(m->dtype) != m->bytes))
			abort();
		void *content = malloc((size_t)m->bytes + 1);

		if (!content)
			abort();
		if (tensor_file_read(f, m, content, NULL, &e) == ASC_OK &&
		    memcmp(content, data + m->at, (size_t)m->bytes) != 0)
			abort();
		free(content);
	}
	tensor_file_close(f);
	return 0;
}
