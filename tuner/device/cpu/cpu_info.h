/* This machine's processor: facts, read from /proc and /sys, where what these files lack stays
 * unknown; and peaks of its units and its memory, measured (cpu_peaks.c). */
#ifndef ASCTUNE_DEVICE_CPU_CPU_INFO_H
#define ASCTUNE_DEVICE_CPU_CPU_INFO_H

#include "tuner/device/device.h"

/* Fills and seals *out. */
enum asc_status cpu_info_read(struct device_info *out, struct asc_err *e);

/* Measures with all hardware threads that the process may run on, each kept on one of them, at five
 * moments within half a second. FLOP/s are those of independent chains of multiply-adds in the
 * widest vectors that help, in f32 or f64, and 0 for other types. Bandwidth is that of a[i] = b[i]
 * + s * c[i] over memory of at least four times the last-level caches together, three transfers an
 * element (McCalpin's STREAM, which does not count that a line is read before it is written
 * either). A moment in which threads waited for processors is busy. The row of memory is missing
 * when there is too little memory for that. */
enum asc_status cpu_peaks_measure(const struct facts *f, enum dtype type, struct peaks *out,
				  struct asc_err *e);

#endif
