#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# EmberSM: removes what `make install` wrote, and the folders that are empty then.
# Usage: uninstall.sh BUILD [DESTDIR]
# Configuration and state stay: /etc/default/embersm, /etc/embersm, /var/lib/embersm.
set -eu
manifest=$1/install_manifest_programs.txt
below=${2:-}
[ -f "$manifest" ] || { echo "uninstall: nothing was installed from here ($manifest)" >&2; exit 1; }
while read -r file || [ -n "$file" ]; do
    rm -f -- "$below$file"
    rmdir -p --ignore-fail-on-non-empty -- "$(dirname "$below$file")" 2>/dev/null || true
done < "$manifest"
rm -f "$manifest"
