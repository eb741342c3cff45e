// SPDX-License-Identifier: Apache-2.0
// EmberSM: proof, while it runs, that nothing allocates.

#include "platform/linux/system/heap_trap.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <string_view>

#include "core/base/assert.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EMBER_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define EMBER_SANITIZER_OWNS_MALLOC 1
#endif
#endif

#if defined(EMBER_SANITIZER_OWNS_MALLOC)

namespace ember {

bool ArmHeapTrap() {
    return false;
}
void DisarmHeapTrap() {}

}  // namespace ember

#else

namespace {

struct Range {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
};

// A preload is one or two libraries with a few segments each; what does not fit is trapped.
constinit std::array<Range, 16> preloads{};
constinit std::size_t preload_count = 0;
constinit thread_local bool armed = false;

bool IsPreload(const char* name) {
    const char* const list = std::getenv("LD_PRELOAD");
    if (list == nullptr || name == nullptr || *name == '\0') return false;
    const std::string_view path(name);
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return !file.empty() && std::string_view(list).find(file) != std::string_view::npos;
}

int NotePreload(dl_phdr_info* object, std::size_t, void*) {
    if (!IsPreload(object->dlpi_name)) return 0;
    for (int i = 0; i < object->dlpi_phnum && preload_count < preloads.size(); ++i) {
        const auto& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
        const std::uintptr_t first = object->dlpi_addr + segment.p_vaddr;
        preloads[preload_count++] = {first, first + segment.p_memsz};
    }
    return 0;
}

bool IsLetThrough(const void* caller) {
    std::uintptr_t address = 0;
    std::memcpy(&address, &caller, sizeof(address));
    for (std::size_t i = 0; i < preload_count; ++i) {
        if (address >= preloads[i].first && address < preloads[i].end) return true;
    }
    return false;
}

/// `caller` is the return address of the interposed function, not of this one.
void Check(const char* function, const void* caller) {
    if (!armed || IsLetThrough(caller)) return;
    armed = false;  // So that abort() may do as it likes.
    ember::Panic(function, 0, "nothing allocates after composition");
}

}  // namespace

namespace ember {

bool ArmHeapTrap() {
    preload_count = 0;
    dl_iterate_phdr(NotePreload, nullptr);
    armed = true;
    return true;
}

void DisarmHeapTrap() {
    armed = false;
}

}  // namespace ember

// The C library's own, under the names it keeps for those who interpose.
extern "C" {
// NOLINTBEGIN: these names are the C library's.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
// NOLINTEND

// An archive of the C library brings these two along in any case: there the linker leads those who
// call them to other names (--wrap, see platform/CMakeLists.txt).
#if defined(EMBER_WRAP_MALLOC)
#define EMBER_TRAPPED(name) __wrap_##name
#else
#define EMBER_TRAPPED(name) name
#endif

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
void* EMBER_TRAPPED(malloc)(std::size_t bytes) {
    Check("malloc", __builtin_return_address(0));
    return __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
    Check("calloc", __builtin_return_address(0));
    return __libc_calloc(count, bytes);
}

void* EMBER_TRAPPED(realloc)(void* memory, std::size_t bytes) {
    Check("realloc", __builtin_return_address(0));
    return __libc_realloc(memory, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {  // NOLINT: the C library's name.
    Check("memalign", __builtin_return_address(0));
    return __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    Check("aligned_alloc", __builtin_return_address(0));
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
    Check("posix_memalign", __builtin_return_address(0));
    *memory = __libc_memalign(alignment, bytes);
    return *memory == nullptr ? ENOMEM : 0;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
}

#endif
