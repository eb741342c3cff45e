// SPDX-License-Identifier: Apache-2.0
// EmberSM: a thread that does what a step of the subnet manager must not wait for.
#pragma once

#include <pthread.h>
#include <string>

namespace ember {

/// A thread, and the lock and the condition that it shares with its owner. All signals are blocked
/// in the thread: they are the main loop's.
class WorkerThread {
public:
    /// The function that the thread runs until shall_end() and nothing is left to be done.
    using Body = void (*)(void* owner);

    WorkerThread() = default;
    WorkerThread(const WorkerThread&) = delete;
    WorkerThread& operator=(const WorkerThread&) = delete;

    /// Starts a thread that runs `body(owner)`. Empty: it runs; else one sentence without a full
    /// stop.
    [[nodiscard]] std::string Start(Body body, void* owner);
    /// Tells the body to end, and waits until it has returned. Does nothing when no thread runs.
    void Finish();
    /// From Start() to the end of Finish(). The owner's: the thread does not look at it.
    [[nodiscard]] bool is_running() const { return is_running_; }

    /// To be held, by a Locked, around every access to what both sides share, and around all that
    /// follows.
    [[nodiscard]] pthread_mutex_t& lock() const { return lock_; }
    /// Wakes the other side.
    void Wake() { pthread_cond_signal(&changed_); }
    /// Lets go of the lock until the other side calls Wake(), or for no reason.
    void Sleep() { pthread_cond_wait(&changed_, &lock_); }
    [[nodiscard]] bool shall_end() const { return shall_end_; }

private:
    static void* Run(void* self);

    Body body_ = nullptr;
    void* owner_ = nullptr;
    pthread_t thread_{};
    bool is_running_ = false;
    mutable pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
    bool shall_end_ = false;  ///< Under the lock.
};

}  // namespace ember
