// SPDX-License-Identifier: Apache-2.0
// EmberSM: a thread that does what a step of the subnet manager must not wait for.

#include "platform/linux/system/worker_thread.h"

#include <csignal>
#include <cstring>

#include "platform/linux/system/locked.h"

namespace ember {

std::string WorkerThread::Start(Body body, void* owner) {
    body_ = body;
    owner_ = owner;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // The thread inherits the mask.
    const int error = pthread_create(&thread_, nullptr, &WorkerThread::Run, this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error != 0) return std::string("cannot start a thread: ") + std::strerror(error);
    is_running_ = true;
    return {};
}

void WorkerThread::Finish() {
    if (!is_running_) return;
    {
        const Locked locked(lock_);
        shall_end_ = true;
        Wake();
    }
    pthread_join(thread_, nullptr);
    is_running_ = false;
}

void* WorkerThread::Run(void* self) {
    const WorkerThread& thread = *static_cast<WorkerThread*>(self);
    thread.body_(thread.owner_);
    return nullptr;
}

}  // namespace ember
