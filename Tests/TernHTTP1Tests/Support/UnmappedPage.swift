// SPDX-License-Identifier: Apache-2.0
import Glibc
import TernHTTP1
import Testing

/// Input that ends where memory ends: reading one byte too far is a crash and not a guess.
enum UnmappedPage {
    static func run(_ script: ResponseScript, _ input: [UInt8]) -> Transcript {
        var transcript = Transcript()
        let page = sysconf(Int32(_SC_PAGESIZE))
        let room = (input.count / page + 1) * page
        // Two mappings in one: `room` bytes to use, and a page behind them that may not be touched.
        guard let base = unsafe mmap(nil, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe base != MAP_FAILED, unsafe mprotect(base + room, page, PROT_NONE) == 0
        else {
            Issue.record("no memory")
            return transcript
        }
        defer { _ = unsafe munmap(base, room + page) }
        let start = unsafe base + (room - input.count)
        unsafe start.copyMemory(from: input, byteCount: input.count)
        let buffer = unsafe UnsafeRawBufferPointer(start: start, count: input.count)
        unsafe buffer.withMemoryRebound(to: UInt8.self) { bytes in
            transcript = unsafe script.run(oneSpan: Span(_unsafeElements: bytes))
        }
        return transcript
    }
}
