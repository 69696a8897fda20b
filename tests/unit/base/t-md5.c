/* MD5: the test suite of RFC 1321 (A.5), and lengths around the ends of blocks against Python's
 * hashlib.
 * covers: md5.c */
#include "tuner/base/md5.h"

#include <string.h>

#include "tests/tap.h"

int main(void)
{
	static const char *const suite[][2] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"a", "0cc175b9c0f1b6a831c399e269772661"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
		{"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		 "d174ab98d277d9f5a5611c2c9f419d9f"},
		{"1234567890123456789012345678901234567890123456789012345678901234567890123456789"
		 "0",
		 "57edf4a22be3c955ac49da2e2107b67a"},
	};
	static const struct {
		size_t n;
		const char *digest;
	} lengths[] = {
		{55, "04364420e25c512fd958a70738aa8f72"},
		{56, "668a72d5ba17f08e62dabcafad6db14b"},
		{63, "7dc2ca208106a2f703567bdff99d8981"},
		{64, "c1bb4f81d892b2d57947682aeb252456"},
		{65, "1bc932052302d074bdec39795fe00cf6"},
		{119, "ab347a5f68c8a443cfcddc633f12c24f"},
		{120, "fb98667f98096de92620b64f46e1c5b5"},
		{128, "d69cb61a6ee87200676eb0d4b90edbcb"},
		{200, "30a83621ce5422fbdfdd539777458c78"},
	};
	char text[MD5_TEXT_SIZE], zeros[200];

	for (size_t i = 0; i < sizeof suite / sizeof *suite; i++) {
		md5_print(suite[i][0], strlen(suite[i][0]), text);
		tap_str(text, suite[i][1], "\"%s\"", suite[i][0]);
	}
	memset(zeros, 'x', sizeof zeros);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		md5_print(zeros, lengths[i].n, text);
		tap_str(text, lengths[i].digest, "%zu times x", lengths[i].n);
	}
	return tap_done();
}
