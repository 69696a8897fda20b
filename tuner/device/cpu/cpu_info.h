/* This machine's processor: facts, read from /proc and /sys, where what these files lack stays
 * unknown; and peaks of its units and its memory, measured (cpu_peaks.c). */
#ifndef ASCTUNE_DEVICE_CPU_CPU_INFO_H
#define ASCTUNE_DEVICE_CPU_CPU_INFO_H

#include "tuner/device/device.h"

struct cpu_threads;

/* Fills and seals *out. */
enum asc_status cpu_info_read(struct device_info *out, struct asc_err *e);

/* Times one cold launch of a kernel that does nothing, of a grid with so many calls, by the first
 * `threads` of a team. */
struct cpu_empty {
	enum asc_status (*time)(void *user, struct cpu_threads *team, size_t threads, int64_t calls,
				int64_t *ns, struct asc_err *e);
	void *user;
};

/* Measures with all hardware threads that the process may run on, each kept on one of them, at five
 * moments within a second. FLOP/s are those of independent chains of multiply-adds in the widest
 * vectors that help, in f32 or f64; of f16 and bf16, whose sums are made in f32, they are plain
 * ones alone. Bandwidth is that of a[i] = b[i] + s * c[i] over memory of at least four times the
 * last-level caches together, three transfers an element (McCalpin's STREAM, which does not count
 * that a line is read before it is written either), and of one thread of them; that of a cache is
 * what each thread reads, again and again, from half of its share of it. A moment in which threads
 * waited for processors is busy. The row of memory is missing when there is too little memory for
 * that; rates of caches of unknown sizes stay 0. */
enum asc_status cpu_peaks_measure(const struct facts *f, enum dtype type,
				  const struct cpu_empty *empty, struct peaks *out,
				  struct asc_err *e);

#endif
