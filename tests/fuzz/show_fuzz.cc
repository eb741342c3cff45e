// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: files that emberc show, verify, sign and plan are given for blobs.
//
// Goal:   whatever is in a file, emberc ends with one of its statuses, and says why when it is
//         not 0.
// Method: the first octet says which command, and whether the rest is a file as it stands, a
//         payload behind a header that fits it, or changes to a sound blob. What is printed goes
//         nowhere, but for what a sanitizer says.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "board/boards.h"
#include "config/emberc/command_line.h"
#include "config/emberc/commands.h"
#include "tests/config/support.h"
#include "tests/support/fuzz_script.h"

/// Not there in a build without sanitizers.
extern "C" [[gnu::weak]] void __sanitizer_set_report_fd(void* descriptor);

namespace ember::test {
namespace {

namespace fs = std::filesystem;
using testing::Demand;
using testing::Script;

/// A folder with a key and a small fabric; it goes away with the process.
class Desk {
public:
    Desk() {
        std::string pattern = fs::temp_directory_path() / "ember-fuzz-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        // The sanitizers take a number for a pointer here.
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        void* const error = reinterpret_cast<void*>(std::intptr_t{dup(STDERR_FILENO)});
        if (&__sanitizer_set_report_fd != nullptr) __sanitizer_set_report_fd(error);
        std::ofstream(File("key.pem")) << TrustedKey().PrivatePem();
        std::ofstream(File("key.pub")) << emberc::PublicPem(TrustedKey().public_key());
        Demand(Run({"fabric", "ft2", "4", "-o", File("net")}) == emberc::kDone,
               "a fabric can be made");
    }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;
    ~Desk() { fs::remove_all(folder_); }

    [[nodiscard]] std::string File(const char* name) const { return folder_ / name; }
    void Write(const char* name, const Octets& octets) const {
        std::ofstream file(File(name), std::ios::binary | std::ios::trunc);
        for (const std::byte octet : octets) {
            file.put(std::to_integer<char>(octet));
        }
    }
    /// The status that the shell would see; the words are written into a file.
    int Run(const std::vector<std::string>& words) {
        std::vector<const char*> arguments = {"emberc"};
        for (const std::string& word : words) {
            arguments.push_back(word.c_str());
        }
        std::fflush(nullptr);
        const int out = dup(STDOUT_FILENO);
        const int error = dup(STDERR_FILENO);
        std::FILE* const said = std::fopen(File("said").c_str(), "w");
        dup2(fileno(said), STDOUT_FILENO);
        dup2(fileno(said), STDERR_FILENO);
        const int status = emberc::Run(static_cast<int>(arguments.size()), arguments.data(),
                                       Boards(), "no-such-folder");
        std::fflush(nullptr);
        dup2(out, STDOUT_FILENO);
        dup2(error, STDERR_FILENO);
        close(out);
        close(error);
        std::fclose(said);
        Demand(status >= emberc::kDone && status <= emberc::kCreditLoopIsPossible,
               "a status is one of those that are told");
        Demand(fs::file_size(File("said")) != 0 || status == emberc::kDone, "a failure is told");
        return status;
    }

private:
    fs::path folder_;
};

/// A file of one of three kinds.
Octets FileOf(unsigned kind, Script& script) {
    static const Octets kSound = BlobOf("lmc 2\nsm_priority 3\nrouting_engine updn\n", 5);
    Octets octets;
    if (kind == 2) {
        octets = kSound;
        const unsigned count = 1U + script.Next() % 8U;
        for (unsigned i = 0; i < count; ++i) {
            const std::size_t at = script.Next32() % octets.size();
            octets[at] = std::byte{script.Next()};
        }
        if (script.Next() % 2 == 0) SignAnew(octets);
        return octets;
    }
    for (const std::uint8_t octet : script.rest()) {
        octets.push_back(std::byte{octet});
    }
    return kind == 1 ? emberc::PutTogether(octets, 1, nullptr) : octets;
}

void Try(Desk& desk, Script& script) {
    const std::uint8_t what = script.Next();
    desk.Write("blob", FileOf(what % 3U, script));
    const std::string blob = desk.File("blob");
    switch (what / 3U % 6U) {
        case 0:
            static_cast<void>(desk.Run({"show", blob}));
            return;
        case 1:
            static_cast<void>(desk.Run({"show", blob, "--all", "--json"}));
            return;
        case 2:
            static_cast<void>(desk.Run({"verify", blob, "-p", desk.File("key.pub")}));
            return;
        case 3:
            static_cast<void>(
                desk.Run({"sign", blob, "-k", desk.File("key.pem"), "-o", desk.File("signed")}));
            return;
        case 4:
            static_cast<void>(
                desk.Run({"plan", "--fabric", desk.File("net"), "--config", blob, "--json", "-"}));
            return;
        default:
            static_cast<void>(desk.Run({"plan", "diff", blob, blob, "--fabric", desk.File("net")}));
    }
}

}  // namespace
}  // namespace ember::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static ember::test::Desk desk;
    ember::testing::Script script({data, size});
    ember::test::Try(desk, script);
    return 0;
}
