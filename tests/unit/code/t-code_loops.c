/* Loops of small pieces of code, each written as what its instructions may be followed by.
 * covers: code_loops.c */
#include "tuner/code/code_loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { MOST = 64 };

/* Draws a piece of code: '.' goes on, '$' ends; '0' to '9' jumps there, if it likes, and 'a' to 'j'
 * whatever happens. Returns the loop of each instruction as a text, '.' for none. */
static const char *find(const char *code)
{
	static char out[MOST];
	struct code_step steps[MOST] = {0};
	uint32_t loop_of[MOST];
	size_t n = strlen(code), n_loops;
	struct asc_err e;

	for (size_t i = 0; i < n; i++) {
		const bool likes = code[i] >= '0' && code[i] <= '9';
		const bool always = code[i] >= 'a' && code[i] <= 'j';

		steps[i] = (struct code_step){likes    ? code[i] - '0'
					      : always ? code[i] - 'a'
						       : -1,
					      code[i] == '.' || likes};
	}
	if (code_loops_find(steps, n, loop_of, &n_loops, &e))
		return "failed";
	for (size_t i = 0; i < n; i++)
		out[i] = (char)(loop_of[i] ? '0' + (int)loop_of[i] : '.');
	out[n] = '\0';
	return out;
}

static void test_pieces(void)
{
	static const struct {
		const char *code, *loops, *what;
	} pieces[] = {
		{"...$", "....", "code without a branch"},
		{"..3.$", ".....", "a jump forward"},
		{"...1.$", ".111..", "a loop that tests at its end"},
		{".5..b$", ".1111.", "one that tests at its head"},
		{"d..1.$", ".111..", "one that is entered at its test"},
		{"..2.0$", "..1...", "one instruction that may jump to itself, in another loop"},
		{"..21.0$", "..1....", "of three loops the innermost"},
		{"..1..4.0$", ".11.22...", "two loops within one"},
		{".4..b1$", ".1111..", "a way back that nothing comes to is none of the loop"},
		{"..$d", "....", "what ends the code and jumps to itself"},
		{".7..b.$.$", ".1111....", "a way out is none of the loop"},
		{"5..$.c", "......", "a way back that closes no loop"},
		{"..0", "111", "a loop at the end of the code"},
		{"..9...$.b", ".........", "a jump beyond the end"},
		{"..$..3$", "...111.", "what nothing comes to: an indirect branch may"},
		{".5.1.b$", ".11111.", "two ways back to one head"}};

	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
		tap_str(find(pieces[i].code), pieces[i].loops, "%s", pieces[i].what);
}

/* Code that no compiler would write ends soon all the same: loops within loops, and one with as
 * many entries as instructions. */
static void test_odd(void)
{
	enum { N = 200000 };
	struct code_step *steps = calloc(N, sizeof *steps);
	uint32_t *loop_of = calloc(N, sizeof *loop_of);
	size_t n_loops = 0;
	struct asc_err e;

	if (!steps || !loop_of)
		abort();
	for (size_t i = 0; i < N; i++)
		steps[i] = (struct code_step){i < N / 2 ? -1 : (int64_t)(N - 1 - i), true};
	tap_int(code_loops_find(steps, N, loop_of, &n_loops, &e), ASC_OK,
		"loops within loops, 100,000 of them");
	tap_int((long long)n_loops, 1, "have one within");
	for (size_t i = 0; i < N; i++)
		steps[i] = (struct code_step){(int64_t)(i * 7919 % N), true};
	tap_int(code_loops_find(steps, N, loop_of, &n_loops, &e), ASC_OK, "jumps from anywhere");
	tap_int(code_loops_find(steps, 0, loop_of, &n_loops, &e), ASC_OK, "no code");
	tap_int((long long)n_loops, 0, "has no loops");
	free(steps);
	free(loop_of);
}

int main(void)
{
	test_pieces();
	test_odd();
	return tap_done();
}
