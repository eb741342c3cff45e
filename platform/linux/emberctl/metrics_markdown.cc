// SPDX-License-Identifier: Apache-2.0
// EmberSM: docs/metrics.md, from the table that the page of numbers is made from.

#include <fmt/format.h>
#include <string>

#include "platform/linux/emberctl/pages.h"
#include "platform/linux/views/metrics_table.h"

namespace ember::ctl {

namespace {

/// How the numbers come to Prometheus; the table of them follows.
constexpr std::string_view kMetricsIntroduction =
    R"(# Metrics

`emberctl metrics` prints the numbers of `emberctl status --json` and `emberctl memory --json` in
Prometheus' classic text format (0.0.4), which node_exporter's textfile collector reads, and with
`--openmetrics` in that of [OpenMetrics](https://openmetrics.io) 1.0, which that collector does not read. The
control socket answers the lines `metrics` and `metrics openmetrics` with the same pages.

## How they come to Prometheus
EmberSM opens no network port for this: node_exporter on the same machine collects the page from a
file. Two systemd units come with the service. On Debian:

```
apt-get install prometheus-node-exporter
systemctl enable --now embersm-metrics.timer
```

Every 15 seconds that writes `/var/lib/prometheus/node-exporter/embersm.prom`, in the directory where
Debian's node_exporter looks. Where it looks elsewhere (`--collector.textfile.directory`), or where
there is no systemd, the same is done by

```
emberctl metrics --output /var/lib/prometheus/node-exporter/embersm.prom
```

which writes under another name, one that the collector passes over, and renames: the collector
never sees half a page. When no subnet manager answers, the file is removed, and with it the
numbers of one that is gone. A script does the first half of it with

```
emberctl metrics > embersm.prom.new && mv embersm.prom.new embersm.prom
```

| look at | it says |
| --- | --- |
| `absent(embersm_up)` | no subnet manager answers on any machine |
| `embersm_up == 0` | the last heavy sweep as master had errors, or there was none |
| `embersm_routing_fallback == 1` | another engine than the first of the list made the routes |
| `node_textfile_scrape_error == 1` | node_exporter could not read one of its files |
| `time() - node_textfile_mtime_seconds{file=~".*embersm.prom"} > 60` | nothing writes the file any more |

## What there is
Counters begin at 0 with the process. The classic format has neither info nor stateset: both are gauges
there. Made by `make docs-update` from the table that the page is made from; the gate `docs` compares.

| sample | type | labels | meaning |
| --- | --- | --- | --- |
)";

}  // namespace

std::string MetricsAsMarkdown() {
    std::string page(kMetricsIntroduction);
    for (const MetricRow& row : Metrics()) {
        page += fmt::format("| `{}{}` | {} | {} | {} |\n", row.name, SuffixOf(row.type),
                            WordOf(row.type), row.labels.empty() ? "-" : row.labels, row.help);
    }
    return page;
}

}  // namespace ember::ctl
