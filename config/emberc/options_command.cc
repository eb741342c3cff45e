// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberc options.
#include <cstdio>
#include <fmt/format.h>

#include "config/emberc/commands.h"
#include "config/emberc/files.h"
#include "config/emberc/opensm_options.h"
#include "config/emberc/say.h"

namespace ember::emberc {

int WriteOptions(const OptionsRequest& request) {
    const ConvertedOptions converted = ConvertOptions(request.words);
    for (const OptionRemark& remark : converted.remarks) {
        Say(stderr, "emberc: {}: {}: {}\n", remark.is_error ? "error" : "note", remark.option,
            remark.text);
    }
    if (!converted.is_good()) {
        Say(stderr, "emberc: no configuration is written\n");
        return kInputIsWrong;
    }
    if (request.output.empty()) {
        fmt::print("{}", converted.text);
    } else {
        WriteText(request.output, converted.text, Access::kOwner);
    }
    return kDone;
}

}  // namespace ember::emberc
