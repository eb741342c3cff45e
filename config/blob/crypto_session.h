// SPDX-License-Identifier: Apache-2.0
// EmberSM: when the PSA API is up.
#pragma once

namespace ember {

/// The PSA API is up while a session lives. Memory that it keeps meanwhile is the pool's, and goes
/// back with the last session. A caller that asks the API for more than hashes lends it the pool
/// for that time (CryptoPool::Borrow). As the pool, not for two threads.
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
