// SPDX-License-Identifier: Apache-2.0
// EmberSM: fuzz target: what the system hands to embersm beside its fabric: the command line, the
// geometry of a flash memory, a description of registers in sysfs, and files of a state directory.
//
// Goal:   nothing is believed that does not fit: a part of a flash lies inside of it, a slot is
// what
//         was saved, and nothing of all this ends the process.
// Method: the first octet says which. Files are written into a folder of this process.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mtd/mtd-user.h>
#include <span>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

#include "platform/linux/embersm/options.h"
#include "platform/linux/store/file_store.h"
#include "platform/linux/store/linux_flash.h"
#include "platform/local/linux/uio_mapping.h"
#include "tests/support/fuzz_script.h"

namespace ember::testing {
namespace {

namespace fs = std::filesystem;

/// Goes away with the process.
const fs::path& Folder() {
    static const struct Made {
        Made() {
            std::string pattern = fs::temp_directory_path() / "ember-fuzz-XXXXXX";
            path = mkdtemp(pattern.data());
        }
        ~Made() { fs::remove_all(path); }
        fs::path path;
    } kMade;
    return kMade.path;
}

void Write(const fs::path& path, std::span<const std::uint8_t> octets) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    Demand(file >= 0 &&
               write(file, octets.data(), octets.size()) == static_cast<ssize_t>(octets.size()),
           "a file of our own can be written");
    close(file);
}

/// A kernel whose flash is as the script says, and holds nothing.
class ToldKernel final : public FlashKernel {
public:
    explicit ToldKernel(Script& script) {
        kind_ = static_cast<FlashKind>(script.Next() % 5U);
        size_ = static_cast<std::int64_t>(script.Next64() >> (script.Next() % 64U));
        info_.type = script.Next() % 9U;
        info_.flags = MTD_WRITEABLE;
        info_.size = script.Next32();
        info_.erasesize = script.Next32() >> (script.Next() % 32U);
        info_.writesize = script.Next32() >> (script.Next() % 32U);
        kinds_of_sectors_ = script.Next() % 3U;
    }
    [[nodiscard]] std::uint64_t bytes() const {
        return kind_ == FlashKind::kMtd ? info_.size : static_cast<std::uint64_t>(size_);
    }

    FlashKind KindOf(const std::string& /*path*/) override { return kind_; }
    int Open(const std::string& /*path*/, FlashKind /*kind*/) override { return 1000; }
    void Close(int /*fd*/) override {}
    int Lock(int /*fd*/, std::uint64_t offset, std::uint64_t bytes) override {
        Demand(offset <= this->bytes() && bytes <= this->bytes() - offset, "the part is inside");
        return 0;
    }
    std::int64_t SizeOf(int /*fd*/) override { return size_; }
    int Control(int /*fd*/, unsigned long request, void* argument) override {  // NOLINT: ioctl(2).
        if (request == MEMGETINFO) std::memcpy(argument, &info_, sizeof info_);
        if (request == MEMGETREGIONCOUNT) std::memcpy(argument, &kinds_of_sectors_, sizeof(int));
        return 0;
    }
    ssize_t Read(int /*fd*/, std::span<std::byte> octets, std::uint64_t at) override {
        Demand(at <= bytes() && octets.size() <= bytes() - at, "nothing is read beside it");
        std::fill(octets.begin(), octets.end(), std::byte{0});
        return static_cast<ssize_t>(octets.size());
    }
    ssize_t Write(int /*fd*/, std::span<const std::byte> octets, std::uint64_t at) override {
        Demand(at <= bytes() && octets.size() <= bytes() - at, "nothing is written beside it");
        return static_cast<ssize_t>(octets.size());
    }
    int Sync(int /*fd*/) override { return 0; }

private:
    FlashKind kind_;
    std::int64_t size_;
    mtd_info_user info_{};
    int kinds_of_sectors_;
};

void OpenFlashOf(const FlashPart& part, Script& script) {
    ToldKernel kernel(script);
    LinuxFlash flash(kernel);
    if (!flash.Open(part).empty()) return;
    const FlashGeometry geometry = flash.geometry();
    const std::uint64_t bytes = std::uint64_t{geometry.erase_bytes} * geometry.sectors;
    Demand(bytes != 0 && bytes <= LinuxFlash::kMaxBytes, "a part has a size that makes sense");
    std::array<std::byte, 1> last{};
    Demand(flash.Read(static_cast<std::uint32_t>(bytes - 1), last) == Status::kOk,
           "its last octet can be read");
    static_cast<void>(flash.Erase(geometry.sectors - 1));
}

/// Arguments stand on lines of their own, behind what the kernel says of the flash they name.
void ReadCommandLine(Script& script) {
    std::array<std::uint8_t, 40> told{};
    script.Fill(told);
    const std::string text = script.RestAsText();
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= text.size() && words.size() < 64;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    std::vector<const char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(word.c_str());
    }
    Options options;
    if (!ParseOptions(arguments, options).empty()) return;
    if (options.flash.path.empty()) return;
    Script kernel(told);
    OpenFlashOf(options.flash, kernel);
}

/// Size and offset of map 0 as sysfs has them, and a device that is a file.
void MapRegisters(Script& script) {
    const fs::path map = Folder() / "uio7" / "maps" / "map0";
    fs::create_directories(map);
    const fs::path device = Folder() / "device" / "uio7";
    fs::create_directories(device.parent_path());
    Write(device, {});
    const std::uint8_t count = script.Next() % 80;
    std::vector<std::uint8_t> offset(count);
    script.Fill(offset);
    Write(map / "offset", offset);
    Write(map / "size", script.rest());
    UioMapping mapping;
    const MailboxOpening opening = mapping.Open(device, Folder());
    if (opening.fault != MailboxFault::kNone) return;
    Demand(mapping.window().words.size() <= (std::uint64_t{1} << 46U), "what is mapped is there");
}

/// A slot's file, as it stands or with a header that fits the octets, is what was saved or nothing.
void ReadSlot(Script& script) {
    const fs::path folder = Folder() / "state";
    FileStore store;
    Demand(store.Open(folder).empty(), "a folder of our own can be opened");
    std::array<std::byte, 300> octets{};
    const std::size_t size = script.Next();
    const auto saved = std::span<const std::byte>(octets).first(size);
    Demand(store.Save(StoreSlot::kGuidToLid, saved) == Status::kOk, "and be written to");
    const std::uint8_t changes = script.Next() % 8;
    std::vector<std::uint8_t> file(24 + size);
    const int whole = open((folder / "guid-to-lid").c_str(), O_RDONLY | O_CLOEXEC);
    Demand(read(whole, file.data(), file.size()) == static_cast<ssize_t>(file.size()),
           "a file is a header and the octets");
    close(whole);
    for (unsigned i = 0; i < changes; ++i) {
        const std::size_t at = script.Next() % file.size();
        file[at] = static_cast<std::uint8_t>(file[at] ^ script.Next());
    }
    if (script.Next() % 2 == 0) file.insert(file.end(), script.rest().begin(), script.rest().end());
    Write(folder / "guid-to-lid", file);
    std::array<std::byte, 256> room{};
    const Result<std::size_t> count = store.Load(StoreSlot::kGuidToLid, room);
    if (count.ok()) Demand(count.value() <= room.size(), "what is read fits");
}

}  // namespace
}  // namespace ember::testing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ember::testing;  // NOLINT: a fuzz target is a program of its own.
    Script script({data, size});
    switch (script.Next() % 3) {
        case 0:
            ReadCommandLine(script);
            return 0;
        case 1:
            MapRegisters(script);
            return 0;
        default:
            ReadSlot(script);
            return 0;
    }
}
