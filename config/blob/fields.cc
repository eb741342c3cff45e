// SPDX-License-Identifier: Apache-2.0
// EmberSM: the range of every setting. A hostile blob is checked against it, and so is a mistake.
#include "config/blob/fields.h"

#include <array>

#include "config/keys/table.h"
#include "config/schema/settings_generated.h"

namespace ember {
namespace {

constexpr std::array kFields = emberc::AllKeysAs<SettingField>();

static_assert(schema::Settings::VT_GUID == FieldOffset(0));
static_assert(schema::Settings::VT_ORDER ==
                  FieldOffset(kFields.size() - emberc::kKeySections.back().keys.size()),
              "every field of settings.fbs has a row in config/keys, in the same order");
// SettingMember::Set() takes the numbers of the schema for those of the core.
template <typename Core, typename Schema>
constexpr bool SameNumber(Core core, Schema schema) {
    return static_cast<std::uint8_t>(core) == static_cast<std::uint8_t>(schema);
}
static_assert(SameNumber(Order::kOpensm, schema::Order::opensm) &&
              SameNumber(Order::kGuid, schema::Order::guid) &&
              SameNumber(Order::kBalanced, schema::Order::balanced));
static_assert(SameNumber(FlappingLinkPolicy::kDamp, schema::FlappingLinkPolicy::damp) &&
              SameNumber(FlappingLinkPolicy::kQuarantine, schema::FlappingLinkPolicy::quarantine));
static_assert(SameNumber(StandbyConsistency::kWarn, schema::StandbyConsistency::warn) &&
              SameNumber(StandbyConsistency::kStrict, schema::StandbyConsistency::strict));
static_assert(SameNumber(PartEnforce::kBoth, schema::PartEnforce::both) &&
              SameNumber(PartEnforce::kIn, schema::PartEnforce::in) &&
              SameNumber(PartEnforce::kOut, schema::PartEnforce::out) &&
              SameNumber(PartEnforce::kOff, schema::PartEnforce::off));

}  // namespace

std::span<const SettingField> SettingsFields() {
    return kFields;
}

}  // namespace ember
