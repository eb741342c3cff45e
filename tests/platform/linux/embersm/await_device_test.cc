// SPDX-License-Identifier: Apache-2.0
// EmberSM: a start before the device that it needs.
#include "platform/linux/embersm/await_device.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace ember {
namespace {

using ::testing::HasSubstr;

/// A port whose device comes with one of the tries.
class LateSeat final : public Seat {
public:
    explicit LateSeat(int comes_at) : comes_at_(comes_at) {}
    [[nodiscard]] ExitStatus Take(const Options& /*options*/, Guid /*wanted*/,
                                  std::string& absent) override {
        if (++tries_ >= comes_at_) return ExitStatus::kWell;
        absent = "no InfiniBand port on this machine";
        return ExitStatus::kDevice;
    }
    [[nodiscard]] bool may_come() const override { return tries_ < comes_at_; }
    [[nodiscard]] Outside outside() override { std::abort(); }
    void Leave() override {}
    [[nodiscard]] int tries() const { return tries_; }

private:
    int comes_at_;
    int tries_ = 0;
};

class AwaitDevice : public ::testing::Test {
protected:
    AwaitDevice() { EXPECT_EQ(signals_.Open(), Status::kOk); }

    ExitStatus Take(Seat& seat, const Supervision& supervision = {}) {
        ::testing::internal::CaptureStderr();
        const SeatTaking taking = TakeWhenThere(seat, {options_, kNoGuid, signals_, supervision});
        said_ = ::testing::internal::GetCapturedStderr();
        absent_ = taking.absent;
        is_ended_ = taking.is_ended;
        return taking.status;
    }

    Options options_;
    Signals signals_;
    std::string absent_;
    std::string said_;
    bool is_ended_ = false;
};

TEST_F(AwaitDevice, IsNotNeededWhereThereIsOne) {
    LateSeat seat(1);
    EXPECT_EQ(Take(seat), ExitStatus::kWell);
    EXPECT_EQ(said_, "");
    EXPECT_EQ(seat.tries(), 1);
}

TEST_F(AwaitDevice, TriesUntilItIsThereAndSaysSoOnce) {
    std::array<int, 2> beats{};
    ASSERT_EQ(pipe(beats.data()), 0);
    LateSeat seat(3);
    EXPECT_EQ(Take(seat, {.heartbeat = beats[1], .beat_every_us = 100'000}), ExitStatus::kWell);
    EXPECT_EQ(seat.tries(), 3);
    EXPECT_FALSE(is_ended_);
    EXPECT_EQ(absent_, "");
    EXPECT_THAT(said_, HasSubstr("no InfiniBand port on this machine; waiting"));
    EXPECT_EQ(said_.find("waiting"), said_.rfind("waiting"));
    std::array<char, 256> octets{};
    EXPECT_GE(read(beats[0], octets.data(), octets.size()), 5) << "signs of life meanwhile";
    EXPECT_EQ(write(beats[1], "x", 1), 1) << "the pipe is still the program's";
    close(beats[0]);
    close(beats[1]);
}

TEST_F(AwaitDevice, EndsByASignal) {
    LateSeat seat(1'000'000);
    ASSERT_EQ(std::raise(SIGTERM), 0);
    EXPECT_EQ(Take(seat), ExitStatus::kWell);
    EXPECT_TRUE(is_ended_);
}

TEST_F(AwaitDevice, IsForAProgramThatStays) {
    options_.once = true;
    LateSeat seat(2);
    EXPECT_EQ(Take(seat), ExitStatus::kDevice);
    EXPECT_THAT(said_, HasSubstr("no InfiniBand port on this machine"));
    EXPECT_EQ(seat.tries(), 1);
}

}  // namespace
}  // namespace ember
