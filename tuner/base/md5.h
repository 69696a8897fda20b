/* MD5 (RFC 1321) of a short text: for keys in files of other programs that are made of it, and
 * where a seed is not to be read from what is made of it, which hash.h's keys do not promise.
 * Asctune's other keys are those of hash.h. */
#ifndef ASCTUNE_BASE_MD5_H
#define ASCTUNE_BASE_MD5_H

#include <stddef.h>

#define MD5_TEXT_SIZE 33

/* Prints the digest of n bytes as 32 hexadecimal digits. */
void md5_print(const void *data, size_t n, char text[MD5_TEXT_SIZE]);

#endif
