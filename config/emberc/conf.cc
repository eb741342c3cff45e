// SPDX-License-Identifier: Apache-2.0
// EmberSM: what an opensm.conf sets where it says nothing.
#include "config/emberc/conf.h"

#include <optional>

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

}  // namespace ember::emberc
