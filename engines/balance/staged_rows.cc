// SPDX-License-Identifier: Apache-2.0
// EmberSM: forwarding entries on their way to the tables.

#include "engines/balance/staged_rows.h"

#include <algorithm>

#include "core/base/assert.h"
#include "core/graph/hops.h"

namespace ember {
namespace {

constexpr std::size_t kAhead = 8;  // Rows asked for before they are written.

}  // namespace

void StagedRows::Begin(const Topology& topology, Matrix<SwitchIndex, std::uint8_t> tables,
                       Arena& scratch) {
    topology_ = &topology;
    tables_ = tables;
    staged_ = scratch.Take<std::uint8_t>(topology.switch_bound() * kWidth);
    std::fill(staged_.begin(), staged_.end(), kNoHops);
    begin_ = used_ = count_ = 0;
    is_direct_ = false;
}

void StagedRows::Open(std::size_t first, std::size_t count) {
    if (is_direct_ || first != begin_ + used_ || used_ + count > kWidth) {
        Flush();
        begin_ = first;
        is_direct_ = count > kWidth;
    }
    used_ += count;
    count_ = count;
}

void StagedRows::Flush() {
    const std::size_t bound = is_direct_ ? 0 : topology_->switch_bound();
    for (std::size_t i = 0; used_ > 0 && i < bound; ++i) {
        const auto soon = static_cast<SwitchIndex>(std::min(i + kAhead, bound - 1));
        __builtin_prefetch(tables_[soon].data() + begin_, 1);
        if (!topology_->Has(static_cast<SwitchIndex>(i))) continue;
        const auto row = staged_.subspan(i * kWidth, used_);
        std::copy(row.begin(), row.end(),
                  tables_[static_cast<SwitchIndex>(i)].subspan(begin_).begin());
        std::fill(row.begin(), row.end(), kNoHops);
    }
    used_ = count_ = 0;
}

}  // namespace ember
