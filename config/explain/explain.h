// SPDX-License-Identifier: Apache-2.0
// EmberSM: why two ports may talk, what their path is, why a join is refused: in answer to a line.
#pragma once

#include <string_view>

#include "core/administration/explain/explainer.h"
#include "core/fabric/node_names.h"
#include "core/log/fixed_text.h"
#include "core/log/json_writer.h"

namespace ember::explain {

/// From what is explained: a subnet that is managed, or one on paper.
struct Scene {
    Explainer& explainer;
    const NodeNames& names;
};

/// Answers a question; embersm takes it from its control socket and emberc from its command line,
/// so that both say the same.
///
///   partition A B                     may they talk, in which partitions, by which lines
///   path A B [OPTION=VALUE]...        what the subnet administrator tells A about the path to B
///   join PORT MGID [OPTION=VALUE]...  whether the port may join, and by which rule not
///
/// A, B and PORT are as in PortByWord(); a name with blanks stands in quotation marks. Options of a
/// path: service-id, qos-class, pkey, sl, mtu (octets), rate (Gb/s), reversible (0 or 1); of a
/// join: state (full, non, send-only, send-only-full), pkey, qkey, sl, tclass, flow-label, mtu,
/// rate. Numbers are decimal, or hexadecimal behind 0x.
///
/// Adds the answer to the object that is open in `json`. False: nothing was added, and `why` has a
/// sentence.
[[nodiscard]] bool Answer(std::string_view line, const Scene& scene, JsonWriter& json,
                          FixedText& why);

}  // namespace ember::explain
