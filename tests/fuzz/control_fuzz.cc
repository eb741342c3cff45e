// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: what comes in at the control socket.
//
// Goal:   whatever up to six clients say, in whatever pieces, take or do not take, the server
//         answers in whole lines of JSON, pages and dumps, keeps no client waiting for ever, and
//         afterwards answers an honest client.
// Method: a subnet manager on a small simulated fabric that is up, its server on a socket in a
//         folder of this process, and clients that do what the script says. Turns of the main loop
//         by hand.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/netlist/topologies.h"
#include "platform/linux/control/control.h"
#include "tests/support/fuzz_script.h"
#include "tests/support/sim_world.h"

namespace ember::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const bool kIsStrict = (GTEST_FLAG_SET(throw_on_failure, true), true);

/// A client that does not wait, and remembers what it was told.
class Client {
public:
    explicit Client(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(&address.sun_path[0], path.c_str(), path.size() + 1);
        fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        const void* const generic = &address;
        // Refused when more wait than are listened for: then nothing comes of it.
        (void)!connect(fd_, static_cast<const sockaddr*>(generic), sizeof(address));
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() { close(fd_); }

    void Say(std::string_view text) const {
        (void)!send(fd_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    void Take(std::size_t at_most) {
        std::array<char, 16384> piece{};
        while (at_most != 0) {
            const ssize_t got = recv(fd_, piece.data(), std::min(piece.size(), at_most), 0);
            if (got <= 0) return;
            told_.append(piece.data(), static_cast<std::size_t>(got));
            at_most -= static_cast<std::size_t>(got);
        }
    }
    /// Lines of JSON, the octets of dumps between them, and pages; the last may be cut off.
    void Judge() const {
        std::string_view left = told_;
        bool is_page = false;
        for (std::size_t end = left.find('\n'); end != std::string_view::npos;
             end = left.find('\n')) {
            const std::string_view line = left.substr(0, end);
            left.remove_prefix(end + 1);
            is_page = is_page || !line.starts_with('{');
            if (is_page) {
                is_page = line != "# EOF";
                continue;
            }
            const Json json = Json::parse(line, nullptr, false);
            Demand(json.is_object(), "a line is an object");
            if (json.contains("ok")) {
                Demand(json["ok"] == true || json.contains("error"), "a refusal says why");
            } else if (json.contains("bytes")) {
                left.remove_prefix(std::min(json["bytes"].get<std::size_t>(), left.size()));
            } else {
                Demand(json.contains("file"), "all else begins a file");
            }
        }
    }
    [[nodiscard]] const std::string& told() const { return told_; }

private:
    int fd_ = -1;
    std::string told_;
};

class Bench {
public:
    Bench() : world_(net::FatTree2(4)) {
        std::string pattern = fs::temp_directory_path() / "ember-fuzz-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        world_.AddManager();
        Demand(world_.RunUntilUp(60 * kSecond), "the subnet comes up");
        server_ = std::make_unique<ControlServer>(
            ControlServer::Parts{world_.sm(), kRows, configuration_, dump_});
        Demand(server_->Open(path()).empty(), "a socket of our own can be made");
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    ~Bench() {
        server_.reset();
        fs::remove_all(folder_);
    }

    void Follow(Script& script) {
        std::array<std::unique_ptr<Client>, 6> clients;
        for (int acts = 0; acts < 300 && !script.ended(); ++acts) {
            const std::uint8_t what = script.Next();
            std::unique_ptr<Client>& client = clients[what / 8 % clients.size()];
            switch (what % 8) {
                case 0:
                    if (client) client->Judge();
                    client = std::make_unique<Client>(path());
                    break;
                case 1:
                case 2:
                    if (client) client->Say(Words(script, what % 8 == 2));
                    break;
                case 3:
                    if (client) client->Take(script.Next() * std::size_t{64});
                    break;
                case 4:
                    now_us_ += ControlServer::kIdleUs / 2;
                    break;
                case 5:
                    world_.RunFor(script.Next() * kMs);
                    break;
                default:
                    Turn();
            }
        }
        Finish(clients);
    }

private:
    [[nodiscard]] std::string path() const { return folder_ / "sock"; }

    /// Octets as they come, or a command and perhaps its end.
    static std::string Words(Script& script, bool is_command) {
        static constexpr std::array<std::string_view, 12> kWords = {
            "status", "sweep heavy", "sweep light", "log-level ", "memory",  "metrics",
            "dump",   "openmetrics", "reload",      "warning",    "verbose", "\r\n"};
        std::string text;
        const unsigned count = script.Next() % 32U;
        for (unsigned i = 0; i < count; ++i) {
            const std::uint8_t octet = script.Next();
            if (is_command) {
                text += kWords[octet % kWords.size()];
                if (octet >= 128) text += '\n';
            } else {
                text += static_cast<char>(octet);
            }
        }
        return text;
    }
    void Turn() {
        now_us_ += 1000;
        server_->Serve(now_us_);
        server_->Advance(now_us_);
    }
    void Finish(std::array<std::unique_ptr<Client>, 6>& clients) {
        for (int i = 0; i < 200; ++i) {
            Turn();
            for (const auto& client : clients) {
                if (client) client->Take(SIZE_MAX);
            }
        }
        for (auto& client : clients) {
            if (client) client->Judge();
            client.reset();
        }
        world_.RunFor(3 * kSecond);
        now_us_ += DumpStream::kPatienceUs;
        // Clients that have left may fill the listener's queue, and a connect that does not wait is
        // refused then.
        for (std::size_t i = 0; i < 2 * clients.size(); ++i) {
            Turn();
        }
        Client honest(path());
        honest.Say("status\n");
        for (int i = 0; i < 50 && honest.told().find('\n') == std::string::npos; ++i) {
            Turn();
            honest.Take(SIZE_MAX);
        }
        const Json status = Json::parse(honest.told(), nullptr, false);
        Demand(status.is_object() && status["ok"] == true, "an honest client is answered");
        Demand(status["headline"].is_string(), "with a status");
    }

    static constexpr std::array kRows = {MemoryRow{"one", 100}, MemoryRow{"other", 23}};
    SimWorld world_;
    ConfigurationReport configuration_;
    std::array<NodeIndex, 256> nodes_{};
    std::array<SwitchIndex, 256> switches_{};
    alignas(Arena::kGrain) std::array<std::byte, DumpJob::ScratchBytes(kSimSmall)> scratch_{};
    DumpJob dump_{DumpJob::Room{nodes_, switches_, scratch_}};
    fs::path folder_;
    std::uint64_t now_us_ = 1000;
    std::unique_ptr<ControlServer> server_;
};

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static ember::testing::Bench bench;
    ember::testing::Script script({data, size});
    bench.Follow(script);
    return 0;
}
