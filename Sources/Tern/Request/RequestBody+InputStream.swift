// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension RequestBody {
    /// The bytes of `stream`, sent once: `request.body = .inputStream(stream)`. A `length`, in bytes, is announced
    /// and must be exact; without one it is sent in chunks.
    ///
    /// The stream is opened when the server is ready for its first byte. A queue of its own reads it, where it may
    /// block, at most 64 KB at a time and one chunk ahead of the connection. It is closed when the request is over,
    /// even if it was never read, or was open before. A blocked read keeps its thread, and the stream, until it
    /// returns, even if the request ends before.
    ///
    /// A stream that cannot be opened or read fails the request with ``TernEngine/RequestBodyError/failed(_:)`` and
    /// its `streamError`.
    public static func inputStream(_ stream: sending InputStream, length: Int? = nil) -> RequestBody {
        .once(InputStreamContent(stream), length: length)
    }
}
