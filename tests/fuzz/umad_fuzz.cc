// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: a driver that hands over what it likes, in pieces of any length.
//
// Goal:   UmadPort gives the core whole datagrams and nothing else, asks the driver a bounded
// number
//         of times for each, and takes every refusal for what it is.
// Method: those of libibumad's functions that are called are defined here, in the place of the
//         library: read() of the real one is played by the script, with its rules for lengths. A
//         device with a port is there.
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <netinet/in.h>
#include <unistd.h>

#include "platform/umad/umad_port.h"
#include "tests/support/fuzz_script.h"

namespace ember::testing {
namespace {

constexpr std::array kErrors = {EAGAIN, EINTR, EIO, ENODEV, EBADF, ENOSPC, ENOMEM, EINVAL};

/// The driver underneath.
struct Driver {
    Script* script = nullptr;
    std::uint64_t reads = 0;
    int agents = 0;
    umad_port_t port{};
};
Driver& TheDriver() {
    static Driver driver;
    return driver;
}

int Refuse(Script& script) {
    errno = kErrors[script.Next() % kErrors.size()];
    return -errno;
}

void ReceiveSome(UmadPort& port) {
    const UmadStatistics before = port.statistics();
    TheDriver().reads = 0;
    Envelope envelope;
    std::array<std::uint8_t, sizeof(Mad)> old{};
    old.fill(0x5A);
    envelope.mad = std::bit_cast<Mad>(old);
    const Status status = port.Receive(envelope);
    const UmadStatistics& after = port.statistics();
    const std::uint64_t told = (after.received - before.received) +
                               (after.returned - before.returned) +
                               (after.malformed - before.malformed);
    Demand(TheDriver().reads <= 65, "a call ends soon");
    Demand(told + (status == Status::kOk ? 0 : 1) >= TheDriver().reads || told == 64,
           "every datagram is counted");
    Demand((status == Status::kOk) == (after.received == before.received + 1), "as what it was");
    if (status == Status::kOk) Demand(envelope.queue_pair <= 1, "there are two queue pairs");
}

void SendSome(UmadPort& port, Script& script) {
    constexpr std::array kClasses = {MgmtClass::kSubnDirected, MgmtClass::kSubnLid,
                                     MgmtClass::kSubnAdm};
    Envelope envelope;
    envelope.mad.header.mgmt_class = kClasses[script.Next() % kClasses.size()];
    envelope.queue_pair = envelope.mad.header.mgmt_class == MgmtClass::kSubnAdm ? 1 : 0;
    envelope.peer = Lid{script.Next()};
    envelope.answer_within_us = script.Next32();
    const Status status = port.Send(envelope);
    Demand(status == Status::kOk || status == Status::kBusy || status == Status::kDevice,
           "a datagram is sent, put off, or there is no device");
}

}  // namespace
}  // namespace ember::testing

using ember::testing::TheDriver;

extern "C" {

int umad_init() {
    return 0;
}
int umad_status(void* umad) {
    return static_cast<int>(static_cast<ib_user_mad_t*>(umad)->status);
}
ib_mad_addr_t* umad_get_mad_addr(void* umad) {
    return &static_cast<ib_user_mad_t*>(umad)->addr;
}
int umad_set_addr(void* umad, int dlid, int dqp, int sl, int qkey) {
    ib_mad_addr_t& address = static_cast<ib_user_mad_t*>(umad)->addr;
    address.lid = htons(static_cast<std::uint16_t>(dlid));
    address.qpn = htonl(static_cast<std::uint32_t>(dqp));
    address.sl = static_cast<std::uint8_t>(sl);
    address.qkey = htonl(static_cast<std::uint32_t>(qkey));
    return 0;
}
int umad_set_pkey(void* umad, int index) {
    static_cast<ib_user_mad_t*>(umad)->addr.pkey_index = static_cast<std::uint16_t>(index);
    return 0;
}
int umad_get_pkey(void* umad) {
    return static_cast<ib_user_mad_t*>(umad)->addr.pkey_index;
}
int umad_get_cas_names(char names[][UMAD_CA_NAME_LEN], int most) {
    const std::uint8_t count = TheDriver().script->Next();
    if (count % 16 == 15) return -EIO;
    std::strcpy(names[0], "fuzz0");
    return std::min(most, 1);
}
int umad_get_ca(const char* /*name*/, umad_ca_t* ca) {
    std::strcpy(ca->ca_name, "fuzz0");
    umad_port_t& port = TheDriver().port;
    std::strcpy(port.ca_name, "fuzz0");
    std::strcpy(port.link_layer, TheDriver().script->Next() % 8 == 7 ? "Ethernet" : "InfiniBand");
    port.portnum = 1;
    port.state = TheDriver().script->Next() % 8;
    ca->ports[1] = &port;
    return 0;
}
int umad_release_ca(umad_ca_t* /*ca*/) {
    return 0;
}
int umad_open_port(const char* /*name*/, int /*port*/) {
    if (TheDriver().script->Next() % 16 == 15) return ember::testing::Refuse(*TheDriver().script);
    return open("/dev/null", O_RDWR | O_CLOEXEC);
}
int umad_close_port(int fd) {
    return close(fd);
}
int umad_get_issm_path(const char* /*name*/, int /*port*/, char* path, int most) {
    if (TheDriver().script->Next() % 16 == 15) return -EINVAL;
    std::strncpy(path, "/dev/null", static_cast<std::size_t>(most));
    return 0;
}
int umad_register(int /*fd*/, int /*mgmt_class*/, int /*version*/, uint8_t /*rmpp*/,
                  long* /*mask*/) {
    if (TheDriver().script->Next() % 16 == 15) return ember::testing::Refuse(*TheDriver().script);
    return TheDriver().agents++;
}
int umad_register_oui(int /*fd*/, int /*mgmt_class*/, uint8_t /*rmpp*/, uint8_t* /*oui*/,
                      long* /*mask*/) {
    if (TheDriver().script->Next() % 16 == 15) return ember::testing::Refuse(*TheDriver().script);
    return TheDriver().agents++;
}
int umad_unregister(int /*fd*/, int /*agent*/) {
    return 0;
}
int umad_poll(int /*fd*/, int /*timeout_ms*/) {
    return 0;
}
int umad_send(int /*fd*/, int /*agent*/, void* /*umad*/, int /*length*/, int timeout_ms,
              int retries) {
    ember::testing::Demand(timeout_ms >= 0 && retries == 0, "the core keeps time");
    return TheDriver().script->Next() % 4 == 3 ? ember::testing::Refuse(*TheDriver().script) : 0;
}

/// As libibumad: a read of so many octets, header included, and what it makes of that.
int umad_recv(int /*fd*/, void* umad, int* length, int /*timeout_ms*/) {
    ember::testing::Script& script = *TheDriver().script;
    ++TheDriver().reads;
    if (script.ended()) {
        errno = EAGAIN;
        return -EAGAIN;
    }
    const std::uint8_t how = script.Next();
    const std::size_t most = sizeof(ib_user_mad_t) + static_cast<std::size_t>(*length);
    if (how % 8 == 7) return ember::testing::Refuse(script);
    std::size_t count = most;
    if (how % 8 == 5) count = script.Next32() % (most + 1);
    if (how % 8 == 6) count = script.Next() % 65U;
    auto* const octets = static_cast<std::uint8_t*>(umad);
    const std::size_t told = script.Next() % 80U;  // The others are repeated.
    for (std::size_t i = 0; i < count; ++i) {
        octets[i] = i < told ? script.Next() : static_cast<std::uint8_t>(how);
    }
    auto* const header = static_cast<ib_user_mad_t*>(umad);
    if ((how & 8U) != 0 && count >= sizeof(ib_user_mad_t)) {  // Well meant.
        header->agent_id = script.Next() % 4U;
        header->status = 0;
    }
    *length = count > sizeof(ib_user_mad_t) ? static_cast<int>(count - sizeof(ib_user_mad_t)) : 0;
    return static_cast<int>(header->agent_id);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ember;  // NOLINT: a fuzz target is a program of its own.
    ember::testing::Script script({data, size});
    TheDriver() = {};
    TheDriver().script = &script;
    UmadPort port;
    const UmadOpening opening = port.Open({});
    ember::testing::Demand(opening.fault == UmadFault::kNone || !opening.sentence.empty(),
                           "a failure has a sentence");
    for (int acts = 0; opening.fault == UmadFault::kNone && acts < 200 && !script.ended(); ++acts) {
        if (script.Next() % 4 == 0) {
            ember::testing::SendSome(port, script);
        } else {
            ember::testing::ReceiveSome(port);
        }
    }
    return 0;
}
