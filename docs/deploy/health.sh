#!/bin/sh
# Exits 0 if the program on PORT answers at all. It does not check whether the index is current (/indexing-status does): a
# process that is still indexing must not be killed.
set -eu
exec node -e 'fetch(`http://127.0.0.1:${process.env.PORT ?? 42069}${process.argv[1]}`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' "${1:-/health}"
