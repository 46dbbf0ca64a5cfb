// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension ContentCoding {
    /// Whether a body is not coded.
    static func isIdentity(_ head: ResponseHead) -> Bool {
        head.values(for: "Content-Encoding").allSatisfy { value in
            value.utf8.split(separator: UInt8(ascii: ",")).allSatisfy { ["", "identity"].contains(name(in: $0)) }
        }
    }
}
