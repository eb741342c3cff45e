// SPDX-License-Identifier: Apache-2.0
// EmberSM: how a process comes to a mailbox, with a file in the place of a device.
#include <array>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <string>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "platform/linux/embersm/mailbox_waiting.h"
#include "platform/local/linux/shared_mapping.h"
#include "platform/local/linux/uio_mapping.h"
#include "tests/asic/asic.h"
#include "tests/asic/shared_mailbox.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using local::Shape;
using testing::Asic;
using testing::SharedMailbox;

constexpr Shape kShape{3, 3};

class SteadyClock final : public Clock {
public:
    [[nodiscard]] std::uint64_t NowUs() const override {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 +
               static_cast<std::uint64_t>(now.tv_nsec) / 1000;
    }
};

bool IsReadable(int descriptor) {
    pollfd wait{descriptor, POLLIN, 0};
    return poll(&wait, 1, 0) == 1;
}

/// A folder of its own, with a device file that is a mailbox and a sysfs that says so.
struct Uio : ::testing::Test {
    Uio() {
        folder = fs::temp_directory_path() / ("ember-uio-" + std::to_string(getpid()));
        fs::create_directories(folder / "sys/uio7/maps/map0");
        device = folder / "uio7";
        std::ofstream(device).close();
        fs::resize_file(device, kShape.WindowBytes());
        Say("size", kShape.WindowBytes());
    }
    ~Uio() override { fs::remove_all(folder); }

    void Say(const std::string& what, std::size_t number) const {
        std::ofstream(folder / "sys/uio7/maps/map0" / what) << "0x" << std::hex << number << "\n";
    }
    MailboxOpening Open() { return mapping.Open(device, folder / "sys"); }

    fs::path folder;
    fs::path device;
    UioMapping mapping;
};

TEST_F(Uio, MapsWhatSysfsDescribesAndLocksIt) {
    const MailboxOpening opening = Open();
    ASSERT_EQ(opening.sentence, "");
    EXPECT_EQ(mapping.window().words.size(), kShape.WindowBytes() / 4);
    EXPECT_EQ(mapping.doorbell(), nullptr);
    EXPECT_GE(mapping.descriptor(), 0);

    UioMapping other;
    const MailboxOpening second = other.Open(device, folder / "sys");
    EXPECT_EQ(second.fault, MailboxFault::kOccupied);
    EXPECT_NE(second.sentence.find("another process holds"), std::string::npos);
}

TEST_F(Uio, SaysWhatIsWrong) {
    EXPECT_EQ(mapping.Open(folder / "uio8", folder / "sys").fault, MailboxFault::kNoDevice);
    EXPECT_EQ(mapping.Open(device, folder / "nowhere").fault, MailboxFault::kNoDevice);
    Say("offset", 0x40);
    EXPECT_EQ(Open().fault, MailboxFault::kBroken);
    Say("offset", 0);
    std::ofstream(folder / "sys/uio7/maps/map0/size") << "many\n";
    EXPECT_EQ(Open().fault, MailboxFault::kNoDevice);
    std::ofstream(folder / "sys/uio7/maps/map0/size") << "0x1000 or so\n";
    EXPECT_EQ(Open().fault, MailboxFault::kNoDevice);
    Say("size", kShape.WindowBytes());
    EXPECT_EQ(Open().fault, MailboxFault::kNone);
}

TEST_F(Uio, TellsWhatIsNoMailbox) {
    ASSERT_EQ(Open().fault, MailboxFault::kNone);
    SteadyClock clock;
    MailboxPort port(mapping.window(), clock, nullptr);
    const MailboxOpening opening = OpenPort(port, mapping, "uio7");
    EXPECT_EQ(opening.fault, MailboxFault::kBroken);
    EXPECT_NE(opening.sentence.find("is no mailbox"), std::string::npos) << opening.sentence;
}

/// UIO's interrupts are a stream of 4-octet counts one way and of 4-octet switches the other.
TEST(UioInterrupts, AreLetInBeforeASleepAndTakenAfterIt) {
    std::array<int, 2> ends{};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends.data()), 0);
    const Descriptor device(ends[0]);
    const Descriptor memory(memfd_create("uio", 0));
    ASSERT_EQ(ftruncate(memory.number(), static_cast<off_t>(kShape.WindowBytes())), 0);
    UioMapping mapping;
    ASSERT_EQ(
        mapping.Adopt(memory.number(), Descriptor(ends[1]), kShape.WindowBytes(), "uio").sentence,
        "");
    const auto let_in = [&] {
        std::uint32_t on = 0;
        return read(device.number(), &on, sizeof(on)) == sizeof(on) && on == 1;
    };
    const std::uint32_t count = 1;
    mapping.Arm();
    EXPECT_TRUE(let_in());
    mapping.Acknowledge();  // Nothing has happened: the next sleep needs no letting in.
    mapping.Arm();
    EXPECT_FALSE(let_in());
    ASSERT_EQ(write(device.number(), &count, sizeof(count)), 4);
    EXPECT_TRUE(IsReadable(mapping.descriptor()));
    mapping.Acknowledge();
    EXPECT_FALSE(IsReadable(mapping.descriptor()));
    EXPECT_FALSE(let_in());  // Masked while the datagrams are taken,
    mapping.Arm();           // and let in once they are.
    EXPECT_TRUE(let_in());
}

TEST(UioInterrupts, ADeviceWithoutAnyIsRefused) {
    const Descriptor memory(memfd_create("uio", 0));
    ASSERT_EQ(ftruncate(memory.number(), static_cast<off_t>(kShape.WindowBytes())), 0);
    UioMapping mapping;
    Descriptor folder(open("/", O_RDONLY | O_CLOEXEC));  // read() fails with EISDIR.
    const MailboxOpening opening =
        mapping.Adopt(memory.number(), std::move(folder), kShape.WindowBytes(), "uio");
    EXPECT_EQ(opening.fault, MailboxFault::kBroken);
    EXPECT_NE(opening.sentence.find("has no interrupt"), std::string::npos);
}

struct Shared : ::testing::Test {
    Shared() {
        path = fs::temp_directory_path() / ("ember-shm-" + std::to_string(getpid()));
        EXPECT_EQ(giver.Listen(path, kShape.WindowBytes()), "");
    }
    /// Opens the mapping while the giver hands out what it has, with these flaws.
    MailboxOpening Open(const SharedMailbox::Flaws& flaws) {
        std::thread hands([&] { EXPECT_EQ(giver.Accept(flaws), ""); });
        const MailboxOpening opening = mapping.Open(path);
        hands.join();
        return opening;
    }

    std::string path;
    SharedMailbox giver;
    SharedMapping mapping;
};

TEST_F(Shared, IsTheSameMemoryOnBothSides) {
    ASSERT_EQ(Open({}).sentence, "");
    ASSERT_EQ(mapping.window().words.size(), giver.window().words.size());
    local::StoreRegister(mapping.window().words[17], 4711);
    EXPECT_EQ(local::LoadRegister(giver.window().words[17]), 4711U);

    EXPECT_FALSE(giver.AnswerBell());
    mapping.doorbell()->Ring();
    mapping.doorbell()->Ring();
    EXPECT_TRUE(giver.AnswerBell());
    EXPECT_FALSE(giver.AnswerBell());

    EXPECT_FALSE(IsReadable(mapping.descriptor()));
    giver.Interrupt();
    EXPECT_TRUE(IsReadable(mapping.descriptor()));
    mapping.Acknowledge();
    mapping.Acknowledge();  // Does not block.
    EXPECT_FALSE(IsReadable(mapping.descriptor()));
}

TEST_F(Shared, NeverWaitsHoweverTheDeviceSetsWhatItShares) {
    ASSERT_EQ(Open({}).sentence, "");
    // The flags of a descriptor that is shared are shared too.
    ASSERT_EQ(fcntl(giver.interrupt(), F_SETFL, 0), 0);
    ASSERT_EQ(fcntl(giver.connection(), F_SETFL, 0), 0);
    alarm(20);  // Ends the test when something waits after all.
    mapping.Acknowledge();
    giver.Interrupt();
    EXPECT_TRUE(IsReadable(mapping.descriptor()));
    mapping.Acknowledge();
    mapping.Acknowledge();
    EXPECT_FALSE(IsReadable(mapping.descriptor()));
    giver.Interrupt();  // The first was not read.
    EXPECT_TRUE(IsReadable(mapping.descriptor()));
    for (int i = 0; i < 100'000; ++i) {  // No answer comes.
        mapping.doorbell()->Ring();
    }
    EXPECT_TRUE(giver.AnswerBell());
    EXPECT_FALSE(giver.AnswerBell());
    alarm(0);
}

TEST_F(Shared, TakesNothingThatIsLessThanAMailbox) {
    EXPECT_NE(Open({.unsealed = true}).sentence.find("taken away"), std::string::npos);
    EXPECT_NE(Open({.no_interrupt = true}).sentence.find("does not hand out"), std::string::npos);
    EXPECT_NE(Open({.magic_change = 1}).sentence.find("does not hand out"), std::string::npos);
    EXPECT_EQ(Open({}).sentence, "");
}

TEST_F(Shared, SaysWhenNobodyAnswers) {
    const MailboxOpening opening = mapping.Open(path + ".not");
    EXPECT_EQ(opening.fault, MailboxFault::kNoDevice);
    EXPECT_NE(opening.sentence.find("nobody answers behind"), std::string::npos);
    EXPECT_EQ(mapping.Open(std::string(200, 'x')).fault, MailboxFault::kBroken);
}

TEST_F(Shared, ADeviceThatStaysSilentIsNoDevice) {
    ASSERT_EQ(Open({}).sentence, "");
    const Asic asic(giver.window(), kShape, Guid{1});  // The device is never advanced.
    SteadyClock clock;
    MailboxPort port(mapping.window(), clock, mapping.doorbell());
    const MailboxOpening opening = OpenPort(port, mapping, "it");
    EXPECT_EQ(opening.fault, MailboxFault::kNoDevice);
    EXPECT_NE(opening.sentence.find("does not end its reset"), std::string::npos);
}

TEST_F(Shared, WakesTheMainLoopWhenADatagramComes) {
    ASSERT_EQ(Open({}).sentence, "");
    Asic asic(giver.window(), kShape, Guid{1});
    SteadyClock clock;
    MailboxPort port(mapping.window(), clock, mapping.doorbell());
    ASSERT_EQ(port.Open(), Status::kOk);
    for (int i = 0; i < 2; ++i) {
        asic.Doorbell();
        (void)port.Poll();
    }
    ASSERT_EQ(port.Poll(), Status::kOk);

    MailboxWaiting waiting(clock, mapping);
    std::array<pollfd, 0> nothing_else{};
    waiting.WaitUntil(0, 0, nothing_else);  // Takes what was left of the reset.
    std::thread device([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        EXPECT_TRUE(asic.Give(Envelope{}));
        giver.Interrupt();
    });
    const std::uint64_t begun_us = clock.NowUs();
    waiting.WaitUntil(begun_us + 9'000'000, 0, nothing_else);
    device.join();
    EXPECT_LT(clock.NowUs() - begun_us, 5'000'000U);
    Envelope envelope;
    EXPECT_EQ(port.Receive(envelope), Status::kOk);
    EXPECT_EQ(port.Receive(envelope), Status::kBusy);
}

}  // namespace
}  // namespace ember
