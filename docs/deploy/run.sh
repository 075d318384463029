#!/bin/sh
# Runs one program of Namedex in the foreground: run.sh start | serve | gateway. Stop it with SIGINT or SIGTERM.
# Or a program of operators (ops/*.ts) with its arguments: run.sh release list.
# It runs node without npm, so that signals reach the program, and its exit code reaches the supervisor. Where `npm ci` brought
# a Node.js, as it does with the packages of developers, that one runs; else the machine's.
set -eu
cd "$(dirname "$0")/../.."
program="${1:-}"
[ $# -eq 0 ] || shift
node=node_modules/.bin/node
[ -x "$node" ] || node=node
if ! command -v "$node" >/dev/null; then
  version=none
elif ! version="$("$node" -p 'process.versions.node' 2>&1)"; then
  echo "run.sh: Node.js does not start: $version" >&2 # It does not know an option of NODE_OPTIONS, for example.
  exit 78
fi
case "${version%%.*}" in
  2[4-9] | [3-9][0-9]) ;;
  *)
    echo "run.sh: Node.js 24 or later is needed, and this machine has $version: install it, for example from https://nodejs.org" >&2
    exit 78
    ;;
esac
case "$program" in
  */*) ;;
  *) [ ! -f "ops/$program.ts" ] || exec "$node" "ops/$program.ts" "$@" ;;
esac
programs="$(cd ops && for file in *.ts; do printf '%s, ' "${file%.ts}"; done)"
echo "run.sh: expected one of ${programs%, }; for example run.sh start" >&2
exit 64
