// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the table of keys: against the schema, the documentation, and OpenSM itself.
#include "config/emberc/keys.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "config/blob/engine_words.h"
#include "config/emberc/files.h"
#include "config/emberc/value_text.h"
#include "tests/config/support.h"

#include "flatbuffers/idl.h"
#include "flatbuffers/reflection_generated.h"

namespace ember::test {
namespace {

using emberc::Keys;

std::string Source(const std::string& path) {
    return emberc::ReadText(std::string(EMBER_SOURCE_DIR) + "/" + path);
}

/// The schema as flatc's own parser understands it.
class Schema {
public:
    explicit Schema(const std::string& path) {
        const std::string text = Source(path);
        EXPECT_TRUE(parser_.Parse(text.c_str())) << parser_.error_;
    }
    [[nodiscard]] const flatbuffers::StructDef& settings() {
        return *parser_.LookupStruct("ember.schema.Settings");
    }
    flatbuffers::Parser& parser() { return parser_; }

private:
    flatbuffers::Parser parser_;
};

bool TypeFits(FieldKind kind, const flatbuffers::Type& type) {
    using namespace flatbuffers;  // NOLINT: the names of its base types.
    switch (kind) {
        case FieldKind::kBool:
            return type.base_type == BASE_TYPE_BOOL;
        case FieldKind::kU8:
            return type.base_type == BASE_TYPE_UCHAR && type.enum_def == nullptr;
        case FieldKind::kChoice:
            return type.base_type == BASE_TYPE_UCHAR && type.enum_def != nullptr;
        case FieldKind::kU16:
        case FieldKind::kShiftMultiplier:
            return type.base_type == BASE_TYPE_USHORT;
        case FieldKind::kU32:
            return type.base_type == BASE_TYPE_UINT;
        case FieldKind::kU64:
            return type.base_type == BASE_TYPE_ULONG;
        case FieldKind::kI32:
            return type.base_type == BASE_TYPE_INT;
        case FieldKind::kText:
            return type.base_type == BASE_TYPE_STRING;
        case FieldKind::kEngines:
        case FieldKind::kMask256:
        case FieldKind::kSlToVl:
            return type.base_type == BASE_TYPE_VECTOR && type.element == BASE_TYPE_UCHAR;
        case FieldKind::kPerSl:
        case FieldKind::kShiftMultipliers:
            return type.base_type == BASE_TYPE_VECTOR && type.element == BASE_TYPE_USHORT;
        case FieldKind::kVlWeights:
            return type.base_type == BASE_TYPE_VECTOR && type.element == BASE_TYPE_STRUCT;
        case FieldKind::kGuids:
            return type.base_type == BASE_TYPE_VECTOR && type.element == BASE_TYPE_ULONG;
    }
    return false;
}

TEST(Keys, AreTheFieldsOfTheSchemaInItsOrder) {
    Schema schema("config/schema/settings.fbs");
    const auto& fields = schema.settings().fields.vec;
    ASSERT_EQ(fields.size(), Keys().size());
    ASSERT_EQ(fields.size(), SettingsFields().size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        EXPECT_EQ(fields[i]->name, Keys()[i].name);
        EXPECT_EQ(fields[i]->name, SettingsFields()[i].name);
        EXPECT_EQ(fields[i]->value.offset, FieldOffset(i)) << fields[i]->name;
        EXPECT_TRUE(TypeFits(SettingsFields()[i].kind, fields[i]->value.type)) << fields[i]->name;
    }
}

TEST(Keys, HaveTheDefaultsOfTheSchema) {
    Schema schema("config/schema/settings.fbs");
    const emberc::Conf defaults = emberc::DefaultConf();
    const auto& fields = schema.settings().fields.vec;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!flatbuffers::IsScalar(fields[i]->value.type.base_type)) continue;
        EXPECT_EQ(std::stoull(fields[i]->value.constant), defaults[i].value.number)
            << fields[i]->name;
    }
}

TEST(Keys, HaveChoicesInTheOrderOfTheSchema) {
    Schema schema("config/schema/settings.fbs");
    const auto& fields = schema.settings().fields.vec;
    int choices = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const SettingField& field = SettingsFields()[i];
        const bool engines = field.kind == FieldKind::kEngines;
        if (field.kind != FieldKind::kChoice && !engines) continue;
        const auto choices_of = emberc::ChoicesOf(field);
        std::vector<std::string_view> names(choices_of.begin(), choices_of.end());
        for (const EngineWord& word : engines ? EngineWords() : std::span<const EngineWord>{}) {
            names.push_back(word.word);
        }
        const auto& values = fields[i]->value.type.enum_def->Vals();
        ASSERT_EQ(values.size(), names.size()) << field.name;
        EXPECT_EQ(values.size(), field.range.max + 1) << field.name;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const std::string name =
                names[k] == "torus-2QoS" ? "torus_2qos" : std::string(names[k]);
            EXPECT_EQ(values[k]->name, name);
        }
        ++choices;
    }
    EXPECT_EQ(choices, 6);
}

TEST(Keys, AreWhatTheDocumentationSays) {
    EXPECT_EQ(Source("docs/configuration.md"), emberc::KeysAsMarkdown())
        << "make it anew: emberc keys --markdown > docs/configuration.md";
}

/// A site must learn which keys do nothing before it relies on one.
TEST(Keys, ThatDoNothingAreInTheReadme) {
    const std::map<std::string_view, std::string_view> words = {
        {"congestion_control", "congestion control"},
        {"perfmgr", "performance manager"},
        {"event_plugin_name", "event plug-ins"},
        {"activity_report_subjects", "activity report"},
        {"console", "a console"},
        {"fdr10", "FDR10"},
        {"sm_assigned_guid", "sm_assigned_guid"}};
    const std::string readme = Source("README.md");
    const std::size_t begin = readme.find("**Not in this version**");
    ASSERT_NE(begin, std::string::npos);
    std::string missing = readme.substr(begin, readme.find("\n\n", begin) - begin);
    std::replace(missing.begin(), missing.end(), '\n', ' ');
    for (const emberc::Key& key : Keys()) {
        const bool is_missed = key.use == emberc::Use::kRefused || key.use == emberc::Use::kWarned;
        const auto word = words.find(key.name);
        if (word != words.end() && key.use != emberc::Use::kActedOn) {
            EXPECT_NE(missing.find(word->second), std::string::npos) << key.name;
        }
        EXPECT_TRUE(!is_missed || !key.beside.empty() || word != words.end()) << key.name;
    }
}

/// The engines say which options they read; the rows are what their headers had at the time.
TEST(Keys, OfFilesNameTheEnginesThatReadThem) {
    const std::string page = emberc::KeysAsMarkdown();
    for (const std::string_view row :
         {"| `ids_guid_file` | node GUID of a switch, its number | updn, pqft |\n",
          "a port in both counts as a compute node | ftree, dfsssp, sssp, nue, auto; under `order "
          "balanced` as below |\n",
          "| `hop_weights_file` | node GUID of a switch, port, weight 1..255 | minhop, updn, dor "
          "|\n"}) {
        EXPECT_NE(page.find(row), std::string::npos) << row;
    }
    EXPECT_EQ(page.find('{'), std::string::npos) << "a blank was left";
}

TEST(Keys, HaveDefaultsThatFitAndMeaningsThatAreSentences) {
    for (std::size_t i = 0; i < Keys().size(); ++i) {
        emberc::Value value;
        EXPECT_FALSE(emberc::ParseValue(SettingsFields()[i], Keys()[i].default_text, value))
            << Keys()[i].name;
        EXPECT_TRUE(Keys()[i].meaning.ends_with('.')) << Keys()[i].name;
    }
}

/// Every name that OpenSM 3.3.24 has, and none twice.
TEST(Keys, AreAll162NamesOfOpensm) {
    std::set<std::string_view> names;
    for (const emberc::Key& key : Keys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
    }
    for (const emberc::Alias& alias : emberc::Aliases()) {
        EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
        EXPECT_TRUE(emberc::FindKey(alias.name).has_value());
    }
    constexpr std::size_t kOfNvidia = 8;
    constexpr std::size_t kOurOwn = 26;
    EXPECT_EQ(names.size(), 162 + kOfNvidia + kOurOwn);
}

/// Goal:   a file that a real OpenSM has written means the same to emberc, default for default.
/// Method: the installed opensm writes its defaults; every line of them is read and compared.
TEST(Keys, HaveTheDefaultsThatOpensmWritesDown) {
    const std::string path = testing::TempDir() + "opensm_defaults.conf";
    const std::string command = "env -u OSM_TMP_DIR opensm -c " + path + " > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0 || !std::ifstream(path)) {  // NOLINT: a test's own words.
        GTEST_SKIP() << "there is no opensm here";
    }
    const std::map<std::string, std::string> differs = {
        {"max_wire_smps", "4"}, {"max_wire_smps2", "4"}, {"sminfo_polling_timeout", "10000"}};
    emberc::Diagnostics diagnostics(path);
    const emberc::Conf conf = emberc::ParseOpensmConf(emberc::ReadText(path), diagnostics);
    ASSERT_EQ(diagnostics.all().size(), 2U) << emberc::RenderText(diagnostics);
    for (const emberc::Diagnostic& one : diagnostics.all()) {
        EXPECT_EQ(one.code, emberc::Code::kPinnedDefault);
    }
    const emberc::Conf defaults = emberc::DefaultConf();
    int compared = 0;
    for (std::size_t i = 0; i < conf.size(); ++i) {
        if (!conf[i].written) continue;
        ++compared;
        const auto found = differs.find(std::string(Keys()[i].name));
        if (found == differs.end()) {
            EXPECT_EQ(conf[i].value, defaults[i].value) << Keys()[i].name;
        } else {
            EXPECT_EQ(std::to_string(conf[i].value.number), found->second);
        }
    }
    EXPECT_GE(compared, 160);
}

TEST(Keys, AreSuggestedWhenTheNameIsNearlyRight) {
    EXPECT_EQ(emberc::NearestKey("sweep_intervall"), "sweep_interval");
    EXPECT_EQ(emberc::NearestKey("Sweep-Interval"), "sweep_interval");
    EXPECT_EQ(emberc::NearestKey("routing_engin"), "routing_engine");
    EXPECT_EQ(emberc::NearestKey("lcm"), "lmc");
    EXPECT_EQ(emberc::NearestKey("completely_different_thing"), "");
}

TEST(Keys, AreSuggestedByTheirFirstLetters) {
    EXPECT_EQ(emberc::NearestKey("sm_prio"), "sm_priority");
    EXPECT_EQ(emberc::NearestKey("Routing_eng"), "routing_engine");
    EXPECT_EQ(emberc::NearestKey("enhanced-qos-policy"), "enhanced_qos_policy_file");
    EXPECT_EQ(emberc::NearestKey("qos_ca_vlarb"), "qos_ca_vlarb_low") << "the shortest";
    EXPECT_EQ(emberc::NearestKey("sw"), "") << "two letters begin too many words";
    EXPECT_EQ(emberc::NearestKey(""), "");
}

}  // namespace
}  // namespace ember::test
