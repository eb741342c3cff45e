// SPDX-License-Identifier: Apache-2.0
// EmberSM: what a plan says first, its exit status, and where it comes from.
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "config/emberc/commands.h"
#include "core/base/version.h"
#include "tests/config/plan/plan_support.h"

namespace ember::plan {
namespace {

using nlohmann::json;

/// A value of an environment variable for as long as this lives.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
    ~Variable() { unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

constexpr const char* kDate = "1763840000";  // 2025-11-22 19:33:20 UTC.

TEST(PlanStatus, IsTheWorstThatHoldsAndSaidFirstEverywhere) {
    const Folder folder;
    const std::string strict = folder.Write(
        "strict.conf", "require_deadlock_free TRUE\nrouting_engine minhop,no_fallback\n");
    const std::string safe =
        folder.Write("safe.conf", "require_deadlock_free TRUE\nrouting_engine minhop\n");
    const std::string loose =
        folder.Write("loose.conf", "require_deadlock_free FALSE\nrouting_engine minhop\n");
    struct Case {
        const char* fabric;
        std::string config;
        const char* board;  ///< nullptr: none is asked for.
        int status;
        const char* headline;
        const char* color;
    };
    const Case cases[] = {
        {"ft3:4", loose, nullptr, 0, "routed by minhop, verified", "good"},
        {"ft3:8", loose, nullptr, 0, "routed by minhop, verified", "good"},
        {"ft3:4", loose, "sim_small", 0, "routed by minhop, verified; fits board sim_small",
         "good"},
        {"torus:5", strict, nullptr, 5,
         "NOT ROUTED: no routing engine of the configuration was accepted", "bad"},
        {"torus:9x9", strict, "sim_small", 5,
         "NOT ROUTED: no routing engine of the configuration was accepted; DOES NOT FIT board "
         "sim_small: switches: 81 of 64",
         "bad"},
        {"torus:5", safe, nullptr, 10,
         "SAFE ROUTING: no routing engine of the configuration was accepted, so packets go up and "
         "down from one switch",
         "warn"},
        {"ft3:8", loose, "sim_small", 7,
         "DOES NOT FIT board sim_small: switches: 80 of 64; routed by minhop, verified", "bad"},
        {"torus:9x9", loose, "sim_small", 7,
         "DOES NOT FIT board sim_small: switches: 81 of 64; POSSIBLE CREDIT LOOP: routed by "
         "minhop, but packets may come to wait for each other in a circle",
         "bad"},
        {"torus:5", loose, "sim_small", 8,
         "POSSIBLE CREDIT LOOP: routed by minhop, but packets may come to wait for each other in "
         "a circle; fits board sim_small",
         "warn"},
        {"torus:5", loose, nullptr, 8,
         "POSSIBLE CREDIT LOOP: routed by minhop, but packets may come to wait for each other in "
         "a circle",
         "warn"},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(std::string(one.fabric) + " " + (one.board == nullptr ? "-" : one.board));
        std::vector<std::string> words = {"plan",
                                          "-f",
                                          one.fabric,
                                          "-c",
                                          one.config,
                                          "--bisections",
                                          "3",
                                          "--json",
                                          folder.File("x.json"),
                                          "--html",
                                          folder.File("x.html")};
        if (one.board != nullptr) words.insert(words.end(), {"--board", one.board});
        const Answer run = Emberc(words);
        EXPECT_EQ(run.status, one.status) << run.error;
        EXPECT_EQ(run.out.substr(0, run.out.find('\n')),
                  std::string(one.fabric) + ": " + one.headline);
        const json facts = json::parse(folder.Read("x.json"));
        EXPECT_EQ(facts["exit_status"], one.status);
        EXPECT_EQ(facts["headline"], one.headline);
        const std::string said = std::string("<p class=\"verdict ") + one.color +
                                 "\" id=\"verdict\">" + one.headline + "</p>";
        EXPECT_NE(folder.Read("x.html").find(said), std::string::npos) << said;
    }
}

TEST(PlanStatus, OfADifferenceIsThatOfTheSecondConfiguration) {
    const Folder folder;
    const std::string tree = folder.Write("a.conf", "routing_engine dor\n");
    const std::string loops = folder.Write("b.conf", "routing_engine minhop\n");
    const Answer worse = Emberc({"plan", "diff", tree, loops, "-f", "mesh:4x4"});
    EXPECT_EQ(worse.status, emberc::kCreditLoopIsPossible) << worse.error;
    EXPECT_EQ(worse.out.find("POSSIBLE CREDIT LOOP: routed by minhop"), 0U) << worse.out;
    const Answer better = Emberc({"plan", "diff", loops, tree, "-f", "mesh:4x4", "--json", "-"});
    EXPECT_EQ(better.status, emberc::kDone) << better.error;
    EXPECT_EQ(json::parse(better.out)["exit_status"], 0);
    EXPECT_EQ(json::parse(better.out)["schema"], 1);
}

TEST(PlanProvenance, SaysWhenByWhatAndOfWhichConfiguration) {
    const Folder folder;
    const Variable date("SOURCE_DATE_EPOCH", kDate);
    const std::string conf = folder.Write("site <1>.conf", "lmc 1\n");
    const std::string page = folder.File("x.html");
    ASSERT_EQ(Emberc({"plan", "-f", "ft2:4", "-c", conf, "--html", page, "--json",
                      folder.File("x.json"), "--bisections", "7", "--seed", "3"})
                  .status,
              0);
    const json facts = json::parse(folder.Read("x.json"));
    EXPECT_EQ(facts["schema"], 1);
    EXPECT_EQ(facts["program"], "emberc");
    EXPECT_EQ(facts["version"], kEmberVersion);
    EXPECT_EQ(facts["configuration"]["file"], conf);
    const std::string digest = facts["configuration"]["sha256"];
    EXPECT_TRUE(std::regex_match(digest, std::regex("[0-9a-f]{64}"))) << digest;
    const std::string said = "Made 2025-11-22 19:33:20 UTC by emberc " +
                             std::string(kEmberVersion) + " with the configuration " +
                             folder.File("site &lt;1&gt;.conf") + ", SHA-256 " + digest +
                             "; 256 shifts at most, 7 bisections from seed 3.";
    EXPECT_NE(folder.Read("x.html").find(said), std::string::npos) << said;
}

TEST(PlanProvenance, DigestsTheConfigurationAndNotItsSpelling) {
    const Folder folder;
    const auto digest = [&](const std::string& text) {
        const std::string conf = folder.Write("o.conf", text);
        const Answer run = Emberc({"plan", "-f", "ft2:4", "-c", conf, "--json", "-"});
        return std::string(json::parse(run.out)["configuration"]["sha256"]);
    };
    EXPECT_EQ(digest("lmc 1\n"), digest("# a remark\nlmc   1\n"));
    EXPECT_NE(digest("lmc 1\n"), digest("lmc 0\n"));
    const json bare = json::parse(Emberc({"plan", "-f", "ft2:4", "--json", "-"}).out);
    EXPECT_EQ(bare["configuration"]["file"], nullptr);
    EXPECT_EQ(bare["configuration"]["sha256"], digest("lmc 0\n"));
}

TEST(PlanProvenance, IsRepeatableUnderSourceDateEpoch) {
    const Folder folder;
    const auto page = [&] {
        EXPECT_EQ(Emberc({"plan", "-f", "ft2:4", "--html", folder.File("x.html")}).status, 0);
        return folder.Read("x.html");
    };
    {
        const Variable date("SOURCE_DATE_EPOCH", kDate);
        EXPECT_EQ(page(), page());
        EXPECT_NE(page().find("2025-11-22 19:33:20 UTC"), std::string::npos);
    }
    EXPECT_EQ(page().find("2025-11-22 19:33:20 UTC"), std::string::npos);
    for (const char* wrong : {"", "yesterday", "12x", "-1", "99999999999999999999"}) {
        const Variable date("SOURCE_DATE_EPOCH", wrong);
        const Answer run = Emberc({"plan", "-f", "ft2:4", "--html", folder.File("y.html")});
        EXPECT_EQ(run.status, emberc::kUsageIsWrong) << wrong;
        EXPECT_NE(run.error.find("SOURCE_DATE_EPOCH is"), std::string::npos) << run.error;
        // A blob's counter is drawn from it too, and 0 would be older than any.
        const std::string conf = folder.Write("o.conf", "lmc 0\n");
        const Answer blob = Emberc({"compile", conf, "-o", folder.File("o.blob")});
        EXPECT_EQ(blob.status, emberc::kUsageIsWrong) << wrong;
        EXPECT_FALSE(std::filesystem::exists(folder.File("o.blob")));
    }
}

}  // namespace
}  // namespace ember::plan
