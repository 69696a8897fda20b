/* Files that a source includes, and their digest.
 * covers: sources.c include_scan.c source_places.c */
#include "tuner/workload/sources/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/sources/include_scan.h"

static char *folder;

/* ---- words of a text ---- */

static void check_imports(const char *what, const char *text, const char *want)
{
	struct buf words = {0};

	import_scan(text, &words);
	for (size_t i = 0; i < words.len; i++)
		if (words.data[i] == '\0')
			words.data[i] = ' ';
	tap_str(buf_str(&words), want, "imports: %s", what);
	buf_fini(&words);
}

static void test_imports(void)
{
	check_imports("a module of the folder around it", "import os\nfrom ..rows import walk\n",
		      "pos/__init__.py pos.py p../rows/__init__.py p../rows.py "
		      "p../rows/walk/__init__.py p../rows/walk.py ");
	check_imports("a module of a package", "  from .a.b_1 import c, d # e\nfrom .",
		      "pa/__init__.py pa/b_1/__init__.py pa/b_1.py pa/b_1/c/__init__.py "
		      "pa/b_1/c.py pa/b_1/d/__init__.py pa/b_1/d.py ");
	check_imports("modules by their names", "from ... import (f,\n  g)\n",
		      "p../../__init__.py p../../f/__init__.py p../../f.py ");
	check_imports("one beside it, within a function", "\tfrom a import b; c\n",
		      "pa/__init__.py pa.py pa/b/__init__.py pa/b.py ");
	check_imports("several", "import a.b,c\n",
		      "pa/__init__.py pa/b/__init__.py pa/b.py pc/__init__.py pc.py ");
	check_imports("what is no import",
		      "fromage = '.'\nimporter\nx = from .y\nfrom = 1\nimport\n", "");
}

static void check_bytes(const char *what, const char *text, size_t n, const char *want)
{
	struct buf words = {0};

	include_scan(text, n, &words);
	for (size_t i = 0; i < words.len; i++)
		if (words.data[i] == '\0')
			words.data[i] = ' ';
	tap_str(buf_str(&words), want, "scan: %s", what);
	buf_fini(&words);
}

static void check_scan(const char *what, const char *text, const char *want)
{
	check_bytes(what, text, strlen(text), want);
}

static void test_scan(void)
{
	static const char nul[] = "int i;\0\n#include \"a.h\"\n";

	check_bytes("NUL hides what is behind it", nul, sizeof nul - 1, "? ");
	check_scan("a carriage return ends a line for some compilers",
		   "int i; // x\r#include \"a.h\"\n#include \"b.h\"\r\n", "? nb.h ");
	check_scan("a mark of the byte order", "\xef\xbb\xbf#include \"a.h\"\n", "na.h ");
	check_scan("both kinds of names", "#include \"a.h\"\n # include<b.h>\n", "na.h nb.h ");
	check_scan("not in a comment or a text",
		   "/* #include \"a.h\"\n#include \"b.h\" */ // \\\n#include \"c.h\"\n"
		   "x = \"\\\n#include <d.h>\";\n",
		   "");
	check_scan("a comment between", "/**/#/**/include/* x */<a.h>/* y\n", "na.h ");
	check_scan("slashes in a name", "#include <a//b.h>\n#include \"c/*.h\"\n",
		   "na//b.h nc/*.h ");
	check_scan("quotes in a comment do not matter", "// don't \"\n#include \"a.h\"\n", "na.h ");
	check_scan("a literal ends with its line", "#error don't\n#include \"a.h\"\n", "na.h ");
	check_scan("continued lines", "#inc\\\nlude \\  \n \"a\\\r\n.h\"\n", "na.h ");
	check_scan("digraph and trigraph", "%:include <a.h>\n?\?=include <b.h>\n", "na.h nb.h ");
	check_scan("other directives", "#import <a.h>\n#include_next <b.h>\n#embed \"c\"\n",
		   "na.h nb.h nc ");
	check_scan("what is no directive", "#includes <a.h>\n#pragma include \"b.h\"\nint i;\n",
		   "");
	check_scan("macros", "#define A \"a.h\"\n#define B C\n#define D 1\n#define E(x) x\n",
		   "dA=\"a.h\" dB=C ");
	check_scan("macro names", "#include A /* */\n#include A(b)\n#include\n", "mA ?A ? ");
	check_scan("a name that is asked for",
		   "#if __has_include(\"a.h\") && __has_include(<b.h>)\n", "na.h nb.h ");
	check_scan("a file of bytes", "asm(\".incbin \\\"a.bin\\\"\");\n", "ba.bin ");
	check_scan("a raw string does not open a comment",
		   "char a[] = R\"(\" /* )\";\n#include \"a.h\"\n/* */\n", "na.h ");
	check_scan("a raw string with a delimiter",
		   "char a[] = u8R\"x(\" /* )\")x\";\n#include \"a.h\"\n/* */\n", "na.h ");
	check_scan("where it is a name beside a string", "R\"(\"\n#include \"a.h\"\n//)\";\n",
		   "na.h ");
	check_scan("a raw string without an end", "R\"x(\"\n#include \"a.h\"\n", "na.h na.h ");
	check_scan("bytes named in a raw string", "asm(R\"(.incbin \"a.bin\")\");\n",
		   "ba.bin ba.bin ");
	check_scan("assembler's text", "asm(\".include \\\"a.inc\\\"\");\n", "ba.inc ");
}

/* ---- keys ---- */

static void put(const char *name, const char *text)
{
	struct asc_err e;
	char *path = path_join(folder, name);

	if (file_write(path, text, strlen(text), &e))
		tap_ok(false, "%s", e.text);
	free(path);
}

static const char *key_of(const char *name, const char *const *flags)
{
	static char keys[2][HASH_TEXT_SIZE];
	static unsigned turn;
	char *key = keys[turn++ % 2], *path = path_join(folder, name);
	struct hash h;
	struct asc_err e;

	hash_init(&h);
	sources_hash(path, flags, &h);
	tap_int(hash_end(&h, key, &e), ASC_OK, "a key of %s", name);
	free(path);
	return key;
}

static void check_changed(const char *what, const char *source, const char *const *flags,
			  const char *header, bool changes)
{
	put("k.c", source);
	put(header, "1\n");
	const char *before = key_of("k.c", flags);
	put(header, "2\n");
	tap_ok((strcmp(before, key_of("k.c", flags)) != 0) == changes, "%s: the key %s", what,
	       changes ? "changes" : "stays");
}

static void test_keys(void)
{
	char *sub = path_join(folder, "sub"), *flag = str_print("-I%s", sub);
	const char *const flags[] = {flag, NULL}, *const apart[] = {"-I", sub, NULL};
	struct asc_err e;

	tap_int(dir_make(sub, &e), ASC_OK, "a folder");
	check_changed("a header elsewhere", "#include \"s.h\"\n", NULL, "sub/s.h", false);
	check_changed("with -I", "#include \"s.h\"\n", flags, "sub/s.h", true);
	check_changed("with -I of its own", "#include <s.h>\n", apart, "sub/s.h", true);
	check_changed("in a header", "#include \"sub/a.h\"\n#include \"b.h\"", NULL, "b.h", true);
	put("sub/a.h", "#include \"c.h\"\n");
	check_changed("beside that header", "#include \"sub/a.h\"\n", NULL, "sub/c.h", true);
	check_changed("not beside the source", "int i;\n", NULL, "sub/c.h", false);
	put("names.h", "#define C B\n#define B \"sub/d.h\"\n");
	check_changed("a macro of a header", "#include \"names.h\"\n#include C\n", NULL, "sub/d.h",
		      true);
	check_changed("a macro that nobody defines", "#include X\n", NULL, "sub/x.h", true);
	check_changed("and what is no source", "#include X\n", NULL, "sub/x.db", false);
	char *here = getcwd(NULL, 0);
	put("sub/here.h", "1\n");
	put("here.c", "#include \"here.h\"\nasm(\".incbin \\\"here.bin\\\"\");\n");
	char elsewhere[HASH_TEXT_SIZE];
	memcpy(elsewhere, key_of("here.c", NULL), sizeof elsewhere);
	tap_int(chdir(sub), 0, "in another folder");
	tap_str(key_of("here.c", NULL), elsewhere, "a header of the same name does not matter");
	put("sub/here.bin", "1\n");
	tap_ok(strcmp(key_of("here.c", NULL), elsewhere) != 0, "a file of bytes does");
	tap_int(chdir(here), 0, "back");
	free(here);
	put("loop.h", "#include \"sub/../loop.h\"\n#include \"./k.c\"\n");
	check_changed("files that include each other", "#include \"loop.h\"\n", NULL, "loop.h",
		      true);
	free(flag);
	free(sub);
}

/* Key of a kernel in Python with what it imports. */
static const char *key_all_of(const char *name)
{
	static char keys[2][HASH_TEXT_SIZE];
	static unsigned turn;
	char *key = keys[turn++ % 2], *path = path_join(folder, name);
	struct asc_err e;

	tap_int(sources_key_all(path, key, &e), ASC_OK, "a key of %s with its imports", name);
	free(path);
	return key;
}

static void test_keys_of_imports(void)
{
	char *own = path_join(folder, "own"), *path = path_join(folder, "own/k.py");
	char key[HASH_TEXT_SIZE];
	struct asc_err e;

	tap_int(dir_make(own, &e), ASC_OK, "a folder");
	put("own/k.py", "#include \"loop.h\"\nimport rows\n");
	tap_int(sources_key(path, key, &e), ASC_OK, "a key");
	tap_str(key_all_of("own/k.py"), key,
		"the key of a text without imports is that of its bytes");
	put("own/k.py", "from ..rows import walk\n");
	put("rows.py", "from .deep import one\n");
	put("deep.py", "one = 1\n");
	const char *before = key_all_of("own/k.py");
	put("deep.py", "one = 22\n");
	tap_ok(strcmp(before, key_all_of("own/k.py")) != 0,
	       "the key changes with what an imported file imports");
	free(path);
	free(own);
}

static void test_write(void)
{
	char *source = path_join(folder, "list.c");
	struct buf list = {0}, want = {0};
	struct json_writer w = {&list, false};
	struct asc_err e;
	char key[HASH_TEXT_SIZE], header_key[HASH_TEXT_SIZE];

	put("list.c", "#include \"list.h\"\n#include \"list.h\"\n");
	put("list.h", "3\n");
	char *header = path_join(folder, "list.h");
	tap_ok(!sources_key(source, key, &e) && !sources_key(header, header_key, &e), "keys");
	buf_print(&want, "{\"list.c\":\"%s\",\"list.h\":\"%s\"}", key, header_key);
	tap_int(sources_write(source, NULL, folder, &w, &e), ASC_OK, "a list");
	tap_str(buf_str(&list), buf_str(&want), "the source and its header, once, with their keys");
	buf_clear(&list);
	(void)remove(source);
	tap_int(sources_write(source, NULL, folder, &w, &e), ASC_NOTFOUND,
		"no list of a missing source");
	buf_fini(&list);
	buf_fini(&want);
	free(source);
	free(header);
}

static void test_watch(void)
{
	char *header = path_join(folder, "w.h");

	put("w.h", "1\n");
	put("w.c", "#include \"w.h\"\n");
	sources_watch();
	(void)key_of("w.c", NULL);
	tap_ok(!sources_find_changed(), "nothing has changed");
	put("w.h", "1\n");
	tap_ok(!sources_find_changed(), "a file that was written anew with its text has not");
	put("w.h", "2\n");
	tap_str(sources_find_changed(), header, "a header has");
	(void)key_of("w.c", NULL);
	tap_str(sources_find_changed(), header, "and still has when it is looked at again");
	put("w.h", "1\n");
	tap_ok(!sources_find_changed(), "it is as it was");
	(void)remove(header);
	tap_str(sources_find_changed(), header, "a file that is gone has changed");
	sources_watch();
	tap_ok(!sources_find_changed(), "a new watch knows nothing");
	put("w.h", "1\n");
	sources_note(false);
	(void)key_of("w.c", NULL);
	put("w.h", "2\n");
	tap_ok(!sources_find_changed(), "what is not noted may change");
	sources_note(true);
	(void)key_of("w.c", NULL);
	put("w.h", "1\n");
	tap_str(sources_find_changed(), header, "and is noted when it is looked at again");
	/* Two problems that are measured at once. */
	const unsigned first = sources_watches();
	sources_watch_again(0);
	sources_watch();
	const unsigned second = sources_watches();
	tap_ok(second != first && !sources_find_changed(), "another watch beside it knows nothing");
	sources_watch_again(first);
	tap_str(sources_find_changed(), header, "and the first one still does");
	sources_watch();
	tap_ok(!sources_find_changed(), "until it ends");
	sources_watch_again(second);
	(void)key_of("w.c", NULL);
	put("w.h", "2\n");
	tap_str(sources_find_changed(), header, "the second one has notes of its own");
	free(header);
}

int main(void)
{
	struct asc_err e;

	test_scan();
	test_imports();
	if (tap_ok(dir_make_scratch("t-sources", &folder, &e) == ASC_OK, "a scratch folder")) {
		test_keys();
		test_keys_of_imports();
		test_write();
		test_watch();
	}
	dir_remove(folder);
	free(folder);
	return tap_done();
}
