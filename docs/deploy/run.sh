#!/bin/sh
# Runs one program of Namedex in the foreground: run.sh start | serve | gateway. Stop it with SIGINT or SIGTERM.
# Or an operator's program with its arguments: run.sh release list; also keys, roles, backup, restore, verify and snapshot.
# It runs node without npm, so that signals reach the program, and its exit code reaches the supervisor.
set -eu
cd "$(dirname "$0")/../.."
program="${1:-}"
[ $# -eq 0 ] || shift
case "$program" in
  gateway) exec node gateway/index.ts ;;
  start | serve | release | keys | roles | backup | restore | verify | snapshot) exec node "ops/$program.ts" "$@" ;;
  *)
    echo "run.sh: expected start, serve, gateway, release, keys, roles, backup, restore, verify or snapshot, for example run.sh start" >&2
    exit 64
    ;;
esac
