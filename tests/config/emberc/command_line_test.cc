// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of emberc as the shell sees it.
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "config/blob/fields.h"
#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/key_pair.h"
#include "tests/config/emberc_run.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Access;
using emberc::ReadText;
using emberc::WriteText;

class CommandLineTest : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "emberc.XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        WriteText(Path("good.conf"), "lmc 2\nsm_priority 9\n", Access::kEverybody);
        WriteText(Path("bad.conf"), "lmc 9\nlcm 2\n", Access::kEverybody);
        WriteText(Path("odd.conf"), "perfmgr TRUE\n", Access::kEverybody);
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string Path(const std::string& name) const { return folder_ + "/" + name; }

    /// Runs `emberc`; what it says on standard output is in out_, on standard error in err_.
    int Emberc(const std::vector<std::string>& arguments) {
        const Answer answer = test::Emberc(arguments);
        out_ = answer.out;
        err_ = answer.error;
        return answer.status;
    }

    void MakeKeys() {
        ASSERT_EQ(Emberc({"keygen", "--private", Path("k.pem"), "--public", Path("k.pub")}), 0);
    }

    std::string folder_;
    std::string out_;
    std::string err_;
};

TEST_F(CommandLineTest, CompilesSignsShowsAndVerifies) {
    MakeKeys();
    ASSERT_EQ(Emberc({"compile", Path("good.conf"), "-o", Path("b"), "--key", Path("k.pem"),
                      "--counter", "12"}),
              0)
        << err_;
    EXPECT_EQ(Emberc({"verify", Path("b"), "--public-key", Path("k.pub")}), 0) << out_;
    EXPECT_NE(out_.find("counter 12"), std::string::npos);
    EXPECT_EQ(Emberc({"show", Path("b")}), 0);
    EXPECT_NE(out_.find("\nlmc 2\n"), std::string::npos);
    EXPECT_EQ(out_.find("sweep_interval"), std::string::npos) << "a default was shown";
}

TEST_F(CommandLineTest, WritesNoBlobWhenThereWasAnError) {
    EXPECT_EQ(Emberc({"compile", Path("bad.conf"), "-o", Path("b")}), emberc::kInputIsWrong);
    EXPECT_FALSE(std::filesystem::exists(Path("b")));
    EXPECT_NE(err_.find("bad.conf:1:5: error: lmc is 9"), std::string::npos) << err_;
    EXPECT_NE(err_.find("bad.conf:2:1: error: there is no key 'lcm'"), std::string::npos) << err_;
    EXPECT_NE(err_.find("2 errors, 0 warnings; no blob is written"), std::string::npos);
}

TEST_F(CommandLineTest, TreatsWarningsAsErrorsWhenStrict) {
    EXPECT_EQ(Emberc({"check", Path("odd.conf")}), 0);
    EXPECT_EQ(Emberc({"check", Path("odd.conf"), "--strict"}), emberc::kInputIsWrong);
}

TEST_F(CommandLineTest, OffersKeysThatMakeASubnetSafer) {
    EXPECT_EQ(Emberc({"check", "-v", Path("odd.conf")}), 0);
    EXPECT_NE(out_.find("you may set edge_ports with"), std::string::npos) << out_;
    EXPECT_EQ(Emberc({"check", Path("odd.conf")}), 0);
    EXPECT_EQ(out_.find("edge_ports"), std::string::npos) << out_;
}

TEST_F(CommandLineTest, SpeaksJson) {
    EXPECT_EQ(Emberc({"check", Path("bad.conf"), "--format=json"}), emberc::kInputIsWrong);
    EXPECT_EQ(err_, "");
    const auto report = nlohmann::json::parse(out_);
    EXPECT_EQ(report["errors"], 2);
    EXPECT_EQ(report["diagnostics"][0]["code"], "out-of-range");
    EXPECT_EQ(report["diagnostics"][0]["line"], 1);
    EXPECT_EQ(report["diagnostics"][0]["column"], 5);
    EXPECT_EQ(report["diagnostics"][1]["severity"], "error");

    ASSERT_EQ(Emberc({"compile", Path("good.conf"), "-o", Path("b"), "--json", "--counter", "3"}),
              0);
    EXPECT_EQ(nlohmann::json::parse(out_)["blob"]["counter"], 3);
    ASSERT_EQ(Emberc({"show", Path("b"), "--json"}), 0);
    const auto shown = nlohmann::json::parse(out_);
    EXPECT_EQ(shown["settings"]["lmc"], 2);
    EXPECT_EQ(shown["settings"]["sweep_on_trap"], true);
    EXPECT_EQ(shown["settings"]["routing_engine"], nullptr);
    EXPECT_EQ(shown["signed"], false);
    ASSERT_EQ(Emberc({"keys", "--json"}), 0);
    EXPECT_EQ(nlohmann::json::parse(out_).size(), SettingsFields().size());
}

TEST_F(CommandLineTest, ShowsAFileThatItCompilesToTheSameBlob) {
    MakeKeys();
    WriteText(Path("rich.conf"),
              "lmc 3\nlog_prefix \" a b \"\nqos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7\n"
              "cc_ca_cong_setting_ccti_timer 4 40\nqos_vlarb_low 0:4,1:8\nconsole local\n",
              Access::kEverybody);
    ASSERT_EQ(Emberc({"compile", Path("rich.conf"), "-o", Path("1"), "-k", Path("k.pem"),
                      "--counter", "5"}),
              0)
        << err_;
    for (const std::string all : {"", "--all"}) {
        std::vector<std::string> show = {"show", Path("1")};
        if (!all.empty()) show.push_back(all);
        ASSERT_EQ(Emberc(show), 0);
        WriteText(Path("again.conf"), out_, Access::kEverybody);
        ASSERT_EQ(Emberc({"compile", Path("again.conf"), "-o", Path("2"), "-k", Path("k.pem"),
                          "--counter", "5"}),
                  0)
            << err_;
        EXPECT_EQ(ReadText(Path("1")), ReadText(Path("2")));
    }
}

TEST_F(CommandLineTest, ShowsSecretsOnDemandOnlyAndLetsNobodyElseReadThem) {
    MakeKeys();
    const auto mode = [&](const std::string& file) {
        return std::filesystem::status(Path(file)).permissions();
    };
    constexpr auto kOthers = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    WriteText(Path("open.conf"), "lmc 1\n", Access::kEverybody);
    ASSERT_EQ(Emberc({"compile", Path("open.conf"), "-o", Path("open")}), 0) << err_;
    EXPECT_NE(mode("open") & kOthers, std::filesystem::perms::none);
    WriteText(Path("keys.conf"), "m_key 0xbeef\nsm_key 0xcafe\nsa_key 0xfade\n",
              Access::kEverybody);
    ASSERT_EQ(Emberc({"compile", Path("keys.conf"), "-o", Path("b")}), 0) << err_;
    ASSERT_EQ(Emberc({"sign", Path("b"), "-k", Path("k.pem"), "-o", Path("signed")}), 0) << err_;
    for (const std::string file : {"b", "signed"}) {
        EXPECT_EQ(mode(file) & kOthers, std::filesystem::perms::none) << file;
        for (const std::string form : {"--all", "--json"}) {
            ASSERT_EQ(Emberc({"show", Path(file), form}), 0);
            for (const std::string secret : {"beef", "cafe", "fade"}) {
                EXPECT_EQ(out_.find(secret), std::string::npos) << form << secret;
            }
        }
        ASSERT_EQ(Emberc({"show", Path(file)}), 0);
        EXPECT_NE(out_.find("# m_key is set (--secrets shows it)\n"), std::string::npos) << out_;
        ASSERT_EQ(Emberc({"show", Path(file), "--secrets"}), 0);
        EXPECT_NE(out_.find("m_key 0x000000000000beef\n"), std::string::npos) << out_;
    }
}

TEST_F(CommandLineTest, CompilesTheFilesThatOptionsName) {
    MakeKeys();
    WriteText(Path("roots"), "0x6\n0x5\n4\n3\n2\n", Access::kEverybody);
    WriteText(Path("lfts"), "Unicast lids guid 0x9:\n0x1 007 portguid 0x8\n", Access::kEverybody);
    WriteText(Path("tree.conf"), "routing_engine updn,file\nroot_guid_file roots\nlfts_file lfts\n",
              Access::kEverybody);
    ASSERT_EQ(Emberc({"compile", Path("tree.conf"), "-o", Path("b"), "-k", Path("k.pem"),
                      "--counter", "5"}),
              0)
        << err_;
    EXPECT_EQ(err_, "");
    EXPECT_EQ(Emberc({"verify", Path("b"), "-p", Path("k.pub")}), 0) << out_;
    ASSERT_EQ(Emberc({"show", Path("b")}), 0);
    EXPECT_NE(out_.find("\nrouting_engine updn,file\n"), std::string::npos) << out_;
    EXPECT_NE(out_.find("\n# root_guid_file: 5 GUIDs\n#     0x0000000000000002\n"),
              std::string::npos)
        << out_;
    EXPECT_NE(out_.find("and 1 more"), std::string::npos) << out_;
    EXPECT_EQ(out_.find("0x0000000000000006"), std::string::npos) << out_;
    EXPECT_NE(out_.find("# lfts_file: 1 switches\n#     0x0000000000000009: 0x1=7\n"),
              std::string::npos)
        << out_;
    ASSERT_EQ(Emberc({"show", Path("b"), "--all"}), 0);
    EXPECT_NE(out_.find("#     0x0000000000000006\n"), std::string::npos) << out_;
    ASSERT_EQ(Emberc({"show", Path("b"), "--json"}), 0);
    const auto shown = nlohmann::json::parse(out_);
    EXPECT_EQ(shown["option_files"]["root_guid_file"]["count"], 5);
    EXPECT_EQ(shown["option_files"]["root_guid_file"]["entries"].size(), 4U);
}

TEST_F(CommandLineTest, ReportsMistakesInTheFilesThatOptionsName) {
    WriteText(Path("roots"), "0x6\nspine\n", Access::kEverybody);
    WriteText(Path("tree.conf"), "routing_engine updn\nroot_guid_file roots\nlmc 9\n",
              Access::kEverybody);
    EXPECT_EQ(Emberc({"check", Path("tree.conf")}), emberc::kInputIsWrong);
    EXPECT_NE(err_.find("tree.conf:3:5: error: lmc is 9"), std::string::npos) << err_;
    EXPECT_NE(err_.find("/roots:2:1: error: 'spine' is not a number [bad-number]\n    spine\n"
                        "    ^~~~~\n"),
              std::string::npos)
        << err_;
    EXPECT_NE(out_.find("2 errors, 0 warnings"), std::string::npos) << out_;
    EXPECT_EQ(Emberc({"compile", Path("tree.conf"), "-o", Path("b")}), emberc::kInputIsWrong);
    EXPECT_FALSE(std::filesystem::exists(Path("b")));

    EXPECT_EQ(Emberc({"check", Path("tree.conf"), "--json"}), emberc::kInputIsWrong);
    const auto report = nlohmann::json::parse(out_);
    EXPECT_EQ(report["errors"], 2);
    EXPECT_EQ(report["files"].size(), 2U);
    EXPECT_EQ(report["diagnostics"][1]["file"], Path("roots"));
    EXPECT_EQ(report["diagnostics"][1]["line"], 2);
}

TEST_F(CommandLineTest, SignsAnUnsignedBlobAndABarePayload) {
    MakeKeys();
    ASSERT_EQ(Emberc({"compile", Path("good.conf"), "-o", Path("b"), "--counter", "4"}), 0);
    EXPECT_NE(out_.find("unsigned"), std::string::npos);
    EXPECT_EQ(Emberc({"verify", Path("b"), "-p", Path("k.pub")}), emberc::kBlobIsRefused);
    EXPECT_NE(out_.find("not signed"), std::string::npos);
    ASSERT_EQ(Emberc({"sign", Path("b"), "-k", Path("k.pem")}), 0) << err_;
    EXPECT_EQ(Emberc({"verify", Path("b"), "-p", Path("k.pub")}), 0);
    EXPECT_NE(out_.find("counter 4"), std::string::npos);

    emberc::WriteFile(Path("payload"), PayloadOf("lmc 1\n"), Access::kEverybody);
    ASSERT_EQ(
        Emberc({"sign", Path("payload"), "-k", Path("k.pem"), "-o", Path("c"), "--counter", "8"}),
        0)
        << err_;
    EXPECT_EQ(Emberc({"verify", Path("c"), "-p", Path("k.pub"), "--oldest-counter", "9"}),
              emberc::kBlobIsRefused);
    EXPECT_EQ(Emberc({"verify", Path("c"), "-p", Path("k.pub"), "--oldest-counter", "8"}), 0);
    EXPECT_EQ(Emberc({"sign", Path("good.conf"), "-k", Path("k.pem")}), emberc::kBlobIsRefused);
}

TEST_F(CommandLineTest, ReadsStandardInputForADash) {
    ASSERT_NE(std::freopen(Path("bad.conf").c_str(), "r", stdin), nullptr);
    EXPECT_EQ(Emberc({"check", "-"}), emberc::kInputIsWrong);
    EXPECT_NE(err_.find("(standard input):1:5"), std::string::npos) << err_;
}

TEST_F(CommandLineTest, KeepsThePrivateKeyToItsOwnerAndDoesNotReplaceIt) {
    MakeKeys();
    struct stat status = {};
    ASSERT_EQ(::stat(Path("k.pem").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    ASSERT_EQ(::stat(Path("k.pub").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0644U);

    const std::string before = ReadText(Path("k.pem"));
    EXPECT_EQ(Emberc({"keygen", "--private", Path("k.pem"), "--public", Path("k.pub")}),
              emberc::kFileTrouble);
    EXPECT_EQ(ReadText(Path("k.pem")), before);
    EXPECT_EQ(Emberc({"keygen", "--private", Path("k.pem"), "--public", Path("k.pub"), "--force",
                      "--header", Path("k.h")}),
              0);
    EXPECT_NE(ReadText(Path("k.pem")), before);
    EXPECT_NE(ReadText(Path("k.h")).find("inline constexpr PublicKey kTrustedKey"),
              std::string::npos);
}

TEST_F(CommandLineTest, LeavesNoHalfWrittenFileBehind) {
    std::filesystem::create_directory(Path("taken"));
    EXPECT_EQ(Emberc({"compile", Path("good.conf"), "-o", Path("taken")}), emberc::kFileTrouble);
    EXPECT_EQ(Emberc({"compile", Path("good.conf"), "-o", Path("nowhere/b")}),
              emberc::kFileTrouble);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) {
        ++files;
    }
    EXPECT_EQ(files, 4U);  // Three configurations and the folder in the way.
}

/// "-o /dev/null" of root must leave the device, and "-o /dev/stdout" the link, that they are.
TEST_F(CommandLineTest, WritesIntoWhatIsNoFileAndPutsNoneInItsPlace) {
    ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
    const int reader = open(Path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(reader, 0);
    ASSERT_EQ(Emberc({"fabric", "single", "2", "-o", Path("pipe")}), 0) << err_;
    char octet = 0;
    EXPECT_EQ(read(reader, &octet, 1), 1);
    close(reader);
    EXPECT_TRUE(std::filesystem::is_fifo(Path("pipe")));
    WriteText(Path("target"), "old", Access::kEverybody);
    std::filesystem::create_symlink("target", Path("link"));
    ASSERT_EQ(Emberc({"fabric", "single", "2", "-o", Path("link")}), 0) << err_;
    EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
    EXPECT_NE(ReadText(Path("target")).find("Switch"), std::string::npos);
}

TEST_F(CommandLineTest, ExplainsTroubleWithFilesInOneSentence) {
    MakeKeys();
    EXPECT_EQ(Emberc({"check", Path("none.conf")}), emberc::kFileTrouble);
    EXPECT_EQ(err_, "emberc: cannot read " + Path("none.conf") + ": No such file or directory\n");
    EXPECT_EQ(Emberc({"compile", Path("good.conf"), "-o", Path("b"), "-k", Path("k.pub")}),
              emberc::kFileTrouble);
    EXPECT_EQ(Emberc({"verify", Path("good.conf"), "-p", Path("good.conf")}), emberc::kFileTrouble);
    EXPECT_EQ(Emberc({"verify", Path("good.conf"), "-p", Path("k.pub")}), emberc::kBlobIsRefused);
    EXPECT_EQ(Emberc({"show", Path("good.conf")}), emberc::kBlobIsRefused);
    EXPECT_EQ(Emberc({"show", folder_}), emberc::kFileTrouble);
}

TEST_F(CommandLineTest, RefusesACommandLineThatMakesNoSense) {
    EXPECT_EQ(Emberc({}), emberc::kUsageIsWrong);
    EXPECT_EQ(Emberc({"compile"}), emberc::kUsageIsWrong);
    EXPECT_EQ(Emberc({"frobnicate"}), emberc::kUsageIsWrong);
    EXPECT_EQ(Emberc({"compile", "a", "-o", "b", "--counter", "-1"}), emberc::kUsageIsWrong);
    EXPECT_EQ(Emberc({"--help"}), 0);
}

TEST(KeyPair, ReadsWhatOpensslWrote) {
    // Made by openssl ecparam -genkey, in SEC 1 and in PKCS #8: keys for tests only.
    const std::string sec1 =
        R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIOJoci3NuhF8SBm9cT5RRijiH/ET/rlpltE4KUIOVI21oAoGCCqGSM49
AwEHoUQDQgAEEOHLMAscvM3h5wMENVc1zNg6st+z52P0d2LzQKKIKsFYAkeRuT6O
e/2TNZ8yO23md5p+HLQSAGRYxvaan20pcA==
-----END EC PRIVATE KEY-----
)";
    const std::string pkcs8 =
        R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4mhyLc26EXxIGb1x
PlFGKOIf8RP+uWmW0TgpQg5UjbWhRANCAAQQ4cswCxy8zeHnAwQ1VzXM2Dqy37Pn
Y/R3YvNAoogqwVgCR5G5Po57/ZM1nzI7beZ3mn4ctBIAZFjG9pqfbSlw
-----END PRIVATE KEY-----
)";
    EXPECT_EQ(emberc::KeyPair::FromPem(sec1).public_key(),
              emberc::KeyPair::FromPem(pkcs8).public_key());
    EXPECT_EQ(emberc::KeyPair::FromPem(sec1).PrivatePem(), sec1);
    EXPECT_THROW((void)emberc::KeyPair::FromPem("x"), std::runtime_error);
}

TEST(Example, CompilesWithoutAWord) {
    emberc::Diagnostics diagnostics("docs/examples/opensm.conf");
    const std::string text = ReadText(std::string(EMBER_SOURCE_DIR) + "/docs/examples/opensm.conf");
    (void)emberc::ParseOpensmConf(text, diagnostics);
    EXPECT_EQ(emberc::RenderText(diagnostics), "");
    EXPECT_THAT(text, testing::HasSubstr("\nrequire_deadlock_free TRUE\n"));
}

}  // namespace
}  // namespace ember::test
