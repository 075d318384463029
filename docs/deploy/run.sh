#!/bin/sh
# Runs one program of Namedex in the foreground: run.sh start | serve | gateway. Stop it with SIGINT or SIGTERM.
# Or an operator's program with its arguments: run.sh release list; also keys, roles, backup, restore, verify, labels, snapshot and export.
# It runs node without npm, so that signals reach the program, and its exit code reaches the supervisor. Where `npm ci` brought
# a Node.js, as it does with the packages of developers, that one runs; else the machine's.
set -eu
cd "$(dirname "$0")/../.."
program="${1:-}"
[ $# -eq 0 ] || shift
node=node_modules/.bin/node
[ -x "$node" ] || node=node
version="$("$node" -p 'process.versions.node' 2>/dev/null || echo none)"
case "${version%%.*}" in
  2[4-9] | [3-9][0-9]) ;;
  *)
    echo "run.sh: Node.js 24 or later is needed, and this machine has $version: install it, for example from https://nodejs.org" >&2
    exit 78
    ;;
esac
case "$program" in
  gateway) exec "$node" gateway/index.ts ;;
  start | serve | release | keys | roles | backup | restore | verify | labels | snapshot | export) exec "$node" "ops/$program.ts" "$@" ;;
  *)
    echo "run.sh: expected start, serve, gateway, release, keys, roles, backup, restore, verify, labels, snapshot or export, for example run.sh start" >&2
    exit 64
    ;;
esac
