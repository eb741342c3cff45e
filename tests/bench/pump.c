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
#include "ibsim_client.h"

enum { LONGEST = 4096 };

static struct packet *plan;
static size_t planned;

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

int main(int argc, char **argv) {
    static char line[LONGEST];
    size_t sent = 0, answered = 0, lost = 0, window;
    if (argc != 4 || (window = strtoul(argv[3], NULL, 10)) == 0) {
        fprintf(stderr, "usage: pump SOCKET-NAME NODE WINDOW < plan\n");
        return 2;
    }
    while (fgets(line, sizeof(line), stdin)) add(line);

    struct seat seat = take_seat(argv[1], argv[2]);
    double begun = now();
    while (answered < planned) {
        struct packet answer;
        while (sent < planned && sent - answered < window) {
            if (send(seat.data, &plan[sent], sizeof(plan[sent]), 0) != sizeof(plan[sent])) die("send");
            ++sent;
        }
        if (recv(seat.data, &answer, sizeof(answer), 0) != sizeof(answer)) {
            if (errno == EAGAIN) continue; /* The simulator is slow; every SMP has its answer. */
            die("receive");
        }
        if (answer.status) ++lost;
        ++answered;
    }
    printf("%.6f %zu %zu\n", now() - begun, sent, lost);
    leave_seat(&seat);
    return 0;
}
