// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: files of keys, as a switch and as emberc read them.
//
// Goal:   whatever is in a file, it is a key or it is refused; a key that was read is written so
// that
//         it reads the same, and what it signs is what it verifies.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "config/blob/public_key.h"
#include "config/blob/signature.h"
#include "config/emberc/key_pair.h"
#include "tests/support/fuzz_script.h"

namespace ember::testing {
namespace {

void ReadPublic(std::span<const std::byte> file) {
    const Result<PublicKey> key = ParsePublicKey(file);
    if (!key.ok()) return;
    Demand(key.value().point[0] == 4, "a point is an uncompressed one");
    const std::string pem = emberc::PublicPem(key.value());
    const Result<PublicKey> again = ParsePublicKey(std::as_bytes(std::span(pem)));
    Demand(again.ok() && again.value() == key.value(), "what is written reads the same");
    // The point may not be on the curve: then no signature fits.
    const std::array<std::byte, kSignatureBytes> nothing{};
    Demand(CheckSignature(file, nothing, key.value()) != Status::kOk, "nothing signs nothing");
}

void ReadPrivate(const std::string& pem) {
    try {
        const emberc::KeyPair key = emberc::KeyPair::FromPem(pem);
        const emberc::KeyPair again = emberc::KeyPair::FromPem(key.PrivatePem());
        Demand(again.public_key() == key.public_key(), "what is written reads the same");
        const auto message = std::as_bytes(std::span(pem));
        const emberc::Signature signature = key.Sign(message);
        Demand(CheckSignature(message, signature, again.public_key()) == Status::kOk,
               "what a key signs it verifies");
    } catch (const std::runtime_error&) {
        return;  // With a sentence.
    }
}

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ember::testing::ReadPublic(std::as_bytes(std::span(data, size)));
    ember::testing::ReadPrivate({data, data + size});
    return 0;
}
