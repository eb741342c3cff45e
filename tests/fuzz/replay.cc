// SPDX-License-Identifier: Apache-2.0
// EmberSM: runs a fuzz target without libFuzzer, so that any compiler can: over its corpus, and
// over inputs that are made from it.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Input = std::vector<std::uint8_t>;

/// Longer ones are cut: what is found in long inputs is libFuzzer's matter.
constexpr std::size_t kMostOctets = 4096;

Input ReadFile(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::vector<char> octets{std::istreambuf_iterator<char>(in), {}};
    return {octets.begin(), octets.end()};
}

/// The files, in an order that no file system decides: inputs made from them are the same
/// everywhere.
std::vector<Input> ReadCorpus(const std::vector<fs::path>& paths) {
    std::vector<fs::path> files;
    for (const fs::path& path : paths) {
        if (fs::is_regular_file(path)) files.push_back(path);
        if (!fs::is_directory(path)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(path)) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<Input> corpus;
    for (const fs::path& file : files) {
        corpus.push_back(ReadFile(file));
    }
    return corpus;
}

/// Makes inputs: one of the corpus, changed a few times.
class Mutants {
public:
    explicit Mutants(const std::vector<Input>& corpus) : corpus_(corpus) {}

    [[nodiscard]] Input Next() {
        Input input = corpus_[Below(corpus_.size())];
        const std::size_t changes = 1 + Below(8);
        for (std::size_t i = 0; i < changes; ++i) {
            Change(input);
        }
        input.resize(std::min(input.size(), kMostOctets));
        return input;
    }

private:
    // SplitMix64: the same numbers on every machine.
    std::uint64_t Draw() {
        std::uint64_t mixed = state_ += 0x9E3779B97F4A7C15U;
        mixed = (mixed ^ mixed >> 30U) * 0xBF58476D1CE4E5B9U;
        mixed = (mixed ^ mixed >> 27U) * 0x94D049BB133111EBU;
        return mixed ^ mixed >> 31U;
    }
    std::size_t Below(std::size_t bound) { return Draw() % bound; }
    /// An octet that often stands at an edge, or any.
    std::uint8_t AnyOctet() {
        constexpr std::array<std::uint8_t, 8> kEdges = {0, 1, 2, 0x7F, 0x80, 0xC8, 0xFE, 0xFF};
        return Below(2) == 0 ? kEdges[Below(kEdges.size())] : static_cast<std::uint8_t>(Draw());
    }

    void Change(Input& input) {
        const std::size_t at = Below(input.size() + 1);
        const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t left = input.size() - at;
        const std::size_t count = std::min(left, 1 + Below(16));
        const auto end = place + static_cast<std::ptrdiff_t>(count);
        switch (Below(7)) {
            case 0:  // Some octets are others.
                std::for_each(place, end, [this](std::uint8_t& octet) { octet = AnyOctet(); });
                return;
            case 1:
                if (left != 0) *place = static_cast<std::uint8_t>(*place ^ 1U << Below(8));
                return;
            case 2:
                input.erase(place, end);
                return;
            case 3: {  // Some stand there twice.
                const Input again(place, end);
                input.insert(place, again.begin(), again.end());
                return;
            }
            case 4: {  // New ones.
                Input fresh(1 + Below(16));
                std::generate(fresh.begin(), fresh.end(), [this] { return AnyOctet(); });
                input.insert(place, fresh.begin(), fresh.end());
                return;
            }
            case 5: {  // The input goes on as another does.
                const Input& other = corpus_[Below(corpus_.size())];
                const auto from = static_cast<std::ptrdiff_t>(Below(other.size() + 1));
                input.erase(place, input.end());
                input.insert(input.end(), other.begin() + from, other.end());
                return;
            }
            default:
                if (Below(4) == 0) input.erase(place, input.end());
        }
    }

    const std::vector<Input>& corpus_;
    std::uint64_t state_ = 1;
};

/// Runs inputs that are made. The one under way stands in a file, which is left behind by a process
/// that dies.
void PlayMutants(const std::vector<Input>& corpus, std::size_t count, const fs::path& last) {
    Mutants mutants(corpus);
    for (std::size_t i = 0; i < count; ++i) {
        const Input input = mutants.Next();
        std::ofstream out(last, std::ios::binary | std::ios::trunc);
        out.write(reinterpret_cast<const char*>(input.data()),  // NOLINT: octets are octets.
                  static_cast<std::streamsize>(input.size()));
        out.close();
        (void)LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    fs::remove(last);
}

}  // namespace

/// Arguments are files or folders, and "--mutants=N": so many inputs are made from them, the same
/// ones in each run. A corpus that is missing or empty is a failure, because a replay of nothing
/// proves nothing.
int main(int argc, char** argv) {
    constexpr std::string_view kMutants = "--mutants=";
    std::size_t mutants = 0;
    std::vector<fs::path> paths;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.starts_with(kMutants)) {
            std::from_chars(word.data() + kMutants.size(), word.data() + word.size(), mutants);
        } else {
            paths.emplace_back(word);
        }
    }
    const std::vector<Input> corpus = ReadCorpus(paths);
    if (corpus.empty()) return 1;
    for (const Input& input : corpus) {
        (void)LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    PlayMutants(corpus, mutants, fs::path(argv[0]).filename().string() + ".last");
    std::printf("%zu inputs replayed, %zu made from them\n", corpus.size(), mutants);
    return 0;
}
