// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of what is said of keys that have no effect yet.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "config/emberc/checks.h"
#include "config/emberc/commands.h"
#include "config/emberc/foreign_keys.h"
#include "config/emberc/keys.h"
#include "config/emberc/value_text.h"
#include "tests/config/emberc_run.h"

namespace ember::test {
namespace {

using emberc::Key;
using emberc::Keys;
using emberc::Severity;
using emberc::Use;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A line that sets a key to another value than its default.
std::string OtherValue(std::size_t key) {
    const SettingField& field = SettingsFields()[key];
    const std::string_view by_default = Keys()[key].default_text;
    switch (field.kind) {
        case FieldKind::kBool:
            return by_default == "TRUE" ? "FALSE" : "TRUE";
        case FieldKind::kU8:
        case FieldKind::kU16:
        case FieldKind::kU32:
        case FieldKind::kU64:
        case FieldKind::kI32:
            return emberc::DefaultConf()[key].value.number == 1 ? "2" : "1";
        case FieldKind::kChoice: {
            const auto choices = emberc::ChoicesOf(field);
            return std::string(choices[choices[0] == by_default ? 1 : 0]);
        }
        case FieldKind::kText:
            return Keys()[key].name == "activity_report_subjects" ? "mc,routing" : "something";
        case FieldKind::kEngines:
            return "updn";
        case FieldKind::kMask256:
            return "0x6";
        case FieldKind::kPerSl:
            return "3 1";
        case FieldKind::kShiftMultiplier:
            return "1:2";
        case FieldKind::kShiftMultipliers:
        case FieldKind::kVlWeights:
            return "1:2,0:3";
        case FieldKind::kSlToVl:
            return "0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7";
        case FieldKind::kGuids:
            return "0x1, 0x2";
    }
    return "";
}

std::string LineOf(std::size_t key, const std::string& value) {
    return std::string(Keys()[key].name) + " " + value + "\n";
}

/// The line of a key, behind that of the one that it counts beside.
std::string WithItsCompany(std::size_t key) {
    std::string text;
    if (const std::string_view beside = Keys()[key].beside; !beside.empty()) {
        const std::size_t other = *emberc::FindKey(beside);
        text = LineOf(other, OtherValue(other));
    }
    return text + LineOf(key, OtherValue(key));
}

Severity SeverityOf(Use use) {
    if (use == Use::kRefused) return Severity::kError;
    return use == Use::kWarned ? Severity::kWarning : Severity::kNote;
}

/// How grave what is said of a key is, if anything is.
std::optional<Severity> Said(std::size_t key, const std::string& text,
                             std::vector<std::string> allowed = {}, bool refuses = true) {
    const emberc::Configuration read =
        emberc::ReadConfiguration("test.conf", text,
                                  {.allowances = {.keys = std::move(allowed), .refuses = refuses},
                                   .strict = false,
                                   .default_files = true,
                                   .default_folder = "no-such-folder"});
    const std::string quoted = "'" + std::string(Keys()[key].name) + "'";
    for (const emberc::Diagnostic& one : read.reports.front().all()) {
        if (one.code != emberc::Code::kNotActedOn) continue;
        if (one.text.find(quoted) != std::string::npos) return one.severity;
    }
    return std::nullopt;
}

TEST(KeysWithoutEffect, AreRefusedWarnedOrNotedAndMayBeAllowed) {
    int keys = 0;
    for (std::size_t i = 0; i < Keys().size(); ++i) {
        const Key& key = Keys()[i];
        const std::string name(key.name);
        if (key.use == Use::kActedOn) continue;
        ++keys;
        const std::string text = WithItsCompany(i);
        EXPECT_EQ(Said(i, text), SeverityOf(key.use)) << text;
        EXPECT_EQ(Said(i, text, {name}), Severity::kNote) << text;
        EXPECT_EQ(Said(i, LineOf(i, std::string(key.default_text))), std::nullopt) << text;
        if (key.use == Use::kRefused) {
            EXPECT_EQ(Said(i, text, {}, false), Severity::kWarning) << "in a plan: " << text;
        }
        if (!key.beside.empty()) {
            EXPECT_EQ(Said(i, text, {std::string(key.beside)}), Severity::kNote) << text;
        }
    }
    EXPECT_GE(keys, 50);
}

/// OpenSM does not look at them either: no error, yet worth a word.
TEST(KeysWithoutEffect, AreOneStepMilderWhereOpensmWouldNotLookAtThem) {
    const auto said = [](std::string_view name) {
        const std::size_t key = *emberc::FindKey(name);
        return Said(key, LineOf(key, OtherValue(key)));
    };
    EXPECT_EQ(said("cc_key"), Severity::kWarning);
    EXPECT_EQ(said("perfmgr_sweep_time_s"), Severity::kNote);
    EXPECT_EQ(said("congestion_control"), Severity::kError) << "who sets it wants it";
}

TEST(KeysWithoutEffect, AreBesideKeysThatAreOffByDefault) {
    for (const Key& key : Keys()) {
        if (key.beside.empty()) continue;
        const std::optional<std::size_t> beside = emberc::FindKey(key.beside);
        ASSERT_TRUE(beside.has_value()) << key.name;
        EXPECT_NE(Keys()[*beside].use, Use::kActedOn) << key.name;
        EXPECT_TRUE(Keys()[*beside].beside.empty()) << key.name;
        const std::string_view by_default = Keys()[*beside].default_text;
        EXPECT_TRUE(by_default == "FALSE" || by_default == "off" || by_default == "(null)")
            << key.name;
    }
}

TEST(KeysWithoutEffect, AreAtTheirDefaultAlsoWhereOpensmWasBuiltForAnotherFolder) {
    const std::string text =
        "qos_policy_file /etc/rdma/qos-policy.conf\n"
        "torus_config /usr/local/etc/opensm/torus-2QoS.conf\n"
        "per_module_logging_file /etc/rdma/per-module-logging.conf\n";
    const Folder folder;
    const Answer answer = Emberc({"check", "--strict", folder.Write("rdma.conf", text)});
    EXPECT_EQ(answer.status, emberc::kDone);
    EXPECT_EQ(answer.error.find("not-acted-on"), std::string::npos) << answer.error;
    EXPECT_EQ(Emberc({"check", "--strict",
                      folder.Write("own.conf", "per_module_logging_file /etc/my/logging.conf\n")})
                  .status,
              emberc::kDone);
}

TEST(KeysWithoutEffect, HaveTheSubjectsOfActivityReportsChecked) {
    const auto said = [](const std::string& value) {
        const Folder folder;
        const Answer answer = Emberc(
            {"check", "-v", folder.Write("conf", "activity_report_subjects " + value + "\n")});
        return fmt::format("{} {}", answer.status, answer.error);
    };
    for (const std::string value : {"mc", "mc,prtn", "mc, virt ,routing", "all"}) {
        EXPECT_THAT(said(value), HasSubstr("warning: EmberSM does not act on "
                                           "'activity_report_subjects' yet"))
            << value;
    }
    EXPECT_THAT(said("none"), HasSubstr("note: 'activity_report_subjects' asks for no report"));
    EXPECT_THAT(said("(null)"), Not(HasSubstr("activity_report_subjects")));
    EXPECT_THAT(said("bogus"), AllOf(StartsWith("1 "), HasSubstr("there is no subject 'bogus'")));
    EXPECT_THAT(said("mc,routin"), HasSubstr("did you mean 'routing'"));
    EXPECT_THAT(said("mc,"), HasSubstr("there is no subject ''"));
    EXPECT_THAT(said("mc,prtn,mc"), HasSubstr("'mc' stands twice"));
    EXPECT_THAT(said("mc,none"), AllOf(StartsWith("1 "), HasSubstr("'none' stands alone")));
}

TEST(KeysWithoutEffect, SayWhatDoesTheSameHere) {
    const Folder folder;
    const Answer answer =
        Emberc({"check", "-v",
                folder.Write("conf", "log_prefix rail2\nper_module_logging_file /etc/own.conf\n")});
    EXPECT_THAT(answer.error, AllOf(HasSubstr("embersm --log-prefix puts a text"),
                                    HasSubstr("embersm --log info,link=debug has levels")));
}

TEST(ForeignKeys, AreNoneOfOurOwn) {
    for (const Key& key : Keys()) {
        EXPECT_EQ(emberc::FeatureOfForeignKey(key.name), "") << key.name;
    }
    for (const std::string_view name :
         {"virt_enabled", "router_policy_enabled", "ar_mode", "ar_sl_mask",
          "hm_unhealthy_ports_checks", "held_back_sw_file", "routing_threads_num"}) {
        EXPECT_NE(emberc::FeatureOfForeignKey(name), "") << name;
    }
    EXPECT_EQ(emberc::FeatureOfForeignKey("virtual"), "");
    EXPECT_EQ(emberc::FeatureOfForeignKey("routing_threads_number"), "");
    EXPECT_EQ(emberc::FeatureOfForeignKey(""), "");
}

TEST(ForeignKeys, AreToldWhoseTheyAreAndMayBeLeftOut) {
    const Folder folder;
    const std::string conf = folder.Write("nvidia.conf", "virt_enabled 2\nlmc 1\n");
    const Answer refused = Emberc({"check", conf});
    EXPECT_EQ(refused.status, emberc::kInputIsWrong);
    EXPECT_NE(refused.error.find(":1:1: error: 'virt_enabled' is a key of NVIDIA's subnet manager "
                                 "(virtual ports)"),
              std::string::npos)
        << refused.error;
    const Answer left_out = Emberc(
        {"compile", conf, "-o", folder.File("b"), "--allow", "virt_enabled", "--strict", "-v"});
    EXPECT_EQ(left_out.status, emberc::kDone) << left_out.error;
    EXPECT_NE(left_out.error.find("note: 'virt_enabled'"), std::string::npos) << left_out.error;
    EXPECT_NE(Emberc({"show", folder.File("b")}).out.find("\nlmc 1\n"), std::string::npos);
}

}  // namespace
}  // namespace ember::test
