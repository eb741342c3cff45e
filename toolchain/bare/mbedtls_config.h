// SPDX-License-Identifier: Apache-2.0
// EmberSM: what of Mbed TLS a bare-metal image holds: ECDSA on P-256 and SHA-256, to verify only.
// One file for the lines 2.28 and 3.6, which it tells what to build, and for TF-PSA-Crypto 1.x,
// which Mbed TLS 4 stands on and which it tells what is wanted.
#pragma once

// The interface that config/blob speaks.
#define MBEDTLS_PSA_CRYPTO_C
// Verifying draws nothing. Whoever asks for chance all the same is refused:
// platform/bare/crypto.cc.
#define MBEDTLS_PSA_CRYPTO_EXTERNAL_RNG
#define MBEDTLS_PLATFORM_C

// Small rather than quick: a blob is verified once a start.
#define MBEDTLS_ECP_NIST_OPTIM
#define MBEDTLS_ECP_WINDOW_SIZE 2
#define MBEDTLS_ECP_FIXED_POINT_OPTIM 0
#define MBEDTLS_MPI_WINDOW_SIZE 1
#define MBEDTLS_MPI_MAX_SIZE 32
#define MBEDTLS_PSA_KEY_SLOT_COUNT 2

#ifdef EMBER_TF_PSA_CRYPTO
#define PSA_WANT_ALG_ECDSA 1
#define PSA_WANT_ALG_SHA_256 1
#define PSA_WANT_ECC_SECP_R1_256 1
#define PSA_WANT_KEY_TYPE_ECC_PUBLIC_KEY 1
#else
#define MBEDTLS_SHA256_C
#define MBEDTLS_ECDSA_C
#define MBEDTLS_ECP_C
#define MBEDTLS_ECP_DP_SECP256R1_ENABLED
#define MBEDTLS_ECP_NO_INTERNAL_RNG  // Blinding guards private keys; there are none here.
#define MBEDTLS_BIGNUM_C
#define MBEDTLS_ASN1_PARSE_C
#define MBEDTLS_ASN1_WRITE_C
#define MBEDTLS_MD_C

// Later lines look by themselves whether all this fits together.
#ifndef MBEDTLS_BUILD_INFO_H
#include "mbedtls/check_config.h"
#endif
#endif
