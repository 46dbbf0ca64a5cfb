// SPDX-License-Identifier: Apache-2.0

internal import CHTTPParser

/// http_parser, driven from C; see `CHTTPParser.c` for its work per message.
@safe
final class CParser: ResponseParser {
    // Made and freed here, and used nowhere else.
    private let readers: OpaquePointer

    init() throws {
        guard let readers = unsafe http_readers_new(parsersPerBatch) else {
            throw PeerUnavailable(reason: "http_parser cannot be set up")
        }
        unsafe self.readers = readers
    }

    deinit { unsafe http_readers_free(readers) }

    /// Nil if the benchmark was built without http_parser, or runs without it.
    static var version: String? { unsafe http_parser_release().map { unsafe String(cString: $0) } }

    func begin() { unsafe http_readers_begin(readers) }

    func read(_ bytes: [UInt8], _ tally: inout parsing_tally) throws {
        let isWhole = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe http_readers_read(readers, buffer.baseAddress, buffer.count, &tally)
        }
        guard isWhole else { throw ParsingFailed(message: "http_parser found no whole response") }
    }
}
