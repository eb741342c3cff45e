// SPDX-License-Identifier: Apache-2.0
// EmberSM: signed blobs for tests of the process.
#include "tests/platform/linux/configuration/blobs.h"

#include "tests/config/support.h"

namespace ember::test {

std::vector<std::byte> BlobWithRoots(std::uint64_t count, std::uint64_t counter) {
    emberc::OptionContents contents;
    contents.roots.emplace();
    for (std::uint64_t guid = 1; guid <= count; ++guid) {
        contents.roots->push_back(Guid{guid});
    }
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    return emberc::PutTogether(payload, counter, &TrustedKey());
}

std::vector<std::byte> BlobWithPrefixes(std::uint64_t count, std::uint64_t counter) {
    emberc::OptionContents contents;
    contents.prefix_routes.emplace();
    for (std::uint64_t prefix = 1; prefix <= count; ++prefix) {
        contents.prefix_routes->push_back({.prefix = prefix, .router = Guid{prefix}});
    }
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    return emberc::PutTogether(payload, counter, &TrustedKey());
}

std::vector<std::byte> BlobWithLevel(std::uint8_t sl, std::uint64_t counter) {
    emberc::Diagnostics diagnostics("policy");
    const std::string text = "qos-ulps\ndefault : " + std::to_string(sl) + "\nend-qos-ulps\n";
    emberc::OptionContents contents;
    contents.qos_policy = emberc::ParseQosPolicyFile(text, diagnostics, {});
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    return emberc::PutTogether(payload, counter, &TrustedKey());
}

std::vector<std::byte> BlobWithBandwidths(std::uint64_t counter) {
    emberc::OptionContents contents;
    contents.bandwidths = {.rules = {{.guid = kNoGuid, .limits = {.named = 2, .rates = {0, 50}}}},
                           .groups = {},
                           .virtual_rules = {}};
    const Octets payload = emberc::WritePayload(ValuesOf(emberc::DefaultConf()), contents);
    return emberc::PutTogether(payload, counter, &TrustedKey());
}

std::vector<std::byte> BlobOfConf(std::string_view conf, std::uint64_t counter) {
    return BlobOf(conf, counter);
}

std::string TrustedKeyPem() {
    return emberc::PublicPem(TrustedKey().public_key());
}

}  // namespace ember::test
