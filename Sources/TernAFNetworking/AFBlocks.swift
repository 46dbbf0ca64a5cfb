// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import TernLock

/// The blocks of a manager that its session's hub does not have.
final class AFBlocks: Sendable {
    struct Blocks {
        var sessionInvalid: (@Sendable (Session, (any Error)?) -> Void)?
        var becameDownload: (@Sendable (Session, SessionDataTask, SessionDownloadTask) -> Void)?
        var fileFinished: (@Sendable (Session, SessionDownloadTask, URL) -> URL?)?
    }

    private let blocks = Lock(Blocks())

    subscript<Block: Sendable>(_ path: WritableKeyPath<Blocks, Block?>) -> Block? {
        get { blocks.withLock { $0[keyPath: path] } }
        set { blocks.replace(path, with: newValue) }
    }
}
