// SPDX-License-Identifier: Apache-2.0
// EmberSM: an answer has an end, whatever nodes are called.
#include "platform/linux/control/control_client.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace ember {
namespace {

/// The longest name of a node in JSON: 64 octets that are each written as two.
class Backslashes final : public NameSource {
public:
    [[nodiscard]] std::size_t NameOf(Guid /*guid*/, std::span<char> name) const override {
        const std::size_t octets = std::min<std::size_t>(name.size(), 64);
        std::fill_n(name.begin(), octets, '\\');
        return octets;
    }
};

class ControlClientTest : public ::testing::Test {
protected:
    ControlClientTest() {
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0);
        const int bytes = 1 << 18;
        setsockopt(ends_[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
        client_->Take(ends_[0], 1);
    }
    ~ControlClientTest() override {
        client_->Drop();
        close(ends_[1]);
    }
    /// The answer to a question about so many ports.
    nlohmann::json AnswerOf(std::size_t ports) {
        JsonWriter json = client_->Json();
        json.SetNames(&names_);
        json.Open().Add("ok", true).OpenList("ports");
        for (std::size_t i = 0; i < ports; ++i) {
            json.Open().AddGuid("node", i).Close();
        }
        json.CloseList().Close();
        client_->Answer(json);
        std::string text;
        std::array<char, 65536> piece{};
        while (text.find('\n') == std::string::npos) {
            const ssize_t got = recv(ends_[1], piece.data(), piece.size(), 0);
            if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
            client_->SendRest(2);
        }
        return nlohmann::json::parse(text);
    }

    Backslashes names_;
    std::array<int, 2> ends_{};
    std::unique_ptr<ControlClient> client_ = std::make_unique<ControlClient>();
};

TEST_F(ControlClientTest, AnAnswerWithoutRoomForItIsAnErrorAndNoPanic) {
    const nlohmann::json answer = AnswerOf(100);
    EXPECT_EQ(answer["ok"], true);
    EXPECT_EQ(answer["ports"].size(), 100U);
    const nlohmann::json refused = AnswerOf(1000);
    EXPECT_EQ(refused["ok"], false);
    EXPECT_NE(refused["error"].get<std::string>().find("longer than the room"), std::string::npos);
    EXPECT_EQ(AnswerOf(1)["ports"].size(), 1U) << "the next one has its room again";
}

}  // namespace
}  // namespace ember
