// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the clients of the benchmarks know about ibsim: sockets, a seat, a datagram.
#pragma once

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECT = 1,
    DISCONNECT = 2,
    PATH_RECORD = 0x35,
    GET = 0x01,
    GET_TABLE = 0x12,
    RESPONSE = 0x80
};

struct control {
    uint32_t magic, client, type, length;
    uint8_t data[64];
};

struct packet {
    uint32_t dlid, slid, dqp, sqp, status;
    uint64_t length;
    uint8_t mad[256];
};

static void die(const char* what) {
    perror(what);
    exit(1);
}

static socklen_t address(struct sockaddr_un* a, const char* base, const char* what, int number) {
    memset(a, 0, sizeof(*a));
    a->sun_family = AF_UNIX;
    int n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "%s:%s", base, what);
    if (number >= 0) {
        n += snprintf(a->sun_path + 1 + n, sizeof(a->sun_path) - 1 - (size_t)n, "%d", number);
    }
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 2 + (size_t)n);
}

static int endpoint(const char* base, const char* mine) {
    struct sockaddr_un a;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0 || bind(fd, (void*)&a, address(&a, base, mine, getpid())) < 0) die("socket");
    return fd;
}

static void join(int fd, const char* base, const char* theirs, int number) {
    struct sockaddr_un a;
    if (connect(fd, (void*)&a, address(&a, base, theirs, number)) < 0) die("no ibsim");
}

static void command(int fd, struct control* c) {
    if (write(fd, c, sizeof(*c)) != sizeof(*c) || read(fd, c, sizeof(*c)) != sizeof(*c) ||
        !c->type) {
        die("ibsim refused");
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct seat {
    int control, data;
    uint32_t id;
};

/* Takes the place of NODE's first port; an answer that does not come within a second ends a recv().
 */
static struct seat take_seat(const char* base, const char* node) {
    struct control c = {0xDEADBEEF, 0, CONNECT, 44, {0}};
    struct timeval patience = {1, 0};
    struct seat s = {endpoint(base, "ctl"), endpoint(base, "in"), (uint32_t)getpid()};
    memcpy(c.data, &s.id, 4);
    strncpy((char*)c.data + 12, node, 31);
    join(s.control, base, "ctl", -1);
    command(s.control, &c);
    memcpy(&s.id, c.data, 4);
    join(s.data, base, "out", (int)s.id);
    setsockopt(s.data, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return s;
}

static void leave_seat(const struct seat* s) {
    struct control c = {0xDEADBEEF, s->id, DISCONNECT, 0, {0}};
    command(s->control, &c);
}

/* A question to the subnet administrator, all but its record. */
static inline void begin_question(struct packet* p, uint16_t sm_lid, uint8_t method,
                                  uint64_t transaction, uint64_t mask) {
    uint64_t number = htobe64(transaction), wanted = htobe64(mask);
    uint8_t* m = memset(p, 0, sizeof(*p)) ? p->mad : NULL;
    p->dlid = htons(sm_lid);
    p->dqp = p->sqp = htonl(1);
    p->length = htobe64(256);
    m[0] = 1;
    m[1] = 3;
    m[2] = 2;
    m[3] = method;
    memcpy(m + 8, &number, 8);
    m[17] = PATH_RECORD;
    memcpy(m + 48, &wanted, 8);
}
