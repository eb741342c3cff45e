/* SPDX-License-Identifier: Apache-2.0 */
/* EmberSM: asks a subnet administrator on ibsim for all paths in one GetTable, and tells how long it took. */
/*
 * usage: table SOCKET-NAME NODE SM-LID WINDOW
 *
 * The answer comes by RMPP (IBA 13.6); each WINDOW of segments in order is acknowledged, and a silence of a
 * second is answered by saying again what has come. Nothing is kept but the place of each record.
 * Output: "SECONDS RECORDS SEGMENTS REPEATED FIRST", FIRST being the seconds until the first segment.
 * The exit status is 1 when the transfer is refused, given up, or ends in a part of a record.
 */
#include "ibsim_client.h"

enum { DATA = 1, ACK = 2, IS_LAST = 4, ACTIVE = 1, SEGMENT_OCTETS = 200, PATIENCE = 300 };

static uint32_t word(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, 4);
    return ntohl(value);
}

static void put(uint8_t *at, uint32_t value) {
    value = htonl(value);
    memcpy(at, &value, 4);
}

static void acknowledge(const struct seat *seat, struct packet question, uint32_t segment, uint32_t window) {
    uint8_t *m = question.mad;
    m[24] = 1;
    m[25] = ACK;
    m[26] = ACTIVE;
    put(m + 28, segment);
    put(m + 32, segment + window);
    if (send(seat->data, &question, sizeof(question), 0) != sizeof(question)) die("send");
}

int main(int argc, char **argv) {
    uint32_t window, expected = 1, repeated = 0, silent = 0, acknowledged = 0;
    uint64_t octets = 0, record = 0;
    struct packet question, p;
    if (argc != 5 || !(window = (uint32_t)strtoul(argv[4], NULL, 10))) {
        fprintf(stderr, "usage: table SOCKET-NAME NODE SM-LID WINDOW\n");
        return 2;
    }
    struct seat seat = take_seat(argv[1], argv[2]);
    begin_question(&question, (uint16_t)strtoul(argv[3], NULL, 10), GET_TABLE, 1, 0);
    double begun = now(), first = 0;
    if (send(seat.data, &question, sizeof(question), 0) != sizeof(question)) die("send");
    for (int is_last = 0; !is_last;) {
        if (recv(seat.data, &p, sizeof(p), 0) != sizeof(p)) {
            if (++silent > PATIENCE) return fprintf(stderr, "table: silence after segment %u\n", expected - 1), 1;
            if (expected > 1) acknowledge(&seat, question, expected - 1, window);
            continue;
        }
        if (p.mad[1] != 3 || p.mad[3] != (GET_TABLE | RESPONSE) || memcmp(p.mad + 12, question.mad + 12, 4)) continue;
        if (p.mad[25] != DATA) {
            fprintf(stderr, "table: refused: status 0x%02x%02x, RMPP type %u status %u\n", p.mad[4], p.mad[5],
                    p.mad[25], p.mad[27]);
            return 1;
        }
        silent = 0;
        if (word(p.mad + 28) != expected) {
            ++repeated;
            continue;
        }
        if (expected == 1) {
            first = now() - begun;
            record = (uint64_t)(p.mad[44] << 8 | p.mad[45]) * 8;
        }
        is_last = (p.mad[26] & IS_LAST) != 0;
        /* The length of the last segment counts the 20 octets of the SA's own header. */
        octets += is_last ? word(p.mad + 32) - 20 : SEGMENT_OCTETS;
        if (is_last || expected == 1 || expected >= acknowledged + window) { /* Windows begin with one. */
            acknowledge(&seat, question, expected, window);
            acknowledged = expected;
        }
        ++expected;
    }
    double seconds = now() - begun;
    if (record == 0 || octets % record != 0) return fprintf(stderr, "table: a part of a record at the end\n"), 1;
    printf("%.6f %llu %u %u %.6f\n", seconds, (unsigned long long)(octets / record), expected - 1, repeated, first);
    leave_seat(&seat);
    return 0;
}
