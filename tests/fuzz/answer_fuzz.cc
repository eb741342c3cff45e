// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: emberctl's end of the control socket, with anything at the other one.
//
// Goal:   whatever answers, emberctl ends with a page or a sentence, writes no file outside of its
//         folder and none under a name that it has not whole.
// Method: a socket in a folder of this process, and a thread that answers with the input. The first
//         octet says what is asked for.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "platform/linux/emberctl/answer.h"
#include "platform/linux/emberctl/client.h"
#include "platform/linux/emberctl/dump.h"
#include "platform/linux/emberctl/pages.h"
#include "tests/support/fuzz_script.h"

namespace ember::testing {
namespace {

namespace fs = std::filesystem;

/// Listens as long as the process lives.
class Responder {
public:
    Responder() {
        std::string pattern = fs::temp_directory_path() / "ember-fuzz-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        fs::create_directory(output());
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(&address.sun_path[0], path().c_str(), path().size() + 1);
        listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const void* const generic = &address;
        Demand(bind(listener_, static_cast<const sockaddr*>(generic), sizeof(address)) == 0 &&
                   listen(listener_, 1) == 0,
               "a socket of our own can be made");
    }
    Responder(const Responder&) = delete;
    Responder& operator=(const Responder&) = delete;
    ~Responder() {
        close(listener_);
        fs::remove_all(folder_);
    }

    [[nodiscard]] std::string path() const { return folder_ / "sock"; }
    [[nodiscard]] fs::path output() const { return folder_ / "out"; }
    [[nodiscard]] const fs::path& folder() const { return folder_; }

    /// A client that asks during `ask` is answered with `text`.
    template <typename Ask>
    void Answer(const std::string& text, const Ask& ask) const {
        std::thread peer([&] {
            const int fd = accept(listener_, nullptr, nullptr);
            std::size_t sent = 0;
            while (sent < text.size()) {  // Ends: it sends an octet at least, or leaves.
                const ssize_t count =
                    send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
                if (count <= 0) break;
                sent += static_cast<std::size_t>(count);
            }
            shutdown(fd, SHUT_WR);
            std::array<char, 256> question{};
            while (recv(fd, question.data(), question.size(), 0) > 0) {  // Until it hangs up.
            }
            close(fd);
        });
        try {
            ask();
        } catch (const std::exception& error) {  // As main() does.
            Demand(error.what()[0] != '\0', "a trouble has a sentence");
        }
        peer.join();
    }

private:
    fs::path folder_;
    int listener_ = -1;
};

using Json = nlohmann::ordered_json;
using Page = std::string (*)(const Json& answer);

void ReadPage(const std::string& text, Page page) {
    try {
        const Json answer = ctl::ParseAnswer(text);
        static_cast<void>(page(answer));
        static_cast<void>(answer.dump(2));
    } catch (const ctl::Trouble&) {
        return;
    } catch (const Json::exception&) {
        return;  // A value of another type, or octets that are no text.
    }
}

void ReadDump(const Responder& responder, const std::string& text) {
    ctl::DumpResult result;
    bool is_done = false;
    responder.Answer(text, [&] {
        result = ctl::Dump(responder.path(), responder.output(), 1);
        is_done = true;
    });
    std::size_t files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(responder.output())) {
        const std::string name = entry.path().filename();
        Demand(entry.is_regular_file() && name.front() != '.', "nothing unfinished is left");
        ++files;
        fs::remove(entry.path());
    }
    Demand(files <= result.files.size(), "a file is there when all of them are");
    Demand(is_done || files == 0, "and none otherwise");
    Demand(std::distance(fs::directory_iterator(responder.folder()), fs::directory_iterator()) == 2,
           "nothing is written elsewhere");
}

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ember::testing;  // NOLINT: a fuzz target is a program of its own.
    static const Responder kResponder;
    Script script({data, size});
    const std::uint8_t what = script.Next();
    const std::string text = script.RestAsText();
    switch (what % 6) {
        case 0:
            ReadPage(text, ember::ctl::StatusPage);
            return 0;
        case 1:
            ReadPage(text, ember::ctl::MemoryPage);
            return 0;
        case 2:
            ReadPage(text, ember::ctl::ReloadPage);
            return 0;
        case 3:
            kResponder.Answer(text, [&] {
                static_cast<void>(ember::ctl::AskForPage(kResponder.path(), "metrics", "# EOF", 1));
            });
            return 0;
        default:
            ReadDump(kResponder, text);
            return 0;
    }
}
