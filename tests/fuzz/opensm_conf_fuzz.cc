// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: opensm.conf as emberc reads it. What is compiled, the switch must accept.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "config/blob/container.h"
#include "config/blob/payload.h"
#include "config/emberc/opensm_conf.h"
#include "config/emberc/payload_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ember;  // NOLINT: a fuzz target is a program of its own.
    const std::string text(data, data + size);
    emberc::Diagnostics diagnostics("fuzz");
    const emberc::Conf conf =
        emberc::ParseOpensmConf(text, diagnostics, {.keys = {}, .refuses = false});
    (void)emberc::RenderText(diagnostics);
    (void)emberc::RenderJson(std::span<const emberc::Diagnostics>(&diagnostics, 1));
    if (diagnostics.CountOf(emberc::Severity::kError) > 0) return 0;

    std::vector<emberc::Value> values;
    for (const emberc::Setting& setting : conf) {
        values.push_back(setting.value);
    }
    const std::vector<std::byte> payload = emberc::WritePayload(values);
    alignas(64) static std::array<std::byte, std::size_t{256} * 1024> buffer;
    if (payload.size() > buffer.size()) return 0;
    std::copy(payload.begin(), payload.end(), buffer.begin());
    Settings settings;
    const auto input = std::span<const std::byte>(buffer).first(payload.size());
    const PayloadReport report = ReadPayload(input, {}, settings);
    if (!report.accepted()) std::abort();
    return 0;
}
