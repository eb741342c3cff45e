// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an opensm.conf sets where it says nothing, and which values are secrets.
#include "config/emberc/conf.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "config/emberc/files.h"
#include "config/emberc/keys.h"
#include "config/emberc/value_text.h"
#include "core/base/assert.h"

namespace ember::emberc {
namespace {

Conf ReadDefaults() {
    Conf settings(Keys().size());
    for (std::size_t i = 0; i < settings.size(); ++i) {
        const std::optional<Remark> remark =
            ParseValue(Keys()[i], Keys()[i].default_text, settings[i].value);
        EMBER_ASSERT(!remark || remark->severity != Severity::kError);
    }
    return settings;
}

}  // namespace

const Conf& DefaultConf() {
    static const Conf kDefaults = ReadDefaults();
    return kDefaults;
}

bool IsDefault(std::size_t key, const Value& value) {
    if (value == DefaultConf()[key].value) return true;
    return SettingsFields()[key].kind == FieldKind::kText && value.set &&
           IsDefaultName(value.text, Keys()[key].default_text);
}

namespace {

constexpr std::array<std::string_view, 3> kSecrets = {"m_key", "sm_key", "sa_key"};
constexpr std::uint64_t kOpen = 0;
constexpr std::uint64_t kWellKnown = 1;  // The default of sm_key and sa_key.

}  // namespace

bool IsSecret(std::size_t at, const Value& value) {
    const std::string_view name = Keys()[at].name;
    if (name == "replication_key") return value.set;
    if (std::find(kSecrets.begin(), kSecrets.end(), name) == kSecrets.end()) return false;
    return value.number != kOpen && (name == kSecrets[0] || value.number != kWellKnown);
}

Access AccessTo(const std::vector<Value>& values) {
    for (std::size_t at = 0; at < values.size(); ++at) {
        const bool has_keys = Keys()[at].name == "guid2mkey_file" && values[at].set;
        if (has_keys || IsSecret(at, values[at])) return Access::kOwner;
    }
    return Access::kEverybody;
}

}  // namespace ember::emberc
