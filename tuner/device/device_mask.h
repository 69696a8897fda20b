/* Masks of references that lie in a device's memory: each number there has a word of a stream over
 * it, which a key makes. The key is handed to the launch that compares and never lies in that
 * memory, so that a kernel that finds a reference does not find its numbers.
 *
 * Word i is i enciphered in two rounds of a fixed permutation between three words of the key (an
 * iterated Even-Mansour cipher): a kernel that knows some numbers of a reference, and so some
 * words, does not have the others. cuda_checks_source.c has the same for the device. */
#ifndef ASCTUNE_DEVICE_DEVICE_MASK_H
#define ASCTUNE_DEVICE_DEVICE_MASK_H

#include <stddef.h>
#include <stdint.h>

struct device_mask {
	uint64_t key[3];
};

/* Draws a key: one for each reference, since two numbers under the same word tell their
 * difference. */
void device_mask_draw(struct device_mask *out);

/* Masks n numbers, of which the first is number `first` of the reference; done twice it takes the
 * mask off. `to` may be `from`. */
void device_mask_apply(const struct device_mask *m, uint64_t first, const double *from, size_t n,
		       double *to);

#endif
