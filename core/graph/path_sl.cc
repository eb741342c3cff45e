// SPDX-License-Identifier: Apache-2.0
// EmberSM: the service level of every path of a routing.

#include "core/graph/path_sl.h"

#include <algorithm>

#include "core/base/assert.h"

namespace ember {

Status PathSl::Begin(Form form, std::size_t switches, Lid top) {
    const std::size_t bytes = Bytes(form, switches, top);
    if (bytes > octets_.size()) return Status::kFull;
    std::fill_n(octets_.begin(), bytes, std::uint8_t{0});
    form_ = form;
    rows_ = RowsOf(form, switches);
    columns_ = ColumnsOf(form, switches, top);
    return Status::kOk;
}

void PathSl::Copy(const PathSl& other) {
    const std::size_t bytes = other.form_ == Form::kNone ? 0 : other.rows_ * other.RowBytes();
    EMBER_ASSERT(bytes <= octets_.size());
    std::copy_n(other.octets_.begin(), bytes, octets_.begin());
    form_ = other.form_;
    rows_ = other.rows_;
    columns_ = other.columns_;
}

void PathSl::Set(const SlPath& path, std::uint8_t sl) {
    EMBER_ASSERT(Has(path) && sl < kServiceLevels);
    std::uint8_t& octet = octets_[OctetOf(path)];
    octet = (ColumnOf(path) & 1U) == 0 ? static_cast<std::uint8_t>((octet & 0xF0U) | sl)
                                       : static_cast<std::uint8_t>((octet & 0x0FU) | sl * 16U);
}

std::uint8_t PathSl::Of(const SlPath& path) const {
    if (form_ == Form::kNone) return 0;
    if (!Has(path)) return kNoSl;
    const unsigned shift = (ColumnOf(path) & 1U) * 4;
    return static_cast<std::uint8_t>(octets_[OctetOf(path)] >> shift & 0x0FU);
}

bool PathSl::Has(const SlPath& path) const {
    return form_ != Form::kNone && RowOf(path) < rows_ && ColumnOf(path) < columns_;
}

std::size_t PathSl::OctetOf(const SlPath& path) const {
    return RowOf(path) * RowBytes() + ColumnOf(path) / 2;
}

}  // namespace ember
