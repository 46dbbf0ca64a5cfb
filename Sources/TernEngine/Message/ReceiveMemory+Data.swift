// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

extension ReceiveMemory {
    /// A part of what is filled, which keeps all of it, and is lent as long as anybody has it.
    func data(_ range: Range<Int>) -> Data {
        guard let filled = unsafe filled(range), let base = filled.baseAddress else { return Data() }
        beginBorrow()
        return unsafe Data(bytesNoCopy: base, count: filled.count, deallocator: .custom { _, _ in self.endBorrow() })
    }

    /// All that is filled; the memory goes with it.
    func takeAll() -> Data {
        guard let all = unsafe release(), let base = all.baseAddress else { return Data() }
        return unsafe Data(bytesNoCopy: base, count: all.count, deallocator: .free)
    }
}
