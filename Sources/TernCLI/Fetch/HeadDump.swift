// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The output of `-D`: the heads of all URLs, one after another. A file is replaced when all have arrived.
final class HeadDump {
    let isStandardOutput: Bool
    private let sink: BodySink
    private var isOpen = false

    init(path: String) throws(OutputError) {
        isStandardOutput = path == "-"
        sink = try BodySink(path: path)
    }

    func write(_ heads: Data) throws {
        if !isOpen { _ = try sink.open() }
        isOpen = true
        try sink.write(heads)
    }

    func finish() throws(OutputError) {
        if isOpen { try sink.finish() }
    }
}
