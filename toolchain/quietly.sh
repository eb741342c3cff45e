#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs a command whose output matters only while one looks on, or when it fails.
# Usage: quietly.sh LOG COMMAND...   On a terminal the command has it; else it goes to the log.
set -u
log=$1
shift
[ ! -t 1 ] || exec "$@"
"$@" >"$log" 2>&1 && exit 0
status=$?
cat "$log" >&2
exit $status
