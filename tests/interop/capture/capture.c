// SPDX-License-Identifier: Apache-2.0
// EmberSM: writes down every MAD that a program exchanges through libibumad.
//
// Preloaded in front of the simulator's own preload, it stands between a program (opensm, smpquery,
// ...) and libibumad. Each datagram becomes one line of the file that EMBER_CAPTURE names:
//     send|recv PROGRAM LID QP STATUS HEX
// The file is appended to by whole lines, so that several programs may share it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMadOctets = 256 };

static void Record(const char* verb, void* umad, int length) {
    const char* name = getenv("EMBER_CAPTURE");
    if (name == NULL || length <= 0) return;
    if (length > kMadOctets) length = kMadOctets;

    const ib_mad_addr_t* address = umad_get_mad_addr(umad);
    const unsigned char* mad = umad_get_mad(umad);
    char line[128 + 2 * kMadOctets];
    int used = snprintf(line, sizeof line, "%s %s %u %u %d ", verb, program_invocation_short_name,
                        (unsigned)ntohs(address->lid), (unsigned)ntohl(address->qpn),
                        umad_status(umad));
    for (int i = 0; i < length; ++i) {
        used += snprintf(line + used, sizeof line - (size_t)used, "%02x", mad[i]);
    }
    line[used++] = '\n';

    const int file = open(name, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (file < 0) return;
    if (write(file, line, (size_t)used) != used) abort();
    close(file);
}

int umad_send(int fd, int agentid, void* umad, int length, int timeout_ms, int retries) {
    static int (*next)(int, int, void*, int, int, int);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "umad_send");
    Record("send", umad, length);
    return next(fd, agentid, umad, length, timeout_ms, retries);
}

int umad_recv(int fd, void* umad, int* length, int timeout_ms) {
    static int (*next)(int, void*, int*, int);
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "umad_recv");
    const int agent = next(fd, umad, length, timeout_ms);
    if (agent >= 0) Record("recv", umad, *length);
    return agent;
}
