#!/bin/sh
# Runs one program of Namedex in the foreground: run.sh start | serve | gateway. Stop it with SIGINT or SIGTERM.
# Node's own, not npm's: then signals reach the program, and its exit code the supervisor.
set -eu
cd "$(dirname "$0")/../.."
case "${1:-}" in
  start | serve) exec node src/api/launch.ts "$1" ;;
  gateway) exec node gateway/index.ts ;;
  *) echo "run.sh: expected start, serve or gateway, for example run.sh start" >&2; exit 64 ;;
esac
