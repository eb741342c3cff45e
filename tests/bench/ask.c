/* SPDX-License-Identifier: Apache-2.0 */
/* EmberSM: asks a subnet administrator on ibsim for paths, as fast as it answers, and tells how long it took. */
/*
 * usage: ask SOCKET-NAME NODE SM-LID WINDOW COUNT < LIDS
 *
 * Each question is a Get(PathRecord) by SLID and DLID, both drawn from LIDS, a list of at least two
 * decimal numbers. WINDOW of them are under way; one without an answer for a second is lost.
 * Output: "SECONDS ANSWERED REFUSED LOST P50 P99 P999 MOST", times of single answers in microseconds.
 * The draw is the same in every run, so that two managers are asked the same.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
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

enum { CONNECT = 1, DISCONNECT = 2, MOST_LIDS = 49152 };

struct control {
    uint32_t magic, client, type, length;
    uint8_t data[64];
};

struct packet {
    uint32_t dlid, slid, dqp, sqp, status;
    uint64_t length;
    uint8_t mad[256];
};

static uint16_t lids[MOST_LIDS];
static size_t lid_count;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static socklen_t address(struct sockaddr_un *a, const char *base, const char *what, int number) {
    memset(a, 0, sizeof(*a));
    a->sun_family = AF_UNIX;
    int n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "%s:%s", base, what);
    if (number >= 0) {
        n += snprintf(a->sun_path + 1 + n, sizeof(a->sun_path) - 1 - (size_t)n, "%d", number);
    }
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 2 + (size_t)n);
}

static int endpoint(const char *base, const char *mine) {
    struct sockaddr_un a;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0 || bind(fd, (void *)&a, address(&a, base, mine, getpid())) < 0) die("socket");
    return fd;
}

static void join(int fd, const char *base, const char *theirs, int number) {
    struct sockaddr_un a;
    if (connect(fd, (void *)&a, address(&a, base, theirs, number)) < 0) die("no ibsim");
}

static void command(int fd, struct control *c) {
    if (write(fd, c, sizeof(*c)) != sizeof(*c) || read(fd, c, sizeof(*c)) != sizeof(*c) || !c->type) {
        die("ibsim refused");
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int ascending(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return a < b ? -1 : a > b;
}

static uint16_t draw(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return htons(lids[(state >> 33) % lid_count]);
}

static void question(struct packet *p, uint16_t sm_lid, size_t number) {
    uint64_t transaction = htobe64(number + 1), mask = htobe64(0x30);
    uint16_t to = draw(), from = draw();
    uint8_t *m = memset(p, 0, sizeof(*p)) ? p->mad : NULL;
    p->dlid = htons(sm_lid);
    p->dqp = p->sqp = htonl(1);
    p->length = htobe64(256);
    m[0] = 1;
    m[1] = 3;
    m[2] = 2;
    m[3] = 1;
    memcpy(m + 8, &transaction, 8);
    m[17] = 0x35;
    memcpy(m + 48, &mask, 8);
    memcpy(m + 56 + 40, &to, 2);
    memcpy(m + 56 + 42, &from, 2);
}

int main(int argc, char **argv) {
    struct control c = {0xDEADBEEF, 0, CONNECT, 44, {0}};
    uint32_t id = (uint32_t)getpid();
    size_t sent = 0, ended = 0, refused = 0, lost = 0, timed = 0, window, count;
    struct timeval patience = {1, 0};
    unsigned number;
    if (argc != 6 || !(window = strtoul(argv[4], NULL, 10)) || !(count = strtoul(argv[5], NULL, 10))) {
        fprintf(stderr, "usage: ask SOCKET-NAME NODE SM-LID WINDOW COUNT < LIDS\n");
        return 2;
    }
    uint16_t sm_lid = (uint16_t)strtoul(argv[3], NULL, 10);
    while (lid_count < MOST_LIDS && scanf("%u", &number) == 1) lids[lid_count++] = (uint16_t)number;
    if (lid_count < 2) {
        fprintf(stderr, "ask: no LIDs\n");
        return 2;
    }
    double *begun_at = calloc(count, sizeof(double)), *took = calloc(count, sizeof(double));
    if (!begun_at || !took) die("memory");

    int control = endpoint(argv[1], "ctl"), data = endpoint(argv[1], "in");
    memcpy(c.data, &id, 4);
    strncpy((char *)c.data + 12, argv[2], 31);
    join(control, argv[1], "ctl", -1);
    command(control, &c);
    memcpy(&id, c.data, 4);
    join(data, argv[1], "out", (int)id);
    setsockopt(data, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));

    double begun = now();
    while (ended < count) {
        struct packet p;
        while (sent < count && sent - ended < window) {
            question(&p, sm_lid, sent);
            begun_at[sent] = now();
            if (send(data, &p, sizeof(p), 0) != sizeof(p)) die("send");
            ++sent;
        }
        if (recv(data, &p, sizeof(p), 0) != sizeof(p)) { /* silence: all under way are lost */
            lost += sent - ended;
            ended = sent;
            continue;
        }
        uint64_t transaction;
        memcpy(&transaction, p.mad + 8, 8);
        size_t at = (size_t)(be64toh(transaction) & 0xFFFFFFFFFFFFULL) - 1;
        if (p.status || p.mad[1] != 3 || p.mad[3] != 0x81 || at >= sent || begun_at[at] == 0) continue;
        took[timed++] = (now() - begun_at[at]) * 1e6;
        begun_at[at] = 0;
        if (p.mad[4] || p.mad[5]) ++refused;
        ++ended;
    }
    double seconds = now() - begun;
    if (!timed) timed = 1;
    qsort(took, timed, sizeof(double), ascending);
    printf("%.6f %zu %zu %zu %.0f %.0f %.0f %.0f\n", seconds, count - lost, refused, lost,
           took[timed / 2], took[timed * 99 / 100], took[timed * 999 / 1000], took[timed - 1]);

    c = (struct control){0xDEADBEEF, id, DISCONNECT, 0, {0}};
    command(control, &c);
    return 0;
}
