#include "reports/plot/picture.h"

#include <stdlib.h>

static const char *const names[] = {
#define X(code, name, member) name,
	PICTURE_KIND_LIST(X)
#undef X
};

const char *picture_kind_name(enum picture_kind kind)
{
	return names[kind];
}

void picture_fini(struct picture *p)
{
	free(p->svg);
	free(p->reason);
	p->svg = p->reason = NULL;
}
