#!/bin/sh
# Pages of the report, of a night, of 45 nights with each kind of change, of a year, of 10,000 trials, with hostile names, without gnuplot: their
# structure, and what they look like in headless Chromium where that is installed (ci/setup browser does that, and fetches axe-core). Needs python3;
# installs nothing. With LOOK=FOLDER pictures and pages stay there.
here=$(cd "$(dirname "$0")" && pwd)
build=${ASCTUNE_BUILD:-${here%/tests/browser}/build/dev}
unset ASCTUNE_DB ASCTUNE_DEBUG
if ! command -v python3 >/dev/null; then
	echo "1..0 # SKIP python3 is not installed: ci/setup browser does that"
	exit 0
fi
[ -z "${LOOK:-}" ] || mkdir -p "$LOOK"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/page_checks.py" "$build/asctune" "$(command -v chromium)" ${LOOK:+"$LOOK"}
