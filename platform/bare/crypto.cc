// SPDX-License-Identifier: Apache-2.0
// EmberSM: what Mbed TLS asks of the machine.

#include <cstddef>
#include <cstdint>
#include <psa/crypto.h>

/// Checking a signature draws no chance, and this machine has none that is worth a key: refused.
psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t* /*context*/,
                                             std::uint8_t* /*output*/, std::size_t /*bytes*/,
                                             std::size_t* /*written*/) {
    return PSA_ERROR_INSUFFICIENT_ENTROPY;
}
