// SPDX-License-Identifier: Apache-2.0

extension Collection where Element == UInt8 {
    /// A text without UTF-8's byte order mark at its start, which editors of Windows put in front of what they save. Every
    /// reader of a text in a file begins with this, but for those of PEM: OpenSSL does it.
    package var withoutByteOrderMark: SubSequence { dropFirst(starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) }
}
