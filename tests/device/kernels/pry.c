/* Writes one byte at `at` of a tensor that is read-only, whose page it makes writable first. */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void pry(uint8_t *out, int64_t at)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (mprotect((void *)((uintptr_t)(out + at) & ~(page - 1)), page, PROT_READ | PROT_WRITE) ==
	    0)
		out[at] = 7;
}
