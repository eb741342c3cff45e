// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys whose values are secrets.
#include "config/emberc/secrets.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "config/emberc/keys.h"

namespace ember::emberc {
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
