// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension RequestBody {
    /// The bytes of `stream`, sent once: `request.content = .inputStream(stream)`. A `length`, in bytes, is announced
    /// and has to be kept; without one it is sent in chunks.
    ///
    /// The stream is opened when the server is ready for its first byte, read on a queue of its own, where it may wait,
    /// at most 64 KB at a time and one piece ahead of the connection, and closed when the request is over: also if it
    /// was never asked for, or was open before. A read that waits keeps its thread, and the stream, until it returns,
    /// even if the request ends before.
    ///
    /// A stream that cannot be opened or read fails the request with ``TernEngine/RequestBodyError/failed(_:)`` and
    /// its `streamError`.
    public static func inputStream(_ stream: sending InputStream, length: Int? = nil) -> RequestBody {
        .once(InputStreamContent(stream), length: length)
    }
}
