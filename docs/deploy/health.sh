#!/bin/sh
# health.sh: exits 0 if the program on PORT answers at all. Whether its index is current is no part of it: a process that
# is still indexing must not be killed.
# health.sh ready: exits 0 if names are answered, by the rule that callers get (/indexing-status). For load balancers.
# Ponder's route for that has another rule: it says 200 a moment too early, and goes on when the index stands still.
set -eu
if [ "${1:-}" = ready ]; then
  exec node -e 'fetch(`http://127.0.0.1:${process.env.PORT ?? 42069}/indexing-status`).then((r) => r.json()).then(({ ready }) => process.exit(ready === true ? 0 : 1), () => process.exit(1))'
fi
exec node -e 'fetch(`http://127.0.0.1:${process.env.PORT ?? 42069}${process.argv[1]}`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' "${1:-/health}"
