// SPDX-License-Identifier: Apache-2.0
// EmberSM: when the PSA API is up.
#pragma once

namespace ember {

/// The PSA API is up while one of these lives. What it keeps meanwhile is memory of the pool; with
/// the last of them it gives that back. Who asks the API for more than hashes lends it the pool for
/// that time (CryptoPool::Borrow). As the pool, not for two threads.
class CryptoSession {
public:
    CryptoSession();
    ~CryptoSession();
    CryptoSession(const CryptoSession&) = delete;
    CryptoSession& operator=(const CryptoSession&) = delete;
    CryptoSession(CryptoSession&&) = delete;
    CryptoSession& operator=(CryptoSession&&) = delete;

    [[nodiscard]] bool ok() const { return is_up_; }

private:
    bool is_up_;
};

}  // namespace ember
