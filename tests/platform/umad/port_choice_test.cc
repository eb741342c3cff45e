// SPDX-License-Identifier: Apache-2.0
// EmberSM: which local port is taken, and what is said when none fits.

#include "platform/umad/port_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace ember {
namespace {

using ::testing::HasSubstr;

constexpr unsigned kDown = 1;
constexpr unsigned kInit = 2;
constexpr unsigned kActive = 4;

std::vector<LocalPort> TwoDevices() {
    return {{"mlx5_0", 1, Guid{0x11}, kDown},
            {"mlx5_0", 2, Guid{0x12}, kInit},
            {"mlx5_1", 1, Guid{0x21}, kActive}};
}

TEST(PortChoice, TakesTheFirstPortWhoseLinkIsAboveDown) {
    const auto ports = TwoDevices();
    EXPECT_EQ(ChoosePort(ports, {}), &ports[1]);
}

TEST(PortChoice, TakesTheFirstPortWhenAllAreDown) {
    auto ports = TwoDevices();
    for (LocalPort& port : ports) {
        port.link_state = kDown;
    }
    EXPECT_EQ(ChoosePort(ports, {}), &ports[0]);
}

TEST(PortChoice, ObeysDeviceNumberAndGuidEvenWhenThatPortIsDown) {
    const auto ports = TwoDevices();
    EXPECT_EQ(ChoosePort(ports, {.ca = "mlx5_1"}), &ports[2]);
    EXPECT_EQ(ChoosePort(ports, {.ca = "mlx5_0", .port = 1}), &ports[0]);
    EXPECT_EQ(ChoosePort(ports, {.guid = Guid{0x11}}), &ports[0]);
}

TEST(PortChoice, TakesASwitchByItsPort0) {
    const std::vector<LocalPort> ports = {{"ibsim0", 0, Guid{0x200000}, kActive}};
    EXPECT_EQ(ChoosePort(ports, {}), ports.data());
    EXPECT_EQ(ChoosePort(ports, {.port = 0}), ports.data());
}

TEST(PortChoice, TakesNothingThatDoesNotFit) {
    const auto ports = TwoDevices();
    EXPECT_EQ(ChoosePort(ports, {.ca = "mlx5_2"}), nullptr);
    EXPECT_EQ(ChoosePort(ports, {.ca = "mlx5_1", .port = 2}), nullptr);
    EXPECT_EQ(ChoosePort(ports, {.guid = Guid{0x99}}), nullptr);
    EXPECT_EQ(ChoosePort({}, {}), nullptr);
}

TEST(PortChoice, SaysWhatWasWantedAndWhatThereIs) {
    const auto ports = TwoDevices();
    const std::string sentence = ExplainNoPort(ports, {.ca = "mlx5_2", .port = 3});
    EXPECT_THAT(sentence, HasSubstr("of device \"mlx5_2\" with number 3"));
    EXPECT_THAT(sentence, HasSubstr("mlx5_0 port 1 (0x0000000000000011)"));
    EXPECT_THAT(sentence, HasSubstr("mlx5_1 port 1 (0x0000000000000021)"));
    EXPECT_THAT(ExplainNoPort({}, {}), HasSubstr("no InfiniBand port on this machine"));
}

}  // namespace
}  // namespace ember
