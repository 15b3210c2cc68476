// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
// bench-core [--benchmark_...]: the options are those of Google Benchmark.
#include "bench.hpp"

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    xiw::bench::add_checksum();
    xiw::bench::add_fpdu();
    xiw::bench::add_segment();
    xiw::bench::add_stag();
    xiw::bench::add_dispatch();
    xiw::bench::add_queues();
    xiw::bench::add_stream();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
