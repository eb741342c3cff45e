// SPDX-License-Identifier: Apache-2.0
// EmberSM: what UmadPort asks of its driver: the classes it registers, and what it says of a
// datagram beside its octets.
//
// Method: while a FakeDriver lives, the functions of libibumad that touch a device are played here;
//         without one they are the library's own.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <infiniband/umad.h>
#include <map>
#include <netinet/in.h>
#include <set>
#include <unistd.h>
#include <vector>

#include "platform/umad/umad_port.h"

namespace ember {
namespace {

struct FakeDriver {
    struct Agent {
        int mgmt_class;
        int version;
        unsigned rmpp;
        std::set<int> methods;
    };
    using Buffer = std::array<std::uint8_t, sizeof(ib_user_mad_t) + kMadOctets>;

    FakeDriver() { present = this; }
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;
    ~FakeDriver() { present = nullptr; }

    std::vector<Agent> agents;
    std::map<int, std::array<std::uint8_t, 3>> ouis;  ///< By class, where one was named.
    int refused_class = -1;                           ///< Another program is registered for it.
    std::vector<int> unregistered;
    std::vector<Buffer> sent;
    std::vector<int> sent_by;
    std::deque<Buffer> arriving;
    umad_port_t port{};

    static FakeDriver* present;
};
FakeDriver* FakeDriver::present = nullptr;

ib_user_mad_t& HeaderOf(void* umad) {
    return *static_cast<ib_user_mad_t*>(umad);
}

/// The library's own function of this name.
template <typename Function>
Function* Real(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace
}  // namespace ember

using ember::FakeDriver;
using ember::Real;

extern "C" {

int umad_init() {
    return FakeDriver::present != nullptr ? 0 : Real<decltype(umad_init)>("umad_init")();
}
int umad_get_cas_names(char names[][UMAD_CA_NAME_LEN], int most) {
    if (FakeDriver::present == nullptr) {
        return Real<decltype(umad_get_cas_names)>("umad_get_cas_names")(names, most);
    }
    std::strcpy(names[0], "fake0");
    return 1;
}
int umad_get_ca(const char* name, umad_ca_t* ca) {
    if (FakeDriver::present == nullptr) return Real<decltype(umad_get_ca)>("umad_get_ca")(name, ca);
    std::strcpy(ca->ca_name, "fake0");
    std::strcpy(FakeDriver::present->port.link_layer, "InfiniBand");
    FakeDriver::present->port.state = 4;
    ca->ports[1] = &FakeDriver::present->port;
    return 0;
}
int umad_release_ca(umad_ca_t* ca) {
    if (FakeDriver::present != nullptr) return 0;
    return Real<decltype(umad_release_ca)>("umad_release_ca")(ca);
}
int umad_open_port(const char* name, int port) {
    if (FakeDriver::present != nullptr) return open("/dev/null", O_RDWR | O_CLOEXEC);
    return Real<decltype(umad_open_port)>("umad_open_port")(name, port);
}
int umad_close_port(int fd) {
    if (FakeDriver::present != nullptr) return close(fd);
    return Real<decltype(umad_close_port)>("umad_close_port")(fd);
}
int umad_get_issm_path(const char* name, int port, char* path, int most) {
    if (FakeDriver::present == nullptr) {
        return Real<decltype(umad_get_issm_path)>("umad_get_issm_path")(name, port, path, most);
    }
    std::strncpy(path, "/dev/null", static_cast<std::size_t>(most));
    return 0;
}
int umad_register(int fd, int mgmt_class, int version, uint8_t rmpp, long* mask) {
    FakeDriver* const driver = FakeDriver::present;
    if (driver == nullptr) {
        return Real<decltype(umad_register)>("umad_register")(fd, mgmt_class, version, rmpp, mask);
    }
    if (mgmt_class == driver->refused_class) {
        errno = EINVAL;
        return -EINVAL;
    }
    FakeDriver::Agent agent{mgmt_class, version, rmpp, {}};
    constexpr int kBits = 8 * sizeof(long);
    for (int method = 0; method < 128; ++method) {
        const auto word = static_cast<unsigned long>(mask[method / kBits]);
        if ((word >> (method % kBits) & 1U) != 0) agent.methods.insert(method);
    }
    driver->agents.push_back(agent);
    return 10 + static_cast<int>(driver->agents.size());
}
int umad_register_oui(int fd, int mgmt_class, uint8_t rmpp, uint8_t oui[3], long* mask) {
    FakeDriver* const driver = FakeDriver::present;
    if (driver == nullptr) {
        return Real<decltype(umad_register_oui)>("umad_register_oui")(fd, mgmt_class, rmpp, oui,
                                                                      mask);
    }
    driver->ouis[mgmt_class] = {oui[0], oui[1], oui[2]};
    return umad_register(fd, mgmt_class, 1, rmpp, mask);
}
int umad_unregister(int fd, int agent) {
    if (FakeDriver::present == nullptr) {
        return Real<decltype(umad_unregister)>("umad_unregister")(fd, agent);
    }
    FakeDriver::present->unregistered.push_back(agent);
    return 0;
}
int umad_set_pkey(void* umad, int index) {
    ember::HeaderOf(umad).addr.pkey_index = static_cast<std::uint16_t>(index);
    return 0;
}
int umad_get_pkey(void* umad) {
    return ember::HeaderOf(umad).addr.pkey_index;
}
int umad_send(int fd, int agent, void* umad, int length, int timeout_ms, int retries) {
    FakeDriver* const driver = FakeDriver::present;
    if (driver == nullptr) {
        return Real<decltype(umad_send)>("umad_send")(fd, agent, umad, length, timeout_ms, retries);
    }
    FakeDriver::Buffer buffer{};
    std::memcpy(buffer.data(), umad, buffer.size());
    driver->sent.push_back(buffer);
    driver->sent_by.push_back(agent);
    return 0;
}
int umad_recv(int fd, void* umad, int* length, int timeout_ms) {
    FakeDriver* const driver = FakeDriver::present;
    if (driver == nullptr) {
        return Real<decltype(umad_recv)>("umad_recv")(fd, umad, length, timeout_ms);
    }
    if (driver->arriving.empty()) {
        errno = EAGAIN;
        return -EAGAIN;
    }
    std::memcpy(umad, driver->arriving.front().data(), driver->arriving.front().size());
    driver->arriving.pop_front();
    return static_cast<int>(ember::HeaderOf(umad).agent_id);
}
}

namespace ember {
namespace {

TEST(UmadPort, RegistersTheClassesOfTheCoreAndNoOther) {
    FakeDriver driver;
    UmadPort port;
    ASSERT_EQ(port.Open({}).fault, UmadFault::kNone);
    ASSERT_EQ(driver.agents.size(), 4U);
    const std::set<int> of_sm{0x01, 0x02, 0x05, 0x07};
    const std::set<int> of_sa{0x01, 0x02, 0x05, 0x06, 0x07, 0x12, 0x13, 0x14, 0x15};
    const std::array expected = {
        FakeDriver::Agent{0x01, 1, 0, of_sm}, FakeDriver::Agent{0x81, 1, 0, of_sm},
        FakeDriver::Agent{0x03, 2, 0, of_sa}, FakeDriver::Agent{0x3B, 1, 0, {0x03}}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(driver.agents[i].mgmt_class, expected[i].mgmt_class);
        EXPECT_EQ(driver.agents[i].version, expected[i].version);
        EXPECT_EQ(driver.agents[i].rmpp, 0U) << "RMPP is the core's";
        EXPECT_EQ(driver.agents[i].methods, expected[i].methods);
    }
    const std::map<int, std::array<std::uint8_t, 3>> ouis = {{0x3B, {0x02, 0x45, 0x4D}}};
    EXPECT_EQ(driver.ouis, ouis) << "a vendor's class has an owner, and no other has one";
    port.Close();
    EXPECT_EQ(driver.unregistered, (std::vector<int>{11, 12, 13, 14}));
}

TEST(UmadPort, IsOccupiedWhenOneOfItsClassesIs) {
    for (const int mgmt_class : {0x01, 0x81, 0x03, 0x3B}) {
        FakeDriver driver;
        driver.refused_class = mgmt_class;
        UmadPort port;
        EXPECT_EQ(port.Open({}).fault, UmadFault::kOccupied) << mgmt_class;
        EXPECT_EQ(driver.unregistered.size(), driver.agents.size());
        EXPECT_EQ(port.descriptor(), -1);
    }
}

TEST(UmadPort, CarriesThePKeyIndexBothWays) {
    FakeDriver driver;
    UmadPort port;
    ASSERT_EQ(port.Open({}).fault, UmadFault::kNone);
    for (const unsigned index : {0U, 1U, 127U}) {
        Envelope envelope;
        envelope.peer = Lid{9};
        envelope.queue_pair = 1;
        envelope.remote_queue_pair = 77;
        envelope.service_level = 3;
        envelope.p_key_index = static_cast<std::uint16_t>(index);
        envelope.mad.header.mgmt_class = MgmtClass::kSubnAdm;
        ASSERT_EQ(port.Send(envelope), Status::kOk);
        EXPECT_EQ(driver.sent_by.back(), 13);
        FakeDriver::Buffer buffer = driver.sent.back();
        EXPECT_EQ(HeaderOf(buffer.data()).addr.pkey_index, index);
        EXPECT_EQ(ntohl(HeaderOf(buffer.data()).addr.qkey), 0x80010000U);

        HeaderOf(buffer.data()).agent_id = 13;
        driver.arriving.push_back(buffer);
        Envelope heard;
        ASSERT_EQ(port.Receive(heard), Status::kOk);
        EXPECT_EQ(heard.p_key_index, index);
        EXPECT_EQ(heard.queue_pair, 1);
        EXPECT_EQ(heard.peer, Lid{9});
        EXPECT_EQ(heard.remote_queue_pair, 77U);
        EXPECT_EQ(heard.service_level, 3);
    }
}

TEST(UmadPort, QueuePairZeroHasNeitherKey) {
    FakeDriver driver;
    UmadPort port;
    ASSERT_EQ(port.Open({}).fault, UmadFault::kNone);
    for (const ServedClass& served : kServedClasses) {
        if (served.queue_pair != 0) continue;
        Envelope envelope;
        envelope.mad.header.mgmt_class = served.mgmt_class;
        ASSERT_EQ(port.Send(envelope), Status::kOk);
        FakeDriver::Buffer buffer = driver.sent.back();
        EXPECT_EQ(HeaderOf(buffer.data()).addr.pkey_index, 0);
        EXPECT_EQ(HeaderOf(buffer.data()).addr.qkey, 0U);
        HeaderOf(buffer.data()).agent_id = static_cast<std::uint32_t>(driver.sent_by.back());
        driver.arriving.push_back(buffer);
        Envelope heard;
        ASSERT_EQ(port.Receive(heard), Status::kOk);
        EXPECT_EQ(heard.queue_pair, 0);
    }
    EXPECT_EQ(driver.sent_by, (std::vector<int>{11, 12}));
}

}  // namespace
}  // namespace ember
