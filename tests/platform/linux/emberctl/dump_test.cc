// SPDX-License-Identifier: Apache-2.0
// EmberSM: emberctl writes the files of a dump whole, and believes nothing that comes.

#include "platform/linux/emberctl/dump.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "platform/linux/emberctl/client.h"

namespace ember::ctl {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EmberctlDumpTest : public ::testing::Test {
protected:
    EmberctlDumpTest() {
        std::string pattern = fs::temp_directory_path() / "ember-dump-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        fs::create_directory(folder_ / "out");
        Put("fdbs", "old");
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strcpy(address.sun_path, path().c_str());
        listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const void* const generic = &address;
        EXPECT_EQ(bind(listener_, static_cast<const sockaddr*>(generic), sizeof(address)), 0);
        EXPECT_EQ(listen(listener_, 1), 0);
    }
    ~EmberctlDumpTest() override {
        close(listener_);
        fs::remove_all(folder_);
    }

    [[nodiscard]] std::string path() const { return folder_ / "sock"; }
    void Put(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / "out" / name) << text;
    }
    [[nodiscard]] std::string Read(const std::string& name) const {
        std::ifstream file(folder_ / "out" / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    [[nodiscard]] std::vector<std::string> Names() const {
        std::vector<std::string> names;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "out")) {
            names.push_back(entry.path().filename());
        }
        std::sort(names.begin(), names.end());
        return names;
    }
    /// The result of a dump from a peer that says this and hangs up.
    DumpResult DumpFrom(const std::string& script) const {
        std::thread peer([&] {
            const int fd = accept(listener_, nullptr, nullptr);
            std::size_t sent = 0;
            while (sent < script.size()) {
                const ssize_t count =
                    send(fd, script.data() + sent, script.size() - sent, MSG_NOSIGNAL);
                if (count <= 0) break;
                sent += static_cast<std::size_t>(count);
            }
            shutdown(fd, SHUT_WR);
            char rest = 0;
            while (recv(fd, &rest, 1, 0) > 0) {  // Until the other end hangs up, too.
            }
            close(fd);
        });
        struct Joined {
            std::thread& thread;
            ~Joined() { thread.join(); }
        } joined{peer};
        return Dump(path(), folder_ / "out", 10);
    }
    /// "STATUS sentence".
    [[nodiscard]] std::string Trouble(const std::string& script) const {
        try {
            static_cast<void>(DumpFrom(script));
        } catch (const ctl::Trouble& trouble) {
            return std::to_string(trouble.status()) + " " + trouble.what();
        }
        return "none";
    }

    fs::path folder_;
    int listener_ = -1;
};

TEST_F(EmberctlDumpTest, WritesAllFilesAndBeginsOneAnewWhenToldSo) {
    const std::string big(300'000, 'x');
    const DumpResult result = DumpFrom("{\"file\":\"fdbs\"}\n{\"bytes\":300000}\n" + big +
                                       "{\"file\":\"sa\"}\n{\"bytes\":4}\nvoid"
                                       "{\"file\":\"sa\"}\n{\"bytes\":2}\n{\n"
                                       "{\"bytes\":1}\n}{\"file\":\"empty\"}\n"
                                       "{\"ok\":true,\"bytes\":300003}\n");
    EXPECT_THAT(result.files, ElementsAre("fdbs", "sa", "empty"));
    EXPECT_EQ(result.bytes, 300'003U);
    EXPECT_TRUE(Read("fdbs") == big);
    EXPECT_EQ(Read("sa"), "{\n}");
    EXPECT_THAT(Names(), ElementsAre("empty", "fdbs", "sa"));
}

TEST_F(EmberctlDumpTest, KeepsWhatHoldsKeysToItsOwner) {
    static_cast<void>(
        DumpFrom("{\"file\":\"sa\",\"holds_keys\":true}\n{\"bytes\":1}\nx"
                 "{\"file\":\"lfts\"}\n{\"ok\":true,\"bytes\":1}\n"));
    const fs::perms others = fs::perms::group_all | fs::perms::others_all;
    EXPECT_EQ(fs::status(folder_ / "out" / "sa").permissions() & others, fs::perms::none);
    EXPECT_TRUE(fs::exists(folder_ / "out" / "lfts"));
    EXPECT_THAT(Trouble("{\"file\":\"sa\",\"holds_keys\":3}\n"),
                HasSubstr("no subnet manager; no file is new"));
}

TEST_F(EmberctlDumpTest, WritesNoFileWhenTheDumpDoesNotComeToItsEnd) {
    const std::string begun = "{\"file\":\"fdbs\"}\n{\"bytes\":4}\n";
    EXPECT_EQ(Trouble(begun + "half{\"ok\":false,\"error\":\"it moved\"}\n"),
              "1 it moved; no file is new");
    EXPECT_EQ(Trouble(begun + "ha"), "3 the subnet manager hung up; no file is new");
    EXPECT_EQ(Trouble(begun + "half"), "3 the subnet manager hung up; no file is new");
    EXPECT_EQ(Read("fdbs"), "old");
    EXPECT_THAT(Names(), ElementsAre("fdbs"));
}

TEST_F(EmberctlDumpTest, BelievesNothingThatIsNoDump) {
    for (const char* const script :
         {"HTTP/1.1 400 Bad Request\r\n", "{\"bytes\":3}\nabc", "{\"file\":\"../fdbs\"}\n",
          "{\"file\":\"\"}\n", "{\"file\":\".profile\"}\n", "{\"file\":7}\n", "[]\n", "{}\n"}) {
        EXPECT_THAT(Trouble(script), HasSubstr("no subnet manager; no file is new")) << script;
    }
    EXPECT_THAT(Names(), ElementsAre("fdbs"));
    EXPECT_FALSE(fs::exists(folder_ / "fdbs"));
}

TEST_F(EmberctlDumpTest, WritesThroughNoLinkAndSaysSo) {
    fs::create_symlink(folder_ / "elsewhere", folder_ / "out" / "link");
    EXPECT_THAT(Trouble("{\"file\":\"a\"}\n{\"file\":\"link\"}\n{\"ok\":true}\n"),
                HasSubstr("link is no regular file, and is left alone; no file is new"));
    EXPECT_THAT(Names(), ElementsAre("fdbs", "link"));
}

TEST_F(EmberctlDumpTest, TakesBackWhatItHasBegunWhenItIsInterrupted) {
    const pthread_t reader = pthread_self();
    const auto before = std::signal(SIGTERM, [](int) {});  // A signal may come after the end.
    std::thread peer([&] {
        const int fd = accept(listener_, nullptr, nullptr);
        const std::string begun = "{\"file\":\"fdbs\"}\n{\"bytes\":4}\nha";
        send(fd, begun.data(), begun.size(), MSG_NOSIGNAL);
        while (Names().size() < 2) {
            usleep(1000);
        }
        char rest = 0;
        do {
            pthread_kill(reader, SIGTERM);
            usleep(1000);
        } while (recv(fd, &rest, 1, MSG_DONTWAIT) != 0 && Names().size() == 2);
        close(fd);
    });
    try {
        static_cast<void>(Dump(path(), folder_ / "out", 10));
        ADD_FAILURE() << "it was not interrupted";
    } catch (const ctl::Trouble& trouble) {
        EXPECT_STREQ(trouble.what(), "interrupted; no file is new");
    }
    peer.join();
    std::signal(SIGTERM, before);
    EXPECT_THAT(Names(), ElementsAre("fdbs"));
}

}  // namespace
}  // namespace ember::ctl
