// SPDX-License-Identifier: Apache-2.0
// EmberSM: is the fabric simulator there that a preload stands for?

#include "platform/umad/simulator.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ember {

namespace {

/// ibsim's control socket has an abstract name, whose length counts the closing NUL.
bool IbsimAnswers(const std::string& name) {
    const std::string control = name + ":ctl";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (control.size() + 2 > sizeof(address.sun_path)) return false;
    std::memcpy(&address.sun_path[1], control.c_str(), control.size() + 1);
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + control.size() + 1);
    const int probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return false;
    const void* const generic = &address;
    if (connect(probe, static_cast<const sockaddr*>(generic), length) < 0) {
        return false;  // Not even closed: close() would already wake the preload.
    }
    close(probe);
    return true;
}

}  // namespace

std::string ExplainAbsentSimulator() {
    const char* const preload = std::getenv("LD_PRELOAD");
    if (preload == nullptr || std::string_view(preload).find("umad") == std::string_view::npos) {
        return {};
    }
    if (std::getenv("IBSIM_SERVER_NAME") != nullptr) return {};  // ibsim may be on another machine.
    const char* const given = std::getenv("IBSIM_SOCKNAME");
    const std::string name = given == nullptr ? "sim" : given;
    if (IbsimAnswers(name)) return {};
    return "a simulator preload is loaded, but no ibsim answers under the name \"" + name +
           "\" (IBSIM_SOCKNAME): start ibsim first";
}

}  // namespace ember
