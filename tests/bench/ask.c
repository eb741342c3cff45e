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
#include "ibsim_client.h"

enum { MOST_LIDS = 49152 };

static uint16_t lids[MOST_LIDS];
static size_t lid_count;

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
    uint16_t to = draw(), from = draw();
    begin_question(p, sm_lid, GET, number + 1, 0x30);
    memcpy(p->mad + 56 + 40, &to, 2);
    memcpy(p->mad + 56 + 42, &from, 2);
}

int main(int argc, char **argv) {
    size_t sent = 0, ended = 0, refused = 0, lost = 0, timed = 0, window, count;
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

    struct seat seat = take_seat(argv[1], argv[2]);
    double begun = now();
    while (ended < count) {
        struct packet p;
        while (sent < count && sent - ended < window) {
            question(&p, sm_lid, sent);
            begun_at[sent] = now();
            if (send(seat.data, &p, sizeof(p), 0) != sizeof(p)) die("send");
            ++sent;
        }
        if (recv(seat.data, &p, sizeof(p), 0) != sizeof(p)) { /* silence: all under way are lost */
            lost += sent - ended;
            ended = sent;
            continue;
        }
        uint64_t transaction;
        memcpy(&transaction, p.mad + 8, 8);
        size_t at = (size_t)(be64toh(transaction) & 0xFFFFFFFFFFFFULL) - 1;
        if (p.status || p.mad[1] != 3 || p.mad[3] != (GET | RESPONSE) || at >= sent || begun_at[at] == 0) continue;
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
    leave_seat(&seat);
    return 0;
}
