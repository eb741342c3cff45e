// SPDX-License-Identifier: Apache-2.0
// EmberSM: a control socket with a subnet behind it, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/linux/control/control.h"
#include "tests/support/sim_world.h"

namespace ember::testing {

/// A client that does not wait either: the server is served by hand in between.
class ControlPeer {
public:
    explicit ControlPeer(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
        fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        const void* const generic = &address;
        connected_ = connect(fd_, static_cast<const sockaddr*>(generic), sizeof(address)) == 0;
    }
    ControlPeer(const ControlPeer&) = delete;
    ControlPeer& operator=(const ControlPeer&) = delete;
    ~ControlPeer() { close(fd_); }

    void Send(const std::string& text) const {
        EXPECT_EQ(send(fd_, text.data(), text.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(text.size()));
    }
    /// The text that has arrived, up to `at_most`. `closed` tells whether the server hung up.
    std::string Take(std::size_t at_most = SIZE_MAX) {
        std::string text;
        std::array<char, 65536> piece{};
        ssize_t got = -1;
        while (text.size() < at_most) {
            got = recv(fd_, piece.data(), std::min(piece.size(), at_most - text.size()), 0);
            if (got <= 0) break;
            text.append(piece.data(), static_cast<std::size_t>(got));
        }
        closed = got == 0;
        return text;
    }
    [[nodiscard]] bool connected() const { return connected_; }
    bool closed = false;

private:
    int fd_ = -1;
    bool connected_ = false;
};

/// A fabric that is up, and its socket at a path that had to be made.
class ControlHarness : public ::testing::Test {
protected:
    explicit ControlHarness(const net::Netlist& netlist) : world_(netlist) {
        std::string pattern = std::filesystem::temp_directory_path() / "ember-control-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        path_ = folder_ / "new" / "sock";
        world_.AddManager();
        EXPECT_TRUE(world_.RunUntilUp(60 * kSecond));
        server_ = std::make_unique<ControlServer>(
            ControlServer::Parts{world_.sm(), kRows, configuration_, dump_});
        EXPECT_EQ(server_->Open(path_), "");
    }
    ~ControlHarness() override {
        server_.reset();
        std::filesystem::remove_all(folder_);
    }

    /// Sends a command, and returns its answer.
    nlohmann::ordered_json Ask(const std::string& line) {
        ControlPeer peer(path_);
        peer.Send(line + "\n");
        return nlohmann::ordered_json::parse(Served(peer));
    }
    std::string Served(ControlPeer& peer) {
        std::string text;
        for (int i = 0; i < 2000 && text.find('\n') == std::string::npos; ++i) {
            Turn();
            text += peer.Take();
        }
        return text;
    }
    /// A turn of the main loop.
    void Turn(std::uint64_t now_us = 1000) {
        server_->Serve(now_us);
        server_->Advance(now_us);
    }

    static constexpr std::array kRows = {MemoryRow{"one", 100}, MemoryRow{"other", 23}};
    SimWorld world_;
    ConfigurationReport configuration_;
    std::array<NodeIndex, 256> nodes_{};
    std::array<SwitchIndex, 256> switches_{};
    alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kSimSmall)> scratch_{};
    DumpJob dump_{DumpJob::Room{nodes_, switches_, scratch_}};
    std::filesystem::path folder_;
    std::string path_;
    std::unique_ptr<ControlServer> server_;
};

}  // namespace ember::testing
