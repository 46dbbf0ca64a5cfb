// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernEngine

/// Reads a source from beginning to end on the calling thread, which blocks while the source has nothing ready.
enum SourceReading {
    private static let pieceSize = 64 * 1024

    /// - Throws: the error of `take`, and `AFError` if the source fails.
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
