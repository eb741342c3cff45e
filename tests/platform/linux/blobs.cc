// SPDX-License-Identifier: Apache-2.0
// EmberSM: signed blobs for tests of the process.
#include "tests/platform/linux/blobs.h"

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

std::string TrustedKeyPem() {
    return emberc::PublicPem(TrustedKey().public_key());
}

}  // namespace ember::test
