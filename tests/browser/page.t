#!/bin/sh
# The report in headless Chromium. Needs chromium and python3 (ci/setup browser installs them, and axe-core) and is skipped without;
# installs nothing. With LOOK=FOLDER pictures and pages stay there.
here=$(cd "$(dirname "$0")" && pwd)
build=${ASCTUNE_BUILD:-${here%/tests/browser}/build/dev}
unset ASCTUNE_DB ASCTUNE_DEBUG
for tool in chromium python3; do
	if ! command -v $tool >/dev/null; then
		echo "1..0 # SKIP $tool is not installed: ci/setup browser does that"
		exit 0
	fi
done
[ -z "${LOOK:-}" ] || mkdir -p "$LOOK"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/page_checks.py" "$build/asctune" chromium ${LOOK:+"$LOOK"}
