#!/bin/sh
# Installs what production needs, in the folder of the program: the image and the units do the same.
set -eu
cd "$(dirname "$0")/../.."
npm ci --omit=dev --no-audit --no-fund
