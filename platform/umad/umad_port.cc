// SPDX-License-Identifier: Apache-2.0
// EmberSM: the management port of a Linux HCA or switch, through libibumad.

#include "platform/umad/umad_port.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <infiniband/umad.h>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>
#include <vector>

#include "platform/umad/port_choice.h"

namespace ember {

static_assert(sizeof(ib_user_mad_t) == 64, "the header in front of every datagram");

namespace {

/// The Q_Key of queue pair 1, the general services. IBA vol. 1, 3.5.3.
constexpr int kGeneralServicesQKey = static_cast<int>(0x80010000U);

/// The OUI of a class that is not a vendor's.
constexpr std::array<std::uint8_t, 3> kNoOui{};

/// Answers that the driver hands back in a row, looked at in one Receive().
constexpr int kReturnsPerCall = 64;

void SetMethod(std::array<long, 16 / sizeof(long)>& mask, Method method) {
    const auto bit = static_cast<unsigned>(method);
    constexpr unsigned kBits = 8 * sizeof(long);
    mask[bit / kBits] =
        static_cast<long>(static_cast<unsigned long>(mask[bit / kBits]) | (1UL << (bit % kBits)));
}

/// Every port of every InfiniBand device, in the driver's order. Without a device libibumad makes
/// one up by name ("mthca0"), so a name counts only when its sysfs folder can be read.
std::vector<LocalPort> LocalPorts() {
    std::vector<LocalPort> ports;
    std::array<char[UMAD_CA_NAME_LEN], UMAD_MAX_DEVICES> names{};
    const int count = umad_get_cas_names(names.data(), static_cast<int>(names.size()));
    for (int i = 0; i < count; ++i) {
        umad_ca_t ca{};
        if (umad_get_ca(names[static_cast<std::size_t>(i)], &ca) < 0) continue;
        for (int number = 0; number < UMAD_CA_MAX_PORTS; ++number) {
            const umad_port_t* port = ca.ports[number];
            if (port == nullptr) continue;
            const std::string_view layer = port->link_layer;
            if (layer == "Ethernet") continue;  // RoCE has no subnet manager.
            const Guid guid{be64toh(port->port_guid)};
            ports.push_back({ca.ca_name, number, guid, port->state});
        }
        umad_release_ca(&ca);
    }
    return ports;
}

UmadOpening Fault(UmadFault fault, std::string sentence) {
    return {fault, std::move(sentence), kNoGuid, false};
}

UmadOpening FaultFromErrno(const std::string& what, int error) {
    if (error == EACCES || error == EPERM) {
        return Fault(UmadFault::kNoPermission,
                     "no permission to open " + what +
                         ": run as root or as a member of the group that owns it");
    }
    if (error == EBUSY || error == EAGAIN) {
        return Fault(UmadFault::kOccupied,
                     "another subnet manager holds " + what + ": stop it first");
    }
    return Fault(UmadFault::kBroken, "cannot open " + what + ": " + std::strerror(error));
}

}  // namespace

UmadOpening UmadPort::Open(const UmadChoice& choice) {
    EMBER_ASSERT(fd_ < 0);
    if (umad_init() < 0) {
        return Fault(UmadFault::kNoDevice,
                     "the kernel has no user-space MAD interface (is ib_umad loaded?)");
    }
    const std::vector<LocalPort> ports = LocalPorts();
    const LocalPort* chosen = ChoosePort(ports, choice);
    if (chosen == nullptr) {
        const UmadFault fault = ports.empty() ? UmadFault::kNoDevice : UmadFault::kNoSuchPort;
        return Fault(fault, ExplainNoPort(ports, choice));
    }

    const std::string name = chosen->ca + " port " + std::to_string(chosen->port);
    errno = 0;
    fd_ = umad_open_port(chosen->ca.c_str(), chosen->port);
    if (fd_ < 0) {
        const int error = errno != 0 ? errno : -fd_;
        fd_ = -1;
        return FaultFromErrno(name, error);
    }
    kernel_knows_it_ = fcntl(fd_, F_GETFD) >= 0;

    UmadOpening opening = Register(chosen->ca.c_str(), chosen->port);
    if (opening.fault == UmadFault::kNone) opening = RaiseIsSm(chosen->ca.c_str(), chosen->port);
    if (opening.fault != UmadFault::kNone) {
        Close();
        return opening;
    }
    return {UmadFault::kNone, name, chosen->guid, chosen->link_state > 1};
}

/// Registers an agent for each class, with the methods that a peer begins with; answers come back
/// to the agent that asked. Without RMPP: the core does that, and tells answers of any length from
/// memory of fixed size. The kernel then hands on RMPP datagrams as they are.
UmadOpening UmadPort::Register(const char* ca, int port) {
    for (std::size_t row = 0; row < kServedClasses.size(); ++row) {
        const ServedClass& served = kServedClasses[row];
        std::array<long, 16 / sizeof(long)> methods{};
        for (const Method method : served.methods) {
            SetMethod(methods, method);
        }
        errno = 0;
        const auto mgmt_class = static_cast<int>(served.mgmt_class);
        if (served.oui == kNoOui) {
            agents_[row] = umad_register(fd_, mgmt_class, served.class_version, 0, methods.data());
        } else {
            auto oui = served.oui;
            agents_[row] = umad_register_oui(fd_, mgmt_class, 0, oui.data(), methods.data());
        }
        if (agents_[row] >= 0) continue;
        // The kernel answers EINVAL when somebody else is registered for one of these methods.
        const int error = errno == EINVAL ? EBUSY : errno;
        return FaultFromErrno(std::string(ca) + " port " + std::to_string(port), error);
    }
    return {};
}

UmadOpening UmadPort::RaiseIsSm(const char* ca, int port) {
    // IsSM is set in the port's CapabilityMask for as long as this file is open.
    std::array<char, 256> path{};
    if (umad_get_issm_path(ca, port, path.data(), static_cast<int>(path.size())) < 0) {
        return Fault(UmadFault::kBroken, std::string("the driver has no issm device for ") + ca +
                                             " port " + std::to_string(port));
    }
    issm_fd_ = open(path.data(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (issm_fd_ < 0) return FaultFromErrno(path.data(), errno);
    return {};
}

void UmadPort::Close() {
    if (issm_fd_ >= 0) close(issm_fd_);
    if (fd_ >= 0) {
        for (const int agent : agents_) {
            if (agent >= 0) umad_unregister(fd_, agent);
        }
        umad_close_port(fd_);
    }
    fd_ = issm_fd_ = -1;
    agents_ = NoAgents();
}

Status UmadPort::Send(const Envelope& envelope) {
    const std::size_t row = ServedRowOf(envelope.mad.header.mgmt_class);
    EMBER_ASSERT(row < kServedClasses.size() && agents_[row] != kNoAgent);
    EMBER_ASSERT(envelope.queue_pair == kServedClasses[row].queue_pair);
    std::memcpy(outgoing_.data() + kUmadHeader, &envelope.mad, kMadOctets);
    umad_set_addr(
        outgoing_.data(), Raw(envelope.peer), static_cast<int>(envelope.remote_queue_pair),
        envelope.service_level,
        envelope.queue_pair == 1 ? kGeneralServicesQKey : 0);  // Queue pair 0 has no Q_Key.
    umad_set_pkey(outgoing_.data(), envelope.p_key_index);
    // Rounded up: the kernel must not give up before the core does.
    const auto timeout_ms = static_cast<int>((envelope.answer_within_us + 999U) / 1000U);
    errno = 0;
    if (umad_send(fd_, agents_[row], outgoing_.data(), static_cast<int>(kMadOctets), timeout_ms,
                  0) == 0) {
        ++statistics_.sent;
        return Status::kOk;
    }
    return AfterFailedSend(errno);
}

Status UmadPort::AfterFailedSend(int error) {
    if (error == ENODEV || error == EBADF) return Status::kDevice;
    if (error == EAGAIN || error == ENOMEM || error == ENOBUFS || error == EINTR) {
        ++statistics_.busy;
        return Status::kBusy;
    }
    ++statistics_.refused;  // Lost, like any datagram may be; the exchange retries.
    return Status::kOk;
}

/// Of the class that an agent is registered for.
std::uint8_t UmadPort::QueuePairOf(int agent) const {
    const auto row = static_cast<std::size_t>(std::find(agents_.begin(), agents_.end(), agent) -
                                              agents_.begin());
    return row < kServedClasses.size() ? kServedClasses[row].queue_pair : std::uint8_t{0};
}

Status UmadPort::Receive(Envelope& envelope) {
    for (int returned = 0; returned < kReturnsPerCall; ++returned) {
        int octets = static_cast<int>(kMadOctets);
        errno = 0;
        const int agent = umad_recv(fd_, incoming_.data(), &octets, 0);
        if (agent < 0) return errno == ENODEV || errno == EBADF ? Status::kDevice : Status::kBusy;
        if (umad_status(incoming_.data()) != 0) {
            ++statistics_.returned;
            continue;
        }
        if (octets < static_cast<int>(kMadOctets)) {
            ++statistics_.malformed;
            continue;
        }
        const ib_mad_addr_t* const address = umad_get_mad_addr(incoming_.data());
        envelope.peer = Lid{ntohs(address->lid)};
        envelope.queue_pair = QueuePairOf(agent);
        envelope.service_level = address->sl;
        envelope.p_key_index = static_cast<std::uint16_t>(umad_get_pkey(incoming_.data()));
        envelope.remote_queue_pair = ntohl(address->qpn);
        envelope.answer_within_us = 0;
        std::memcpy(&envelope.mad, incoming_.data() + kUmadHeader, kMadOctets);
        ++statistics_.received;
        return Status::kOk;
    }
    return Status::kBusy;
}

bool UmadPort::WaitForArrival(std::uint64_t at_most_us) const {
    const std::uint64_t at_most_ms = std::min<std::uint64_t>((at_most_us + 999) / 1000, 1000);
    return umad_poll(fd_, static_cast<int>(at_most_ms)) == 0;  // A spurious return does no harm.
}

}  // namespace ember
