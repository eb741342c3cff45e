// SPDX-License-Identifier: Apache-2.0
// EmberSM: runs a fuzz target over its corpus without libFuzzer, so that any compiler can.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void Replay(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> octets{std::istreambuf_iterator<char>(in), {}};
    const std::vector<std::uint8_t> data(octets.begin(), octets.end());
    (void)LLVMFuzzerTestOneInput(data.data(), data.size());
}

}  // namespace

/// Arguments are files or folders. A corpus that is missing or empty is a failure, because a replay
/// of nothing proves nothing.
int main(int argc, char** argv) {
    std::size_t count = 0;
    for (int i = 1; i < argc; ++i) {
        const std::filesystem::path path(argv[i]);
        if (std::filesystem::is_regular_file(path)) {
            Replay(path);
            ++count;
            continue;
        }
        if (!std::filesystem::is_directory(path)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
            if (!entry.is_regular_file()) continue;
            Replay(entry.path());
            ++count;
        }
    }
    std::printf("%zu inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
