#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# EmberSM: installs the package in a throw-away system, and lets systemd run the service there.
# Usage: service.sh DEB     (needs root: the system is a container above this one's files)
set -u
deb=$(realpath "$1")
work=$(mktemp -d)
container=
leave() {
    [ -z "$container" ] || { kill "$container" && wait "$container"; } 2> /dev/null
    umount "$work/root" "$work" 2> /dev/null
    rmdir "$work"
}
trap leave EXIT
fail() {
    echo "$1"
    inside journalctl --no-pager -n 20 -u embersm
    exit 1
}
inside() { nsenter -t "$init" -m -p -u -i "$@"; }
field() { inside systemctl show -P "$1" embersm; }
await() {  # await SECONDS SENTENCE COMMAND...
    local left=$1 sentence=$2
    shift 2
    until "$@" > /dev/null 2>&1; do
        [ "$left" -gt 0 ] || { "$@"; fail "not within the time: $sentence"; }
        left=$((left - 1))
        sleep 1
    done
    echo "$sentence"
}

# Writes go to memory, so nothing of this machine changes.
mount -t tmpfs tmpfs "$work" && mkdir "$work/above" "$work/work" "$work/root" &&
    mount -t overlay overlay -o "lowerdir=/,upperdir=$work/above,workdir=$work/work" "$work/root" || exit 1
: > "$work/root/etc/machine-id"
cp "$deb" "$work/root/embersm.deb"
chroot "$work/root" dpkg -i /embersm.deb || exit 1
# There is no adapter in there: the service gets a subnet in its own process, and then opens its socket
# only when told to.
echo 'EMBERSM_OPTIONS="--sim=ft2:8 --socket /run/embersm/embersm.sock"' > "$work/root/etc/default/embersm"

systemd-nspawn -q -D "$work/root" --boot --register=no --keep-unit --private-network --console=pipe \
    < /dev/null > "$work/console" 2>&1 &
container=$!
init=
for _ in $(seq 60); do
    init=$(pgrep -P "$container" | head -1)
    [ -n "$init" ] && inside systemctl is-system-running 2> /dev/null | grep -qE 'running|degraded' && break
    sleep 1
done
[ -n "$init" ] || { echo "the container does not start"; exit 1; }
is() { [ "$(field "$1")" = "$2" ]; }

is ActiveState inactive || fail "installing has started the service"
inside systemctl start embersm || fail "the service does not start"
await 10 "the service is active: it said that it is ready" is ActiveState active
await 10 "emberctl finds it without an option" inside emberctl status
inside systemd-analyze security --no-pager embersm | tail -1
inside systemctl reload embersm || fail "the service cannot be told to read its configuration again"
await 10 "the service lives on after a reload" is ActiveState active

# The service has a /tmp of its own and sees no other directory that can be written to: emberctl writes.
inside mkdir /tmp/dump /root/dump
for folder in /tmp/dump /root/dump; do
    inside emberctl dump $folder || fail "no dump in $folder"
    inside grep -q '^Unicast lids' $folder/opensm-lfts.dump || fail "there is no dump in $folder"
    [ "$(inside find $folder -name '.*' -type f)" = "" ] || fail "something unfinished is left in $folder"
done
echo "a dump is where the operator wanted it"

page=/var/lib/prometheus/node-exporter/embersm.prom
inside mkdir -p "$(dirname $page)"
inside rm -f $page
inside systemctl start embersm-metrics.timer || fail "the timer does not start"
await 30 "the timer writes the metrics" inside grep -q '^embersm_up 1$' $page
first=$(inside stat -c %Y $page)
newer() { [ "$(inside stat -c %Y $page)" -gt "$first" ]; }
await 30 "and again" newer
[ "$(inside stat -c %a $page)" = 644 ] || fail "node_exporter cannot read the metrics"

first=$(field MainPID)
sleep 12  # Longer than WatchdogSec: signs of life are really sent.
is MainPID "$first" || fail "the watchdog bit a service that was well"
inside kill -STOP "$first"
again() { [ "$(field NRestarts)" = 1 ] && is ActiveState active && ! is MainPID "$first"; }
await 40 "the watchdog ends a stopped service, and a new one is active" again
inside systemctl stop embersm || fail "the service does not stop"
is Result success || fail "the service did not end well"
gone() { inside test ! -e $page; }
await 30 "without the service there are no metrics" gone
inside systemctl is-failed -q embersm-metrics.service && fail "metrics without a service are a failure"
inside dpkg --purge embersm || fail "the package cannot be purged"
for left in /var/lib/embersm /etc/default/embersm /usr/sbin/embersm; do
    inside test ! -e "$left" || fail "a purge leaves $left"
done
echo "a purge leaves nothing"
