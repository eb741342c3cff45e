// SPDX-License-Identifier: Apache-2.0
// EmberSM: files that emberctl writes, with the caller's rights: whole or not at all.
#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>

namespace ember::ctl {

/// A directory that is there, held open: what happens to its name later makes no difference. A
/// symbolic link at the end of `path` is not followed.
class OutputDirectory {
public:
    /// Throws Trouble(kUnwritable).
    explicit OutputDirectory(const std::string& path);
    OutputDirectory(const OutputDirectory&) = delete;
    OutputDirectory& operator=(const OutputDirectory&) = delete;
    ~OutputDirectory();

    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] std::string PathOf(std::string_view name) const;
    /// Takes a regular file of this name away. Says nothing if there is none.
    void Remove(const std::string& name) const;
    /// Takes away what others left of the file `name` when they were killed: files without a lock.
    void RemoveLeftovers(const std::string& name) const;

private:
    std::string path_;
    int descriptor_ = -1;
};

/// A file that has another name, ".NAME.PID-N", until all of it is there; as long as it has that it
/// is locked, so that others can tell it from what is left of one whose writer was killed. Nothing
/// but a regular file is ever replaced: a link, a device or a directory of its name is refused.
/// Without Commit() it vanishes with this object.
class OutputFile {
public:
    enum class Reader : bool { kAnyone, kOwner };

    /// All of these throw Trouble(kUnwritable). The directory outlives it.
    OutputFile(const OutputDirectory& directory, std::string name, Reader reader = Reader::kAnyone);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    void Write(std::string_view octets);
    /// Drops what was written so far.
    void Clear();
    /// Takes on its name, in the place of the file that had it.
    void Commit();

    [[nodiscard]] const std::string& name() const { return name_; }

private:
    void Create(mode_t mode);
    [[noreturn]] void Fail(int error) const;
    void RefuseWhatIsNoFile() const;

    const OutputDirectory& directory_;
    std::string name_;
    std::string unfinished_;
    int descriptor_ = -1;
};

}  // namespace ember::ctl
