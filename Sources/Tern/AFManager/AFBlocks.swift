// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// The blocks of a manager that are told besides, and replace nothing.
final class AFBlocks: Sendable {
    struct Blocks {
        var sessionInvalid: (@Sendable (Session, (any Error)?) -> Void)?
    }

    private let blocks = Lock(Blocks())

    subscript<Block: Sendable>(_ path: WritableKeyPath<Blocks, Block?>) -> Block? {
        get { blocks.withLock { $0[keyPath: path] } }
        set {
            let old = blocks.withLock { blocks in
                let old = blocks[keyPath: path]
                blocks[keyPath: path] = newValue
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
}
