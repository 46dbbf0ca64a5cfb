// SPDX-License-Identifier: Apache-2.0
// Any bytes as a list of distrusted certificates, OneCRL's or a CRLSet. Oracle: no trap, no leak; an error names a line or an
// offset that exists; of a list that is read, the union with itself is the list.
import TernTLS

@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    do throws(DistrustedCertificatesError) {
        let list = try DistrustedCertificates(contents: bytes)
        guard list.union(list) == list, list.isEmpty == (list.count == 0) else { fatalError("\(list)") }
    } catch {
        if case .json(let error) = error.reason {
            guard (1...lines).contains(error.line), !error.description.isEmpty else { fatalError("\(error)") }
        } else {
            guard let offset = error.offset, (0...count).contains(offset) else { fatalError("\(error)") }
        }
    }
    return 0
}
