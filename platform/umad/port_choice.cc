// SPDX-License-Identifier: Apache-2.0
// EmberSM: which of the local ports the subnet manager attaches to.

#include "platform/umad/port_choice.h"

#include <array>
#include <cinttypes>
#include <cstdio>

namespace ember {

namespace {

constexpr unsigned kLinkDown = 1;

bool Fits(const LocalPort& port, const UmadChoice& choice) {
    return (choice.ca.empty() || choice.ca == port.ca) &&
           (choice.port < 0 || choice.port == port.port) &&
           (choice.guid == kNoGuid || choice.guid == port.guid);
}

std::string InHex(Guid guid) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%016" PRIx64, Raw(guid));
    return text.data();
}

}  // namespace

const LocalPort* ChoosePort(std::span<const LocalPort> ports, const UmadChoice& choice) {
    const LocalPort* first = nullptr;
    for (const LocalPort& port : ports) {
        if (!Fits(port, choice)) continue;
        if (port.link_state > kLinkDown) return &port;
        if (first == nullptr) first = &port;
    }
    return first;
}

std::string ExplainNoPort(std::span<const LocalPort> ports, const UmadChoice& choice) {
    if (ports.empty()) {
        return "no InfiniBand port on this machine: /sys/class/infiniband lists no device";
    }
    std::string wanted = "no local port";
    if (!choice.ca.empty()) wanted += " of device \"" + std::string(choice.ca) + "\"";
    if (choice.port >= 0) wanted += " with number " + std::to_string(choice.port);
    if (choice.guid != kNoGuid) wanted += " with port GUID " + InHex(choice.guid);
    wanted += "; there is";
    const char* comma = " ";
    for (const LocalPort& port : ports) {
        wanted +=
            comma + port.ca + " port " + std::to_string(port.port) + " (" + InHex(port.guid) + ")";
        comma = ", ";
    }
    return wanted;
}

}  // namespace ember
