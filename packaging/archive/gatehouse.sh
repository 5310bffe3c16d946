#!/bin/sh
# Runs Gatehouse with the runtime that is beside it.
here=$(dirname "$(readlink -f "$0")")
exec "$here/runtime/node" "$here/bin/gatehouse.js" "$@"
