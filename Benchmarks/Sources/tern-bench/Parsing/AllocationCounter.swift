// SPDX-License-Identifier: Apache-2.0
// Safety: the symbols are those of CAllocations.h, with its types; the path and the arguments live until the process is
// replaced.

internal import Foundation
internal import Glibc

/// The number of allocations of this thread. A library that must be loaded before all others counts them, which costs a
/// little per allocation: so it is used only on request, and not where times are compared with other programs'.
struct AllocationCounter {
    private typealias Count = @convention(c) () -> UInt64
    private typealias Check = @convention(c) () -> Bool

    /// Nil in a process that does not count.
    static let shared = AllocationCounter()

    private let current: Count

    private init?() {
        // The whole process: what was loaded first comes first.
        let process = unsafe dlopen(nil, RTLD_NOW)
        guard let current = unsafe dlsym(process, "allocations_of_this_thread"),
            let check = unsafe dlsym(process, "allocations_are_counted"),
            unsafe unsafeBitCast(check, to: Check.self)()
        else { return nil }
        self.current = unsafe unsafeBitCast(current, to: Count.self)
    }

    var count: UInt64 { current() }

    /// Restarts this program in a process that counts. Returns in one that does, and if there is none.
    static func preload() {
        guard shared == nil, unsafe getenv("LD_PRELOAD") == nil,
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        else { return }
        let library = URL(fileURLWithPath: program).deletingLastPathComponent().appending(path: "libCAllocations.so")
            .path
        guard FileManager.default.fileExists(atPath: library) else { return }
        unsafe setenv("LD_PRELOAD", library, 1)
        unsafe execv(program, CommandLine.unsafeArgv)
        unsafe unsetenv("LD_PRELOAD")
    }
}
