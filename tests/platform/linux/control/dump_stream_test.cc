// SPDX-License-Identifier: Apache-2.0
// EmberSM: a dump over the control socket is the dump, and takes no time but its reader's.
//
// Goal:   the octets are those that a directory would hold; a reader that is slow, gone or in the
//         way of a reload loses its own dump, and costs the main loop neither a wait nor a turn.
// Method: a fabric whose dump is longer than what a socket holds; the main loop's turns by hand.

#include "platform/linux/control/dump_stream.h"

#include <fstream>
#include <gmock/gmock.h>
#include <map>

#include "config/netlist/cuts.h"
#include "platform/linux/dump/dump_directory.h"
#include "tests/platform/linux/control/control_harness.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Peer = testing::ControlPeer;
using Files = std::map<std::string, std::string, std::less<>>;

class DumpStreamTest : public testing::ControlHarness {
protected:
    DumpStreamTest() : ControlHarness(net::FatTree2(16)) {}

    /// The files that the job gives to a directory.
    Files Expected() {
        DumpDirectory sink;
        EXPECT_EQ(sink.Open(folder_.c_str()), Status::kOk);
        EXPECT_EQ(dump_.Begin(world_.sm(), sink), DumpEnd::kRunning);
        while (dump_.running()) {
            static_cast<void>(dump_.Advance(world_.sm(), 1'000'000));
        }
        Files files;
        for (const DumpFile& file : kDumpFiles) {
            if (!dump_.Has(file)) continue;
            std::ifstream stream(folder_ / file.name, std::ios::binary);
            files[std::string(file.name)] = {std::istreambuf_iterator<char>(stream), {}};
        }
        return files;
    }
    /// Reads what came, up to the line with "ok", which it returns; null: that is not there yet.
    static Json Read(std::string_view text, Files& files) {
        std::string name;
        while (text.find('\n') != std::string_view::npos) {
            const Json line = Json::parse(text.substr(0, text.find('\n')));
            text.remove_prefix(text.find('\n') + 1);
            if (line.contains("ok")) return line;
            if (line.contains("file")) {
                name = line["file"];
                files[name].clear();
                continue;
            }
            const std::size_t bytes = line["bytes"];
            EXPECT_LE(bytes, ControlClient::kAnswerBytes);
            if (bytes > text.size()) return {};
            files[name] += text.substr(0, bytes);
            text.remove_prefix(bytes);
        }
        return {};
    }
    Json ReadAll(Peer& peer, Files& files) {
        Json end;
        for (int i = 0; i < 20000 && end.is_null(); ++i) {
            Turn();
            text_ += peer.Take();
            files.clear();
            end = Read(text_, files);
        }
        return end;
    }
    /// Turns with a reader that takes nothing, until the socket is full.
    void FillSocket(Peer& peer) {
        peer.Send("dump\n");
        Turn();
        for (int i = 0; i < 20000 && !dump_.waits(); ++i) {
            Turn();
        }
        ASSERT_TRUE(dump_.waits());
    }

    std::string text_;  ///< All that ReadAll() has read.
};

TEST_F(DumpStreamTest, SendsOctetForOctetWhatADirectoryWouldHold) {
    const Files expected = Expected();
    // min-hop has no order of nodes, and needs no lanes.
    EXPECT_EQ(expected.size(), std::size(kDumpFiles) - 2);
    Peer peer(path_);
    peer.Send("dump\nmemory\n");
    Files files;
    const Json end = ReadAll(peer, files);
    EXPECT_EQ(end.value("ok", false), true) << end;
    std::size_t bytes = 0;
    for (const auto& [name, text] : expected) {
        EXPECT_TRUE(files[name] == text) << name << " is another";
        bytes += text.size();
    }
    EXPECT_EQ(files.size(), expected.size());
    EXPECT_EQ(end["bytes"], bytes);
    for (int i = 0; i < 10; ++i) {
        Turn();
        text_ += peer.Take();
    }
    EXPECT_THAT(text_, HasSubstr("\"together_bytes\""));  // The line that had to wait.
}

TEST_F(DumpStreamTest, WaitsForAReaderWithoutTurningAndWithoutMakingOthersWait) {
    Peer slow(path_);
    FillSocket(slow);
    EXPECT_FALSE(server_->busy());
    EXPECT_TRUE(server_->watches_time());
    EXPECT_EQ(Ask("memory")["ok"], true);
    EXPECT_THAT(Ask("dump")["error"].get<std::string>(), HasSubstr("another dump"));
    Files files;
    EXPECT_EQ(ReadAll(slow, files)["ok"], true);  // The slow reader lost nothing.
    EXPECT_TRUE(files == Expected());
}

TEST_F(DumpStreamTest, HangsUpOnAReaderThatTakesNothing) {
    Peer slow(path_);
    FillSocket(slow);
    Turn(1000 + DumpStream::kPatienceUs - 1);
    EXPECT_TRUE(dump_.running());
    Turn(1000 + DumpStream::kPatienceUs);
    EXPECT_FALSE(dump_.running());
    static_cast<void>(slow.Take());
    EXPECT_TRUE(slow.closed);
    Peer next(path_);
    next.Send("dump\n");
    text_.clear();
    Files files;
    EXPECT_EQ(ReadAll(next, files)["ok"], true);
}

TEST_F(DumpStreamTest, HangsUpOnAReaderThatTakesAnOctetNowAndThen) {
    Peer slow(path_);
    FillSocket(slow);
    std::uint64_t now_us = 1000;
    std::uint64_t taken = 0;
    while (dump_.running() && taken < 4096) {
        taken += slow.Take(1).size();
        now_us += DumpStream::kPatienceUs / 100;
        Turn(now_us);
    }
    EXPECT_FALSE(dump_.running());
    EXPECT_LT(taken, 4096U);
}

TEST_F(DumpStreamTest, EndsWithAReaderThatIsGone) {
    {
        Peer gone(path_);
        FillSocket(gone);
    }
    Turn();
    EXPECT_FALSE(dump_.running());
    Peer next(path_);
    next.Send("dump\n");
    text_.clear();
    Files files;
    EXPECT_EQ(ReadAll(next, files)["ok"], true);
    EXPECT_TRUE(files == Expected());
}

TEST_F(DumpStreamTest, GivesWayToAReloadAndSaysSo) {
    Peer slow(path_);
    FillSocket(slow);
    server_->Reload();
    EXPECT_FALSE(server_->reads_tables());
    Files files;
    const Json end = ReadAll(slow, files);
    EXPECT_EQ(end["ok"], false);
    EXPECT_THAT(end["error"].get<std::string>(), HasSubstr("gave way"));
}

TEST_F(DumpStreamTest, SaysThatTheSubnetMovedAfterAllThatWasBegun) {
    Peer slow(path_);
    FillSocket(slow);
    const net::NetEnd end_of_cable = net::TrunksOf(net::FatTree2(16)).front();
    world_.Cut(end_of_cable.node, end_of_cable.port);
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    ASSERT_TRUE(world_.RunUntilUp(60 * testing::kSecond));
    for (int i = 0; i < 100 && dump_.running(); ++i) {
        Turn();
    }
    EXPECT_FALSE(dump_.running());
    Files files;
    const Json end = ReadAll(slow, files);
    EXPECT_THAT(end["error"].get<std::string>(), HasSubstr("changed while it was dumped"));
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    world_.sm().Step();
    EXPECT_THAT(Ask("dump")["error"].get<std::string>(), HasSubstr("a sweep is under way"));
}

TEST_F(DumpStreamTest, GoesOnAfterASweepThatHasChangedNothing) {
    Peer slow(path_);
    FillSocket(slow);
    world_.sm().RequestSweep(SweepCue::kHeavyRequest);
    ASSERT_TRUE(world_.RunUntilUp(60 * testing::kSecond));
    Files files;
    const Json end = ReadAll(slow, files);
    EXPECT_EQ(end["ok"], true);
    EXPECT_TRUE(files == Expected());
}

}  // namespace
}  // namespace ember
