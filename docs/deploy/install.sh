#!/bin/sh
# Installs what production needs, in the folder of the program. The image and the units both use it.
set -eu
cd "$(dirname "$0")/../.."
npm ci --omit=dev --no-audit --no-fund
