// SPDX-License-Identifier: Apache-2.0
// Safety: the kernel is told the size of the words that are lent to it for the call.
import CTernLinux

/// Unpredictable random numbers. One system call gets 64 of them, where Swift's generator makes a call for each.
package struct RandomWords {
    // The kernel gives up to 256 bytes whole, or fails.
    private var words = InlineArray<64, UInt32>(repeating: 0)
    private var left = 0

    package init() {}

    package mutating func next() -> UInt32 {
        if left == 0 {
            var words = self.words.mutableSpan
            let count = unsafe words.withUnsafeMutableBytes { unsafe getrandom($0.baseAddress, $0.count, 0) }
            left = max(0, count) / MemoryLayout<UInt32>.size
        }
        // A kernel without that call has a file in its place, which Swift's generator reads.
        if left == 0 { return .random(in: .min ... .max) }
        left -= 1
        return words[left]
    }
}
