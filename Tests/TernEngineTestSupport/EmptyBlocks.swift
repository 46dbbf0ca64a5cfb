// SPDX-License-Identifier: Apache-2.0
import CTernZlib

@testable import TernEngine

/// Coded bodies that make nothing, and all of whose cost is in what lies between blocks.
enum EmptyBlocks: CaseIterable, Sendable {
    /// Blocks that define codes and end.
    case dynamic
    /// Stored blocks of length 0.
    case stored
    /// gzip members.
    case members
    /// The first in a gzip stream.
    case chained

    var codings: [ContentCoding] { self == .chained ? [.gzip, .gzip] : [.gzip] }

    func body(of count: Int) -> [UInt8] {
        switch self {
        case .dynamic: Self.member(Self.dynamicBlock, count)
        case .stored: Self.member([0, 0, 0, 0xFF, 0xFF], count)
        case .members: Array(repeatElement(ZlibCoder.gzip([]), count: count).joined())
        case .chained: ZlibCoder.gzip(Self.member(Self.dynamicBlock, count))
        }
    }

    /// 258 and 30 codes of its own, and the end of the block; it fills its bytes.
    private static let dynamicBlock: [UInt8] = [
        0x0C, 0x1D, 0x03, 0x40, 0x20, 0x40, 0x2C, 0xDB, 0xB6, 0x6D, 0xDB, 0xB6, 0x6D, 0xDB, 0xB6, 0x6D, 0xDB, 0xB6,
        0x6D,
        0xDB, 0xB6, 0x6D, 0xBB, 0xC7, 0xD9, 0x36, 0xB6, 0x7F,
    ]

    /// A member without content; the last block is a fixed one.
    private static func member(_ block: [UInt8], _ count: Int) -> [UInt8] {
        [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Array(repeatElement(block, count: count).joined())
            + [3, 0] + [UInt8](repeating: 0, count: 8)
    }
}
