// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Long contents, put together from a part whose length is prime, so that no piece which is lost, repeated or moved leaves them as
/// they were. Byte by byte, they would take seconds to make without optimisation.
enum Pattern {
    private static let part = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) })

    static func bytes(_ count: Int) -> Data {
        var bytes = Data(capacity: count + part.count)
        while bytes.count < count { bytes.append(part) }
        return bytes.prefix(count)
    }
}
