// SPDX-License-Identifier: Apache-2.0
// EmberSM: tests of the inside of a blob: somebody with the key may still have made it badly.
#include "config/blob/payload.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

#include "config/emberc/keys.h"
#include "config/schema/settings_generated.h"
#include "tests/config/support.h"

namespace ember::test {
namespace {

using emberc::Value;

PayloadReport Read(std::span<const std::byte> payload, Settings& settings) {
    const Aligned copy(payload);
    return ReadPayload(copy.octets(), SharedRoom(), settings);
}

/// A payload in which one key has a value that emberc itself would not write.
Octets With(std::string_view key, const std::function<void(Value&)>& change) {
    std::vector<Value> values = ValuesOf(emberc::DefaultConf());
    change(values.at(*emberc::FindKey(key)));
    return emberc::WritePayload(values);
}

Octets WithNumber(std::string_view key, std::uint64_t number) {
    return With(key, [number](Value& value) { value.number = number; });
}

std::string_view Culprit(const Octets& payload) {
    Settings settings;
    settings.lmc = 7;
    const PayloadReport report = Read(payload, settings);
    EXPECT_TRUE(report.well_formed);
    if (!report.field_out_of_range.empty()) {
        EXPECT_EQ(settings.lmc, 7) << "settings were touched";
    }
    return report.field_out_of_range;
}

TEST(Payload, OfAnEmptyFileIsTheDefaultOfEverySetting) {
    Settings settings;
    settings.lmc = 5;
    settings.guid = Guid{1};
    const PayloadReport report = Read(PayloadOf(""), settings);
    EXPECT_TRUE(report.well_formed);

    EXPECT_EQ(settings, Settings{});
}

/// As a blob of an older schema lacks the fields that came later.
TEST(Payload, WithoutFieldsIsTheDefaultOfEverySetting) {
    flatbuffers::FlatBufferBuilder builder;
    const auto fields = schema::CreateSettings(builder);  // Leaves out what is at its default.
    schema::FinishConfigurationBuffer(builder,
                                      schema::CreateConfiguration(builder, kSchemaVersion, fields));
    Settings settings;
    settings.lmc = 5;
    settings.max_wire_smps = 7;
    settings.order = Order::kGuid;
    ASSERT_EQ(settings.sm_peers.TryPush(Guid{1}), Status::kOk);
    const auto payload = std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
    EXPECT_TRUE(Read(payload, settings).accepted());

    EXPECT_EQ(settings, Settings{});
}

std::uint64_t LargestOf(FieldKind kind) {
    if (kind == FieldKind::kBool || kind == FieldKind::kChoice || kind == FieldKind::kU8) {
        return std::numeric_limits<std::uint8_t>::max();
    }
    if (kind == FieldKind::kU16) return std::numeric_limits<std::uint16_t>::max();
    if (kind == FieldKind::kU32) return std::numeric_limits<std::uint32_t>::max();
    if (kind == FieldKind::kI32) return std::numeric_limits<std::int32_t>::max();
    return 0;
}

TEST(Payload, NamesTheNumberThatIsJustOutsideItsRange) {
    int tried = 0;
    for (const SettingField& field : SettingsFields()) {
        const std::uint64_t beyond = field.range.max + 1;
        if (beyond == 0 || beyond > LargestOf(field.kind)) continue;
        EXPECT_EQ(Culprit(WithNumber(field.name, beyond)), field.name);
        EXPECT_EQ(Culprit(WithNumber(field.name, field.range.max)), "") << field.name;
        if (field.range.also_max != 0) {
            EXPECT_EQ(Culprit(WithNumber(field.name, field.range.also_max)), "") << field.name;
        }
        ++tried;
    }
    EXPECT_GT(tried, 70);
}

TEST(Payload, NamesTheNumberThatIsTooSmall) {
    EXPECT_EQ(Culprit(WithNumber("transaction_timeout", 0)), "transaction_timeout");
    EXPECT_EQ(Culprit(WithNumber("transaction_retries", 0)), "transaction_retries");
    EXPECT_EQ(Culprit(WithNumber("max_op_vls", 0)), "max_op_vls");
    const auto minus_two = static_cast<std::uint64_t>(-2);
    EXPECT_EQ(Culprit(WithNumber("qos_high_limit", minus_two)), "qos_high_limit");
    EXPECT_EQ(Culprit(WithNumber("qos_high_limit", minus_two + 1)), "");
}

TEST(Payload, NamesTheListThatIsTooLongOrHoldsTooMuch) {
    const auto list = [](std::size_t count, std::uint16_t element) {
        return [count, element](Value& value) {
            value.set = true;
            value.list.assign(count, element);
        };
    };
    EXPECT_EQ(Culprit(With("qos_vlarb_high", list(64, 0x0E01))), "");
    EXPECT_EQ(Culprit(With("qos_vlarb_high", list(65, 0x0E01))), "qos_vlarb_high");
    EXPECT_EQ(Culprit(With("qos_ca_vlarb_low", list(1, 0x0F01))), "qos_ca_vlarb_low");
    EXPECT_EQ(Culprit(With("qos_sl2vl", list(15, 0))), "qos_sl2vl");
    EXPECT_EQ(Culprit(With("qos_sl2vl", list(16, 16))), "qos_sl2vl");
    EXPECT_EQ(Culprit(With("cc_cct", list(1025, 0))), "cc_cct");
    EXPECT_EQ(Culprit(With("cc_ca_cong_setting_ccti_min", list(16, 256))),
              "cc_ca_cong_setting_ccti_min");
    EXPECT_EQ(Culprit(With("cc_ca_cong_setting_ccti_timer", list(17, 0))),
              "cc_ca_cong_setting_ccti_timer");
    EXPECT_EQ(Culprit(With("cc_sw_cong_setting_victim_mask", list(31, 0))),
              "cc_sw_cong_setting_victim_mask");
    EXPECT_EQ(Culprit(With("log_prefix",
                           [](Value& value) {
                               value.set = true;
                               value.text.assign(1024, 'x');
                           })),
              "log_prefix");
}

TEST(Payload, RefusesAnEngineThatThisReleaseDoesNotHave) {
    const auto engine = [](std::uint16_t number) {
        return [number](Value& value) {
            value.set = true;
            value.list = {number};
        };
    };
    EXPECT_EQ(Culprit(With("routing_engine", engine(1))), "");                // minhop
    EXPECT_EQ(Culprit(With("routing_engine", engine(11))), "");               // nue
    EXPECT_EQ(Culprit(With("routing_engine", engine(13))), "");               // chain
    EXPECT_EQ(Culprit(With("routing_engine", engine(14))), "");               // pqft
    EXPECT_EQ(Culprit(With("routing_engine", engine(0))), "routing_engine");  // none
    EXPECT_EQ(Culprit(With("routing_engine", engine(200))), "routing_engine");
}

TEST(Payload, LeavesZeroInFlightToTheWindowWhichKnowsHowManyThereCanBe) {
    Settings settings;
    EXPECT_TRUE(Read(PayloadOf("max_wire_smps 0\n"), settings).accepted());
    EXPECT_EQ(settings.max_wire_smps, 0U);
}

/// Goal:   whatever is signed, the reader neither crashes nor hands on a value out of range.
/// Method: every octet of a payload takes several other values; accepted settings are looked at.
TEST(Payload, SurvivesEveryOctetBeingChanged) {
    const Octets payload = PayloadOf("qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7\nlmc 2\n");
    int refused = 0;
    for (std::size_t i = 0; i < payload.size(); ++i) {
        for (const int flip : {0x01, 0x80, 0xFF, 0x10}) {
            Octets changed = payload;
            changed[i] ^= static_cast<std::byte>(flip);
            Settings settings;
            const PayloadReport report = Read(changed, settings);
            if (!report.well_formed || !report.field_out_of_range.empty()) ++refused;
            ASSERT_LE(settings.lmc, 7);
            ASSERT_LE(settings.sm_priority, 15);
            ASSERT_GE(settings.transaction_timeout, 1U);
            ASSERT_LE(settings.force_link_speed, 15);
        }
    }
    EXPECT_GT(refused, 100);
}

TEST(Payload, IsMalformedAtEveryShorterLength) {
    const Octets payload = PayloadOf("lmc 2\n");
    for (std::size_t size = 0; size + 8 < payload.size(); ++size) {
        Settings settings;
        const PayloadReport report = Read(std::span(payload).first(size), settings);
        ASSERT_FALSE(report.well_formed && report.field_out_of_range.empty() && settings.lmc != 2)
            << size;
    }
}

TEST(Payload, OfAnotherSchemaIsNotWellFormed) {
    Octets payload = PayloadOf("");
    payload.at(4) = std::byte{'X'};  // The file identifier.
    Settings settings;
    EXPECT_FALSE(Read(payload, settings).well_formed);
}

TEST(PayloadDeathTest, MustBeginAtAMultipleOfEight) {
    const Octets payload = PayloadOf("");
    Octets shifted(payload.size() + 1);
    std::copy(payload.begin(), payload.end(), shifted.begin() + 1);
    Settings settings;
    const auto late = std::span<const std::byte>(shifted).subspan(1);
    EXPECT_DEATH((void)ReadPayload(late, SharedRoom(), settings), "");
}

}  // namespace
}  // namespace ember::test
