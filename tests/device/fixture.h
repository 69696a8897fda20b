/* One opened device with what the conformance program's checks need: kernels built, loaded and
 * launched in one call each, buffers, and the checks themselves. A failed step is a failed test. */
#ifndef ASCTUNE_TESTS_DEVICE_FIXTURE_H
#define ASCTUNE_TESTS_DEVICE_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/device/device.h"

#define MINUTE_NS INT64_C(60000000000)

struct pool;

struct target { /* how kernels are made for a device, and what only some can do */
	const char *device, *builder, *folder, *suffix;
	bool threads;      /* the plan's threads share the grid's calls */
	bool guards;       /* a stray access ends the process */
	bool inside;       /* kernels are loaded into this process, whatever they were built with */
	bool blocks;       /* kernels know their block, and blocks may meet; tensor maps */
	size_t page_bytes; /* of its memory, of which buffers have whole ones; 0: other sizes */
};

struct fixture {
	const struct target *target;
	const struct device_ops *ops;
	const char *place; /* as in device_ops */
	struct device_info info;
	struct device *d;
	struct pool *pool;
	const char *program; /* the test itself, which compiles for itself */
};

struct call {
	const char *name; /* of source and entry */
	const char *flag; /* one that the compiler may not know, or NULL */
	struct plan plan;
	enum dtype types[2];
	struct device_buffer *tensors[2];
	struct device_buffer *scratch[PLAN_MAX_ARGUMENTS];
};

void call_init(struct call *c, const char *name, enum dtype type);
struct bound_argument *call_add(struct call *c, enum argument_kind kind);
void call_add_scalar(struct call *c, enum dtype type, struct value v);

/* Returns the path of the artifact (heap), or NULL after a failed test: a skipped one where the
 * call has a flag. */
char *fixture_build(struct fixture *f, const struct call *c);
struct device_kernel *fixture_load(struct fixture *f, const struct call *c);

/* Builds, loads, binds and runs; -1 after a failed test, else nanoseconds. */
int64_t fixture_run(struct fixture *f, const struct call *c, int64_t launches);

struct device_buffer *fixture_alloc(struct fixture *f, size_t bytes, int byte);
enum device_harm fixture_look(struct fixture *f, struct device_buffer *b);
void fixture_read(struct fixture *f, const struct device_buffer *b, void *data, size_t bytes);

/* Writes one byte of b, at `at`, by a kernel: "pry" makes its page writable first. */
void fixture_write_by(struct fixture *f, const char *kernel, struct device_buffer *b, int64_t at);
void fixture_poke(struct fixture *f, struct device_buffer *b, int64_t at);

/* ---- checks of every device ---- */

void check_inspect(struct fixture *f);
void check_buffers(struct fixture *f);
void check_intact(struct fixture *f);
void check_moves(struct fixture *f);
void check_guards(struct fixture *f);
void check_grid(struct fixture *f);
void check_scalars(struct fixture *f);
void check_absent(struct fixture *f);
void check_place(struct fixture *f);
void check_errors(struct fixture *f);
void check_flags(struct fixture *f);
void check_leaks(struct fixture *f);
void check_flush(struct fixture *f);
void check_peaks(struct fixture *f);
void check_launch(struct fixture *f);
void check_float(struct fixture *f);

/* ---- checks of what only some devices do ---- */

void check_queue(struct fixture *f);
void check_unchanged(struct fixture *f);
void check_compare(struct fixture *f);
void check_facts(struct fixture *f);
void check_halve(struct fixture *f);
void check_blocks(struct fixture *f);
void check_tile(struct fixture *f);
void check_nvml(struct fixture *f);
void check_energy(struct fixture *f);
void check_clocks(struct fixture *f);
void check_many(struct fixture *f);
void check_host(struct fixture *f);

#endif
