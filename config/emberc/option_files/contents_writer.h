// SPDX-License-Identifier: Apache-2.0
// EmberSM: what option files say, into FlatBuffers, and back for people to look at.
#pragma once

#include <cstddef>
#include <flatbuffers/flatbuffer_builder.h>
#include <optional>
#include <span>

#include "config/emberc/option_files/contents.h"

namespace ember::schema {
struct OptionFiles;
}

namespace ember::emberc {

/// The table OptionFiles of config/schema/settings.fbs; the same contents give the same octets.
/// None when no file is named.
[[nodiscard]] flatbuffers::Offset<schema::OptionFiles> WriteContents(
    flatbuffers::FlatBufferBuilder& builder, const OptionContents& contents);

/// The tables OptionFiles of the steps of the chain; none when no step has any.
[[nodiscard]] flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<schema::OptionFiles>>>
WriteStepFiles(flatbuffers::FlatBufferBuilder& builder, const OptionContents& contents);

/// The option files of a payload; nothing if it is no valid buffer, or holds what a switch would
/// refuse.
[[nodiscard]] std::optional<OptionContents> ReadContents(std::span<const std::byte> payload);

}  // namespace ember::emberc
