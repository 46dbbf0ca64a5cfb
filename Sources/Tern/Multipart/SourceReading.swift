// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernEngine

/// Reads a source from its beginning to its end on the thread it is called on, which waits where the source has nothing
/// ready.
enum SourceReading {
    private static let pieceSize = 64 * 1024

    /// - Throws: what `take` throws, and `AFError` where the source fails.
    static func read(_ source: any BodySource, _ take: (Data) throws -> Void) throws {
        defer { source.finish() }
        let isReady = DispatchSemaphore(value: 0)
        while true {
            switch source.next(atMost: pieceSize, wake: { isReady.signal() }) {
            case .bytes(let bytes): try take(bytes)
            case .later: isReady.wait()
            case .end: return
            case .failed(let error): throw AFError.multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
            }
        }
    }
}
