/* SPDX-License-Identifier: Apache-2.0 */
/* EmberSM: sends a prepared list of SMPs to ibsim as fast as it answers, and says how long it took. */
/*
 * usage: pump SOCKET-NAME NODE WINDOW < plan
 *
 * A line of the plan is one directed-route SMP: METHOD ATTRIBUTE MODIFIER [PORT...], in decimal.
 * The payload of a Set is zero, which changes nothing that matters on a simulator of its own.
 * Output: "SECONDS SENT UNDELIVERABLE". It is the floor under any subnet manager on this simulator:
 * nothing is computed, nothing is remembered, an answer only makes room for the next question.
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
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CONNECT = 1, DISCONNECT = 2, LONGEST = 4096 };

struct control {
    uint32_t magic, client, type, length;
    uint8_t data[64];
};

struct packet {
    uint32_t dlid, slid, dqp, sqp, status;
    uint64_t length;
    uint8_t mad[256];
};

static struct packet *plan;
static size_t planned;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void add(char *line) {
    static size_t room;
    if (planned == room) {
        room = room ? 2 * room : 65536;
        plan = realloc(plan, room * sizeof(*plan));
        if (!plan) die("memory");
    }
    struct packet *p = memset(&plan[planned], 0, sizeof(*p));
    uint8_t *m = p->mad;
    char *rest = line;
    unsigned long method = strtoul(rest, &rest, 10), attribute = strtoul(rest, &rest, 10);
    uint32_t modifier = htonl((uint32_t)strtoul(rest, &rest, 10));
    uint64_t transaction = htobe64(planned + 1);
    p->dlid = p->slid = 0xFFFF;
    p->length = htobe64(256);
    m[0] = m[2] = 1;
    m[1] = 0x81;
    m[3] = (uint8_t)method;
    memcpy(m + 8, &transaction, 8);
    m[17] = (uint8_t)attribute;
    memcpy(m + 20, &modifier, 4);
    memset(m + 32, 0xFF, 4); /* DrSLID and DrDLID are permissive */
    for (;;) {
        char *end;
        unsigned long port = strtoul(rest, &end, 10);
        if (end == rest) break;
        m[128 + ++m[7]] = (uint8_t)port; /* InitialPath; octet 7 is the hop count */
        rest = end;
    }
    ++planned;
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

int main(int argc, char **argv) {
    static char line[LONGEST];
    struct control c = {0xDEADBEEF, 0, CONNECT, 44, {0}};
    uint32_t id = (uint32_t)getpid();
    size_t sent = 0, answered = 0, lost = 0, window;
    if (argc != 4 || (window = strtoul(argv[3], NULL, 10)) == 0) {
        fprintf(stderr, "usage: pump SOCKET-NAME NODE WINDOW < plan\n");
        return 2;
    }
    while (fgets(line, sizeof(line), stdin)) add(line);

    int control = endpoint(argv[1], "ctl"), data = endpoint(argv[1], "in");
    memcpy(c.data, &id, 4);
    strncpy((char *)c.data + 12, argv[2], 31);
    join(control, argv[1], "ctl", -1);
    command(control, &c);
    memcpy(&id, c.data, 4);
    join(data, argv[1], "out", (int)id);

    double begun = now();
    while (answered < planned) {
        struct packet answer;
        while (sent < planned && sent - answered < window) {
            if (send(data, &plan[sent], sizeof(plan[sent]), 0) != sizeof(plan[sent])) die("send");
            ++sent;
        }
        if (recv(data, &answer, sizeof(answer), 0) != sizeof(answer)) die("receive");
        if (answer.status) ++lost;
        ++answered;
    }
    printf("%.6f %zu %zu\n", now() - begun, sent, lost);

    c = (struct control){0xDEADBEEF, id, DISCONNECT, 0, {0}};
    command(control, &c);
    return 0;
}
