// SPDX-License-Identifier: Apache-2.0
// EmberSM: the order in which the ranks of a job meet least congestion on a fat tree.

#include "engines/report/node_order.h"

namespace ember {

void NodeOrder::Begin(const Fabric& fabric, const EngineOptions& options, Arena& scratch) {
    topology_.Build(fabric, options.order, scratch);
    is_tree_ = plan_.Begin({.topology = &topology_,
                            .options = &options,
                            .hops = {},
                            .tables = {},
                            .scratch = &scratch}) == Status::kOk;
}

Progress NodeOrder::Advance() {
    if (!is_tree_) return Progress::kDone;
    const Result<Progress> progress = plan_.Advance();
    is_tree_ = progress.ok();
    return is_tree_ ? progress.value() : Progress::kDone;
}

}  // namespace ember
