#!/bin/sh
# Runs one program of Namedex in the foreground: run.sh start | serve | gateway. Stop it with SIGINT or SIGTERM.
# Or a program of an operator, with its words: run.sh release list, and so keys, roles, backup and restore.
# Node's own, not npm's: then signals reach the program, and its exit code the supervisor.
set -eu
cd "$(dirname "$0")/../.."
program="${1:-}"
[ $# -eq 0 ] || shift
case "$program" in
  gateway) exec node gateway/index.ts ;;
  start | serve | release | keys | roles | backup | restore) exec node "ops/$program.ts" "$@" ;;
  *)
    echo "run.sh: expected start, serve, gateway, release, keys, roles, backup or restore, for example run.sh start" >&2
    exit 64
    ;;
esac
