// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

extension ReceiveMemory {
    /// A region of the filled part, which retains all of it, and stays borrowed as long as it is referenced.
    func data(_ range: Range<Int>) -> Data {
        guard let filled = unsafe filled(range), let base = filled.baseAddress else { return Data() }
        beginBorrow()
        return unsafe Data(bytesNoCopy: base, count: filled.count, deallocator: .custom { _, _ in self.endBorrow() })
    }

    /// The whole filled part, with its memory.
    func takeAll() -> Data {
        guard let all = unsafe release(), let base = all.baseAddress else { return Data() }
        return unsafe Data(bytesNoCopy: base, count: all.count, deallocator: .free)
    }
}
