// SPDX-License-Identifier: Apache-2.0
// EmberSM: what of Mbed TLS a bare-metal image holds: ECDSA on P-256 and SHA-256, to verify only.
#pragma once

// The interface that config/blob speaks.
#define MBEDTLS_PSA_CRYPTO_C
// Verifying draws nothing. Whoever asks for chance all the same is refused: platform/bare/crypto.cc.
#define MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
#define MBEDTLS_ECP_NO_INTERNAL_RNG  // Blinding guards private keys; there are none here.

#define MBEDTLS_SHA256_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECP_NIST_OPTIM
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_MD_C
#define MBEDTLS_PLATFORM_C

// Small rather than quick: a blob is verified once a start.
#define MBEDTLS_ECP_WINDOW_SIZE 2
#define MBEDTLS_ECP_FIXED_POINT_OPTIM 0
#define MBEDTLS_MPI_WINDOW_SIZE 1
#define MBEDTLS_MPI_MAX_SIZE 32
#define MBEDTLS_PSA_KEY_SLOT_COUNT 2

#include "mbedtls/check_config.h"
