// SPDX-License-Identifier: Apache-2.0
// EmberSM: the control socket answers every line, and waits for no client.

#include "platform/linux/control/control.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "config/explain/host/page.h"
#include "platform/linux/emberctl/client.h"
#include "platform/linux/emberctl/pages.h"
#include "tests/platform/linux/control/control_harness.h"

namespace ember {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

using Client = testing::ControlPeer;

class ControlTest : public testing::ControlHarness {
protected:
    ControlTest() : ControlHarness(net::FatTree2(4)) {}
};

TEST_F(ControlTest, BelongsToItsOwnerAlone) {
    struct stat status {};
    ASSERT_EQ(stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(ControlTest, TellsHowTheSubnetIs) {
    const Json status = Ask("status");
    EXPECT_EQ(status["ok"], true);
    EXPECT_EQ(status["up"], true);
    EXPECT_EQ(status["role"], "MASTER");
    EXPECT_EQ(status["subnet"]["nodes"], 14);
    EXPECT_EQ(status["subnet"]["switches"], 6);
    EXPECT_EQ(status["subnet"]["links"], 16);
    EXPECT_EQ(status["routing"]["engine"], "auto");
    EXPECT_EQ(status["routing"]["may_program"], true);
    EXPECT_EQ(status["routing"]["max_hops"], 2);
    EXPECT_EQ(status["smps"]["by_attribute"]["LinearForwardingTable"]["sets"], 6);
    EXPECT_THAT(status["configuration"]["sentence"].get<std::string>(),
                HasSubstr("built-in defaults"));
    const std::string page = ctl::StatusPage(status);
    EXPECT_THAT(page, HasSubstr("SUBNET UP: MASTER"));
    EXPECT_EQ(status["configuration"]["partitions"], 0);
    EXPECT_THAT(page, HasSubstr("NO partitions: every port may talk with every other\n"));
    EXPECT_THAT(page, HasSubstr("LinearForwardingTable"));
    EXPECT_THAT(page, HasSubstr("0 questions, 0 answers, 0 tables"));
    Json apart = status;
    apart["configuration"]["partitions"] = 8;
    EXPECT_THAT(ctl::StatusPage(apart), HasSubstr("8 partitions\n"));
    Json closed = status;
    closed["administration"]["serves"] = false;
    EXPECT_THAT(ctl::StatusPage(closed), HasSubstr("does not serve"));
}

TEST_F(ControlTest, TellsWhyTheMasterIsMasterAndTakesAPriority) {
    EXPECT_EQ(Ask("status")["master_because"], "no other SM takes part");
    EXPECT_THAT(ctl::StatusPage(Ask("status")), HasSubstr("no other SM takes part"));
    EXPECT_EQ(Ask("sm-priority 7")["sm_priority"], 7);
    EXPECT_EQ(Ask("status")["priority"], 7);
    EXPECT_EQ(Ask("sm-priority 16")["ok"], false);
    EXPECT_EQ(Ask("sm-priority")["ok"], false);
    EXPECT_EQ(Ask("status")["priority"], 7);
}

TEST_F(ControlTest, RefusesAHandoverToWhoIsNoStandby) {
    EXPECT_THAT(Ask("handover 0x4711")["error"].get<std::string>(), HasSubstr("no standby"));
    EXPECT_THAT(Ask("handover nobody")["error"].get<std::string>(),
                HasSubstr("\"nobody\" is the name of no node"));
    // A host of the fabric, by its LID: there is no standby at it.
    EXPECT_THAT(Ask("handover 1")["error"].get<std::string>(), HasSubstr("no standby"));
    EXPECT_THAT(Ask("handover")["error"].get<std::string>(),
                HasSubstr("wants the port of a standby"));
    EXPECT_EQ(Ask("status")["role"], "MASTER");
}

TEST_F(ControlTest, TellsWhoTakesMemory) {
    const Json memory = Ask("memory");
    EXPECT_EQ(memory["together_bytes"], 123);
    EXPECT_EQ(memory["arenas"][1]["name"], "other");
    EXPECT_THAT(ctl::MemoryPage(memory), HasSubstr("123 bytes"));
}

TEST_F(ControlTest, AnswersMetricsWithAPageThatTellsItsEnd) {
    Client client(path_);
    client.Send("metrics\nmetrics openmetrics\nmemory\n");
    std::string text;
    for (int i = 0; i < 10; ++i) {
        server_->Serve(0);
        text += client.Take();
    }
    EXPECT_TRUE(text.starts_with("# TYPE embersm_build_info gauge\n"));
    EXPECT_THAT(text, HasSubstr("\nembersm_nodes 14\n"));
    EXPECT_THAT(text, HasSubstr("\n# EOF\n# TYPE embersm_build info\n"));
    EXPECT_THAT(text, HasSubstr("\n# EOF\n{\"ok\":true,\"arenas\""));
}

TEST_F(ControlTest, MakesTheSubnetManagerSweep) {
    const std::uint64_t before = world_.sm().progress().heavy_sweeps;
    EXPECT_EQ(Ask("sweep heavy")["ok"], true);
    world_.sm().Step();
    EXPECT_EQ(world_.sm().progress().heavy_sweeps, before + 1);
    EXPECT_EQ(world_.sm().progress().last_reason, SweepReason::kRequest);
}

TEST_F(ControlTest, ChangesTheLogLevel) {
    EXPECT_EQ(Ask("log-level debug")["log_level"], "debug");
    EXPECT_EQ(world_.sm().log().levels().minimum(), Severity::kDebug);
    EXPECT_EQ(Ask("log-level error")["log_level"], "error");
    EXPECT_EQ(world_.sm().log().levels().minimum(), Severity::kError);
    EXPECT_EQ(Ask("log-level warning,sweep=debug")["log_level"], "warning,sweep=debug");
    EXPECT_TRUE(world_.sm().log().levels().Keeps(Note::kLightSweepStarted));
    EXPECT_FALSE(world_.sm().log().levels().Keeps(Note::kSubnetUp));
    EXPECT_EQ(world_.sm().log().CountOf(Note::kLogLevelChanged), 3U);
    EXPECT_THAT(world_.Notes(), HasSubstr("from now on notes of severity error and above"));
}

TEST_F(ControlTest, ExplainsWhatTheSubnetIsManagedBy) {
    const Port& own = world_.sm().fabric().port(world_.sm().fabric().own_port());
    const std::string other = own.lid == Lid{1} ? "2" : "1";
    const Json facts = Ask("explain partition 1 2");
    EXPECT_EQ(facts["ok"], true);
    EXPECT_EQ(facts["may_talk"], true);
    EXPECT_EQ(facts["p_key"], "0xffff");
    EXPECT_THAT(explain::Page(facts), HasSubstr("every port is a full member of the default"));
    const Json path = Ask("explain path " + std::to_string(Raw(own.lid)) + " " + other + " sl=2");
    EXPECT_EQ(path["told"], true);
    EXPECT_EQ(path["sl"], 2);
    EXPECT_EQ(path["sl_by"], "question");
    EXPECT_FALSE(path["hops"].empty());
    EXPECT_EQ(Ask("explain join 1 ff12:401b:ffff::ffff:ffff")["exists"], true);
    EXPECT_THAT(Ask("explain")["error"].get<std::string>(), HasSubstr("partition, path or join"));
    EXPECT_THAT(Ask("explain path 1")["error"].get<std::string>(),
                HasSubstr("two ports are wanted"));
    EXPECT_THAT(Ask("explain path 1 2 sl")["error"].get<std::string>(),
                HasSubstr("no option with"));
    EXPECT_THAT(Ask("explain path 1 2 qkey=1")["error"].get<std::string>(),
                HasSubstr("no option \"qkey\""));
    EXPECT_THAT(Ask("explain partition 1 2 3")["error"].get<std::string>(),
                HasSubstr("and no more"));
    EXPECT_THAT(Ask("explain join 1")["error"].get<std::string>(), HasSubstr("an MGID are wanted"));
}

TEST_F(ControlTest, SaysWhatIsWrongWithALine) {
    EXPECT_THAT(Ask("dance")["error"].get<std::string>(), HasSubstr("unknown command"));
    EXPECT_THAT(Ask("")["error"].get<std::string>(), HasSubstr("unknown command"));
    EXPECT_THAT(Ask("sweep gently")["error"].get<std::string>(), HasSubstr("heavy or light"));
    EXPECT_THAT(Ask("log-level")["error"].get<std::string>(), HasSubstr("log-level wants"));
    EXPECT_THAT(Ask("log-level info,x=debug")["error"].get<std::string>(), HasSubstr("link=debug"));
    EXPECT_THAT(Ask("metrics xml")["error"].get<std::string>(), HasSubstr("wants openmetrics"));
    EXPECT_THAT(Ask("reload")["error"].get<std::string>(), HasSubstr("cannot be changed here"));
    EXPECT_THAT(Ask("dump /tmp")["error"].get<std::string>(), HasSubstr("wants nothing"));
    EXPECT_THAT(Ask(std::string(5000, 'x'))["error"].get<std::string>(), HasSubstr("too long"));
}

TEST_F(ControlTest, AnswersLinesThatComeInPiecesOrTogether) {
    Client client(path_);
    const auto answers = [&] {
        std::string text;
        for (int i = 0; i < 10; ++i) {
            server_->Serve(0);
            text += client.Take();
        }
        return std::count(text.begin(), text.end(), '\n');
    };
    client.Send("mem");
    EXPECT_EQ(answers(), 0);
    client.Send("ory\r\nmemory\nmem");
    EXPECT_EQ(answers(), 2);
    client.Send("ory\n");
    EXPECT_EQ(answers(), 1);
}

TEST_F(ControlTest, LetsNoMoreInThanItHasPlacesForUntilOneLeaves) {
    std::vector<std::unique_ptr<Client>> clients;
    for (std::size_t i = 0; i < ControlServer::kMaxClients; ++i) {
        clients.push_back(std::make_unique<Client>(path_));
        clients.back()->Send("memory\n");
        EXPECT_NE(Served(*clients.back()), "");
    }
    Client late(path_);
    ASSERT_TRUE(late.connected());
    late.Send("memory\n");
    for (int i = 0; i < 10; ++i) {
        server_->Serve(0);
    }
    EXPECT_EQ(late.Take(), "");
    clients.pop_back();
    EXPECT_THAT(Served(late), HasSubstr("together_bytes"));
}

TEST_F(ControlTest, TakesThePlaceOfWhoHasBeenIdleLongestForWhoComes) {
    constexpr std::uint64_t kIdleUs = ControlServer::kIdleUs;
    constexpr std::size_t kPlaces = ControlServer::kMaxClients;
    std::vector<std::unique_ptr<Client>> clients;
    std::uint64_t now_us = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) {
        clients.push_back(std::make_unique<Client>(path_));
        server_->Serve(now_us++);
    }
    EXPECT_TRUE(server_->crowded());
    clients[0]->Send("mem");  // Half a question counts.
    server_->Serve(now_us);
    std::array<pollfd, ControlServer::kMaxDescriptors> looked_at{};
    Client late(path_);
    // While all are fresh the listener is not waited for, or the loop would spin.
    EXPECT_EQ(server_->Describe(looked_at, kIdleUs), kPlaces);
    server_->Serve(kIdleUs);
    for (const auto& client : clients) {
        static_cast<void>(client->Take());
        EXPECT_FALSE(client->closed);
    }
    EXPECT_EQ(server_->Describe(looked_at, kIdleUs + 1), kPlaces + 1);
    late.Send("memory\n");
    server_->Serve(kIdleUs + 1);
    EXPECT_THAT(late.Take(), HasSubstr("together_bytes"));
    for (std::size_t i = 0; i < kPlaces; ++i) {
        static_cast<void>(clients[i]->Take());
        EXPECT_EQ(clients[i]->closed, i == 1) << i;
    }
}

TEST_F(ControlTest, IsNotHeldUpByAClientThatNeverReads) {
    Client lazy(path_);
    std::string many;
    for (int i = 0; i < 50; ++i) {
        many += "status\n";
    }
    for (int i = 0; i < 40; ++i) {
        Client busy(path_);
        lazy.Send(many.substr(0, 7));
        server_->Serve(0);
    }
    EXPECT_EQ(Ask("memory")["ok"], true);
}

TEST_F(ControlTest, RefusesToServeWhereAnotherDoesAndReplacesWhatADeadOneLeft) {
    ControlServer second(ControlServer::Parts{world_.sm(), kRows, configuration_, dump_});
    EXPECT_THAT(second.Open(path_), HasSubstr("another embersm serves"));
    const std::string left = folder_ / "left";
    {
        const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, left.c_str(), left.size() + 1);
        const void* const generic = &address;
        ASSERT_EQ(bind(dead, static_cast<const sockaddr*>(generic), sizeof(address)), 0);
        close(dead);
    }
    EXPECT_EQ(second.Open(left), "");
    second.Close();
    EXPECT_FALSE(fs::exists(left));
}

TEST(Emberctl, SaysThatNobodyListens) {
    try {
        static_cast<void>(ctl::Ask("/nowhere/sock", "status", 1));
        FAIL() << "somebody answered";
    } catch (const ctl::Trouble& trouble) {
        EXPECT_EQ(trouble.status(), ctl::kUnreachable);
        EXPECT_THAT(trouble.what(), HasSubstr("no subnet manager serves /nowhere/sock"));
    }
}

}  // namespace
}  // namespace ember
