// SPDX-License-Identifier: Apache-2.0
// EmberSM: where the files of a dump go.
#pragma once

#include <string_view>

#include "core/base/status.h"

namespace ember {

/// Takes the files of a dump, one after the other. All of its verbs may say kBusy: nothing, or with
/// Write() not all, was done for want of room; the same is to be asked again later. Any other
/// failure is for good, and the dump ends with it. None of them waits.
class DumpSink {
public:
    /// A file begins. If it is the one that has not ended, what was written of it is void. With
    /// `holds_keys` only its owner may read it.
    virtual Status Begin(std::string_view name, bool holds_keys) = 0;
    /// Takes octets off the front of `text`. kOk: all of them.
    virtual Status Write(std::string_view& text) = 0;
    /// The file is complete.
    virtual Status End() = 0;

protected:
    ~DumpSink() = default;
};

}  // namespace ember
