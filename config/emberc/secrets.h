// SPDX-License-Identifier: Apache-2.0
// EmberSM: keys whose values are secrets.
#pragma once

#include <cstddef>
#include <vector>

#include "config/emberc/files.h"
#include "config/emberc/value.h"

namespace ember::emberc {

/// True for a value by which a host could manage ports or be trusted: m_key, sm_key and sa_key,
/// when they are not what they are everywhere. `at` is a row of Keys().
[[nodiscard]] bool IsSecret(std::size_t at, const Value& value);

/// The access to a blob of these values: its owner's alone when it holds a secret, as a blob is not
/// encrypted.
[[nodiscard]] Access AccessTo(const std::vector<Value>& values);

}  // namespace ember::emberc
