// SPDX-License-Identifier: Apache-2.0
// EmberSM: a guard that holds a mutex for the length of a scope.
#pragma once

#include <pthread.h>

namespace ember {

/// Locks the mutex when it is made and unlocks it when its scope ends.
class Locked {
public:
    explicit Locked(pthread_mutex_t& lock) : lock_(lock) { pthread_mutex_lock(&lock_); }
    ~Locked() { pthread_mutex_unlock(&lock_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    pthread_mutex_t& lock_;
};

}  // namespace ember
