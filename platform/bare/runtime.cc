// SPDX-License-Identifier: Apache-2.0
// EmberSM: what the compiler and its library expect of a C library, where there is none.

#include "core/base/assert.h"

namespace {

[[noreturn]] void Broken(const char* claim) {
    ember::Panic("the C++ library", 0, claim);
}

}  // namespace

// Containers report misuse through these functions. With no exceptions, misuse ends the image.
namespace std {
void __throw_length_error(const char* text) {
    Broken(text);
}
void __throw_logic_error(const char* text) {
    Broken(text);
}
void __throw_out_of_range(const char* text) {
    Broken(text);
}
void __throw_out_of_range_fmt(const char* text, ...) {
    Broken(text);
}
void __throw_bad_alloc() {
    Broken("bad_alloc");
}
void __throw_bad_array_new_length() {
    Broken("bad_array_new_length");
}
void __throw_bad_function_call() {
    Broken("bad_function_call");
}
}  // namespace std

extern "C" {
extern void* __dso_handle;
void* __dso_handle = nullptr;

/// Static objects are never unmade: an image ends with the machine.
int __cxa_atexit(void (*)(void*), void*, void*);
int __cxa_atexit(void (* /*end*/)(void*), void* /*object*/, void* /*library*/) {
    return 0;
}
#if !defined(__aarch64__)
int __aeabi_atexit(void*, void (*)(void*), void*);
int __aeabi_atexit(void* /*object*/, void (* /*end*/)(void*), void* /*library*/) {
    return 0;
}
/// libgcc's answer to a division by zero.
int raise(int signal);
int raise(int /*signal*/) {
    Broken("no division by zero");
}
#endif

[[noreturn]] void __cxa_pure_virtual();
void __cxa_pure_virtual() {
    Broken("no call of a pure virtual function");
}
[[noreturn]] void abort();
void abort() {
    Broken("no call of abort()");
}
}
