// SPDX-License-Identifier: Apache-2.0
// EmberSM: which values are defaults.
#include "config/emberc/defaults.h"

#include "config/emberc/conf.h"
#include "config/emberc/keys.h"
#include "config/emberc/option_files/file_places.h"

namespace ember::emberc {

bool IsDefault(std::size_t key, const Value& value) {
    if (value == DefaultConf()[key].value) return true;
    return SettingsFields()[key].kind == FieldKind::kText && value.set &&
           IsDefaultName(value.text, Keys()[key].default_text);
}

}  // namespace ember::emberc
