// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock

/// Shows the progress of a download: a bar on a terminal, and otherwise a line for each tenth, so that a log stays
/// short.
final class DownloadProgress: Sendable {
    private struct Tenths {
        var length: Int?
        var told = 0

        /// Whether another tenth is complete.
        mutating func advance(to received: Int) -> Int? {
            guard let length, length > 0 else { return nil }
            let tenths = Int(min(10, 10 * Double(received) / Double(length)))
            // The last tenth is reported with the file.
            guard tenths > told, tenths < 10 else { return nil }
            told = tenths
            return tenths
        }
    }

    private let display = ProgressDisplay()
    private let tenths = Lock(Tenths())

    /// - Parameters:
    ///   - length: the length of the whole; nil if it is unknown.
    ///   - offset: the offset at which the download begins.
    func start(length: Int?, from offset: Int = 0) {
        if let display { return display.start(length: length, from: offset) }
        tenths.withLock { tenths in
            tenths.length = length
            _ = tenths.advance(to: offset)
        }
    }

    func advance(to received: Int) {
        if let display { return display.advance(to: received) }
        let (told, length) = tenths.withLock { ($0.advance(to: received), $0.length) }
        if let told, let length { StandardStreams.tell("\(told)0 % of \(ProgressLine.size(Double(length)))") }
    }

    func finish() { display?.finish() }
}
