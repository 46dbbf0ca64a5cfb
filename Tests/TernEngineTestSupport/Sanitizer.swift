// SPDX-License-Identifier: Apache-2.0
// Safety: `dlsym` is given a terminated string and the handle that stands for the whole program.
import Glibc

enum Sanitizer {
    /// Whether this process keeps freed memory, or shadows of it, to find wrong uses: its size then says nothing.
    static var isWatching: Bool {
        unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    }
}
