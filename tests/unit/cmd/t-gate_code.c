/* What a change did to the code of kernels: cubins of two chips stand for a base and a head
 * (tests/data/code/steps.cu says how they were made; figures and opcodes are those of nvdisasm and
 * cuobjdump 13.5.37, as t-code_file.c has them). The disassembler is a script that prints what
 * nvdisasm did.
 * covers: gate_code.c code_against.c */
#include "tuner/cmd/gate/gate_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/code/code_against.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/code/code_listing.h"

#define DATA TEST_DATA "/data/code/"

enum { COLUMNS = 69, KERNELS = 7 };

static const volatile sig_atomic_t no_stop = 0;
static struct run_options options;

static void take(struct gate_side *s, const char *file, const char *launch)
{
	struct asc_err e;

	if (code_side_open_file(file, &s->code, &e))
		tap_ok(false, "%s: %s", file, e.text);
	(void)snprintf(s->launch, sizeof s->launch, "%s", launch);
}

/* A kernel that was measured, of two files. */
static struct gate_kernel *add(struct gate *g, const char *base, const char *head,
			       enum gate_verdict v)
{
	struct gate_kernel *k = &g->list[g->n++];
	static const char *const problems[KERNELS] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6"};

	*k = (struct gate_kernel){.workload = "w",
				  .problem = problems[g->n - 1],
				  .implementation = "i",
				  .verdict = v,
				  .reached = GATE_REACHED};
	take(&k->sides[GATE_BASE], base, "one");
	take(&k->sides[GATE_HEAD], head, "another");
	return k;
}

static struct gate begin(struct gate_kernel list[KERNELS])
{
	return (struct gate){.list = list, .options = &options, .stop = &no_stop};
}

static void end(struct gate *g)
{
	for (size_t i = 0; i < g->n; i++) {
		for (size_t t = 0; t < GATE_TREES; t++)
			code_side_fini(&g->list[i].sides[t].code);
		gate_code_fini(&g->list[i].code);
	}
}

static const char *text_of(const struct gate_kernel *k)
{
	static char out[8192];
	struct buf b = {0};
	size_t widest = 0;

	gate_code_print(k, COLUMNS, &b);
	(void)snprintf(out, sizeof out, "%s", buf_str(&b));
	buf_fini(&b);
	for (char *at = out; *at; at += strcspn(at, "\n") + 1) {
		char *line = str_print("%.*s", (int)strcspn(at, "\n"), at);
		const size_t n = columns_count(line);

		widest = n > widest ? n : widest;
		free(line);
	}
	tap_ok(widest <= COLUMNS, "%zu columns of %d", widest, COLUMNS);
	return out;
}

/* Puts a program in front of all others; NULL: there is none at all. */
static void use_disassembler(const char *folder, const char *script)
{
	char *path = path_join(folder, "nvdisasm");
	FILE *f;

	(void)setenv("ASCTUNE_PYTHON", "/nonexistent/python", 1);
	(void)setenv("CUDA_HOME", "/nonexistent", 1);
	(void)setenv("CUDA_PATH", "/nonexistent", 1);
	(void)setenv("PATH", script ? folder : "/nonexistent", 1);
	if (script && (f = fopen(path, "w")) != NULL) {
		(void)fputs(script, f);
		(void)fclose(f);
		(void)chmod(path, 0755);
	}
	free(path);
}

/* A script that prints the listing of `scale` for the chip whose cubin it is asked about. */
static char *listing_script(void)
{
	struct buf b = {0};
	static const char *const chips[] = {"90", "120"};

	buf_add_str(&b, "#!/bin/sh\n");
	for (size_t i = 0; i < 2; i++) {
		struct buf sass = {0};
		struct asc_err e;
		char *path = str_print(DATA "scale-%s.sass", chips[i]);

		(void)file_read(path, 0, &sass, &e);
		buf_print(&b, "case $2 in *-%s.cubin) echo '%s' ;; esac\n", chips[i],
			  buf_str(&sass));
		buf_fini(&sass);
		free(path);
	}
	return buf_take(&b);
}

/* Leaves the kernel `scale` alone, which the listings have. */
static void keep_scale(struct gate_kernel *k)
{
	for (size_t t = 0; t < GATE_TREES; t++) {
		struct code_side *s = &k->sides[t].code;
		const size_t at = strcmp(s->kernels[0].name, "scale") == 0 ? 0 : 1;
		const struct code_kernel other = s->kernels[!at];

		s->kernels[0] = s->kernels[at];
		s->n = 1;
		free(other.path);
		free(other.entry);
		free(other.name);
		free(other.source);
	}
}

static void test_without_disassembler(void)
{
	static const char figures[] =
		"keep:\nspills 106 -> 206, stack 112 B -> 160 B, instructions 272 -> 472,\n"
		"in loops 99 -> 194\n";
	struct gate_kernel list[KERNELS];
	struct gate g = begin(list);
	struct buf missing = {0};
	char reason[512];
	struct asc_err e;

	use_disassembler(NULL, NULL);
	add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SLOWER);
	tap_int(gate_code_find(&g, &e), ASC_OK, "two kernels of a cubin");
	const char *text = text_of(&list[0]);

	tap_ok(strncmp(text, figures, strlen(figures)) == 0, "figures that differ, folded:\n%s",
	       text);
	tap_ok(strstr(text, "scale:\nregisters 14 -> 16\n"
			    "ULDC 5 -> 0, LDCU 0 -> 4, IADD 0 -> 1, IADD3 1 -> 0, IMAD 3 -> 4,\n"
			    "LDC 3 -> 4, S2R 2 -> 1, S2UR 0 -> 1, UIMAD 1 -> 0\n"),
	       "opcodes that differ most come first");
	gate_code_print_missing(&g, &missing);
	/* A toolkit in its usual place has one whatever the environment says. */
	if (!code_listing_check(true, reason, sizeof reason)) {
		tap_ok(!strstr(text, "\n- ") && !strstr(text, "\n+ "), "no instruction is listed");
		tap_ok(strstr(buf_str(&missing), reason), "what would list them is said: %s",
		       buf_str(&missing));
		tap_int((long long)strcspn(buf_str(&missing), "\n") + 1, (long long)missing.len,
			"once");
	}
	buf_fini(&missing);
	end(&g);
}

static void test_instructions(const char *folder)
{
	struct gate_kernel list[KERNELS];
	struct gate g = begin(list);
	char *script = listing_script();
	struct asc_err e;

	use_disassembler(folder, script);
	keep_scale(add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SLOWER));
	keep_scale(add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_FASTER));
	keep_scale(add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_FASTER));
	keep_scale(add(&g, DATA "steps-90.cubin", DATA "steps-90.cubin", GATE_FASTER));
	list[2].sides[GATE_HEAD].code.kernels[0].dynamic_bytes = 16384;
	tap_int(gate_code_find(&g, &e), ASC_OK, "with a disassembler");
	tap_str(text_of(&list[0]),
		"registers 14 -> 16\n"
		"ULDC 5 -> 0, LDCU 0 -> 4, IADD 0 -> 1, IADD3 1 -> 0, IMAD 3 -> 4,\n"
		"LDC 3 -> 4, S2R 2 -> 1, S2UR 0 -> 1, UIMAD 1 -> 0\n"
		"- IADD3 R, R, UR, R  (in a loop)\n"
		"+ IADD R, R, R  (in a loop)\n"
		"- S2R R, SR_CTAID.X\n"
		"- ULDC UR, c[#][#]  (4 times)\n"
		"+ S2UR UR, SR_CTAID.X\n"
		"+ LDCU UR, c[#][#]  (3 times)\n"
		"in all 8 only in the base (-), 8 only in the head (+)\n",
		"the first instructions of each side");
	tap_ok(gate_code_find_cut(&list[0]) == &list[0].code.list[0], "there are others");
	tap_str(text_of(&list[1]), "code as w/p0 i\n", "code that changed likewise");
	tap_ok(strstr(text_of(&list[2]), "shared memory 0 B -> 16 KiB"),
	       "shared memory of the launch counts, and is not likewise");
	tap_str(text_of(&list[3]), "the code is the same: its launch is another\n",
		"equal code that is launched otherwise");
	free(script);
	end(&g);
}

/* Whose code is told. */
static void test_choice(void)
{
	struct gate_kernel list[KERNELS];
	struct gate g = begin(list);
	struct asc_err e;

	use_disassembler(NULL, NULL);
	add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SAME);
	(void)snprintf(add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SLOWER)
			       ->sides[GATE_HEAD]
			       .launch,
		       4, "one");
	add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_UNDECIDED)->reached =
		GATE_NOT_REACHED;
	tap_int(gate_code_find(&g, &e), ASC_OK, "nothing to tell");
	tap_str(text_of(&list[0]), "", "of what is the same");
	tap_str(text_of(&list[1]), "", "of equal launches");
	tap_str(text_of(&list[2]), "", "of what was not reached");
	options.json = true;
	tap_int(gate_code_find(&g, &e), ASC_OK, "JSON has more");
	tap_int((long long)list[0].code.n, 2, "what is the same, too");
	options.json = false;
	end(&g);
}

/* People are shown the first five; one that changed likewise is none of these. */
static void test_many(void)
{
	struct gate_kernel list[KERNELS];
	struct gate g = begin(list);
	struct buf missing = {0};
	struct asc_err e;

	use_disassembler(NULL, NULL);
	for (int i = 0; i < KERNELS; i++) {
		struct gate_kernel *k =
			add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SLOWER);

		k->sides[GATE_HEAD].code.kernels[0].dynamic_bytes = i == 1 ? 0 : i;
	}
	tap_int(gate_code_find(&g, &e), ASC_OK, "seven kernels");
	tap_ok(list[1].code.as == &list[0] && list[5].code.n > 0 && list[6].code.n == 0,
	       "five and one that changed likewise are shown");
	gate_code_print_missing(&g, &missing);
	tap_ok(strstr(buf_str(&missing), "--json has what changed in the code of 1 more\n"),
	       "of the others it is said where they are");
	buf_fini(&missing);
	end(&g);
}

/* What stands elsewhere on the other side is no difference, in a loop and in none are two. */
static void test_moved(void)
{
	static char mov[] = "mov %r,%r", add_text[] = "add $,%r";
	struct code_change changes[] = {{1, true, mov, 2},
					{0, false, mov, 1},
					{0, true, add_text, 2},
					{0, false, add_text, 3},
					{0, true, mov, 1}};
	const struct code_kernel kernel = {.name = mov};
	struct code_against against = {.sides = {&kernel, &kernel},
				       .lines = {.list = changes, .n = 5}};
	const struct gate_kernel k = {.code = {&against, 1, NULL}};

	tap_str(text_of(&k), "+ mov %r,%r  (2 times, in loops)\n- add $,%r\n",
		"more of either side");
	against.lines.list++;
	against.lines.n = 1;
	changes[1].added = true;
	changes[1].n = 0;
	tap_str(text_of(&k), "the same instructions in another order\n", "nothing more of either");
}

/* A kernel beside a function of a library, which has no file. */
static void test_library(void)
{
	struct gate_kernel list[KERNELS];
	struct gate g = begin(list);
	struct buf missing = {0}, line = {0};
	struct json_writer w = {&line, false};
	char reason[512];
	struct asc_err e;

	use_disassembler(NULL, NULL);
	add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SLOWER);
	for (size_t t = 0; t < GATE_TREES; t++) {
		struct code_kernel *k = &list[0].sides[t].code.kernels[0];

		free(k->path);
		k->path = NULL;
		*k->runs = '\0';
		k->counts = (struct code_counts){.bytes = 0};
	}
	tap_int(gate_code_find(&g, &e), ASC_OK, "a kernel beside a function of a library");
	tap_ok(strncmp(text_of(&list[0]), "scale:\nregisters 14 -> 16\n", 26) == 0,
	       "the kernel alone is told");
	gate_code_print_missing(&g, &missing);
	tap_ok(!strstr(buf_str(&missing), "library"), "what is missing has another reason");
	json_write_begin(&w, NULL, '{');
	gate_code_write(&list[0], &w);
	json_write_end(&w, '}');
	tap_ok(strstr(buf_str(&line), "{\"not_counted\":\"keep is a function of a library, which "
				      "asctune does not build\",\"figures\":{}}"),
	       "JSON has the reason, and no figures");
	buf_fini(&line);
	if (!code_listing_check(true, reason, sizeof reason))
		tap_ok(strstr(buf_str(&missing), reason), "which is said");
	buf_fini(&missing);
	end(&g);
}

static void test_json(const char *folder)
{
	struct gate_kernel list[KERNELS];
	struct gate g = begin(list);
	struct buf line = {0};
	struct json_writer w = {&line, false};
	char *script = listing_script();
	struct asc_err e;

	use_disassembler(folder, script);
	keep_scale(add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SLOWER));
	tap_int(gate_code_find(&g, &e), ASC_OK, "JSON");
	json_write_begin(&w, NULL, '{');
	gate_code_write(&list[0], &w);
	json_write_end(&w, '}');
	const char *const wanted[] = {
		"{\"code\":[{\"kernel\":\"scale\",\"head\":{\"file\":",
		"\"capability\":120,\"figures\":{\"code_registers\":16,",
		"\"base\":{\"file\":",
		"\"capability\":90,\"figures\":{\"code_registers\":14,",
		"\"same_code\":false,\"opcodes\":[{\"name\":\"ULDC\",\"base\":5,\"head\":0},{"
		"\"name\":\"LDCU\",\"base\":0,\"head\":4},",
		"{\"name\":\"NOP\",\"base\":15,\"head\":15}",
		"\"same\":32,\"only_base\":8,\"only_head\":8,\"lines\":[{\"loop\":1,\"only\":"
		"\"base\",\"times\":1,\"text\":\"IADD3 R, R, UR, R\"},"};

	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		tap_ok(strstr(buf_str(&line), wanted[i]), "has %s", wanted[i]);
	buf_fini(&line);
	free(script);
	end(&g);
}

/* The same where memory runs out. */
static enum asc_status find_and_print(struct asc_err *e)
{
	static const char *const files[GATE_TREES] = {DATA "steps-90.cubin",
						      DATA "steps-120.cubin"};
	struct gate_kernel list[KERNELS] = {{.verdict = GATE_SLOWER, .reached = GATE_REACHED}};
	struct gate g = begin(list);
	struct buf text = {0};
	struct json_writer w = {&text, false};
	enum asc_status s = ASC_OK;

	g.n = 1;
	for (size_t t = 0; s == ASC_OK && t < GATE_TREES; t++) {
		s = code_side_open_file(files[t], &list[0].sides[t].code, e);
		(void)snprintf(list[0].sides[t].launch, sizeof list[0].sides[t].launch, "%zu", t);
	}
	if (s == ASC_OK)
		s = gate_code_find(&g, e);
	if (s == ASC_OK) {
		gate_code_print(&list[0], COLUMNS, &text);
		json_write_begin(&w, NULL, '{');
		gate_code_write(&list[0], &w);
		json_write_end(&w, '}');
		s = buf_check(&text, e);
	}
	if (s == ASC_OK)
		nomem_give(buf_str(&text));
	buf_fini(&text);
	end(&g);
	return s;
}

/* A disassembler that never ends is waited for once, and takes nothing else away. */
static void test_hanging(const char *folder)
{
	struct gate_kernel list[KERNELS];
	struct gate g = begin(list);
	struct buf missing = {0};
	struct asc_err e;

	use_disassembler(folder, "#!/bin/sh\nwhile :; do :; done\n");
	keep_scale(add(&g, DATA "steps-90.cubin", DATA "steps-120.cubin", GATE_SLOWER));
	keep_scale(add(&g, DATA "steps-90.cubin", DATA "steps-75.cubin", GATE_SLOWER));
	tap_int(gate_code_find(&g, &e), ASC_OK, "a disassembler that hangs");
	tap_ok(strncmp(text_of(&list[0]), "registers 14 -> 16\nULDC 5 -> 0,", 31) == 0,
	       "figures and opcodes are there");
	gate_code_print_missing(&g, &missing);
	tap_ok(strstr(buf_str(&missing), "was stopped after 5"), "it was stopped: %s",
	       buf_str(&missing));
	tap_ok(strstr(buf_str(&missing), "\nthe code of 1 more was not looked at, for time\n"),
	       "and not asked again");
	buf_fini(&missing);
	end(&g);
}

int main(void)
{
	char folder[] = "/tmp/asctune-gate-code.XXXXXX";

	if (!mkdtemp(folder))
		return 1;
	test_without_disassembler();
	test_instructions(folder);
	test_choice();
	test_library();
	test_many();
	test_moved();
	test_json(folder);
	use_disassembler(NULL, NULL);
	nomem_exhaust("the code of a kernel", find_and_print);
	test_hanging(folder);
	dir_remove(folder);
	return tap_done();
}
