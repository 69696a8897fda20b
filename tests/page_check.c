/* page_check FILE: whether a page of the report is what markup_check.h says; for command-line
 * tests. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/markup_check.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

int main(int argc, char **argv)
{
	struct buf page = {0};
	struct asc_err e;

	if (argc != 2 || file_read(argv[1], 0, &page, &e))
		return 2;
	char *wrong = markup_check(buf_str(&page), page.len, MARKUP_PAGE);

	(void)puts(wrong ? wrong : "a page without faults");
	free(wrong);
	buf_fini(&page);
	return wrong != NULL;
}
