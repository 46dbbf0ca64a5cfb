// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernLock

extension URLRequest {
    /// The maximum that is encoded before it is sent.
    private static let encodedWhole = 64 * 1024

    /// Puts the body in the coding of ``compression``. What cannot be read stays as it is, for its error is that of any
    /// other request.
    mutating func encodeContent() {
        guard let compression, let body else { return }
        let encoded = { @Sendable (source: any BodySource) throws in try EncodedSource(source, compression) }
        switch body {
        case .data(let data) where data.isEmpty: break
        case .data(let data) where data.count <= Self.encodedWhole:
            guard let whole = try? ContentEncoder.encode(data, compression) else { return }
            setEncoded(.data(whole), compression.coding)
        case .data(let data): setEncoded(.stream { try encoded(DataSource(data)) }, compression.coding)
        case .file(let path):
            guard let file = try? FileRange.File(path: path), let reader = try? FileReader(reading: file),
                !reader.isEmpty
            else { return }
            setEncoded(.stream { try encoded(FileReader(reading: file)) }, compression.coding)
        case .stream(_, let make): setEncoded(.stream { try encoded(make()) }, compression.coding)
        case .once(let source, _):
            guard let original = onceSource else { return }
            let once = SingleUseSource(of: original) { source in
                do throws(ContentDecodingError) {
                    return try EncodedSource(source, compression)
                } catch {
                    return FailedSource(source, error)
                }
            }
            setEncoded(.once(source), readOnceBy: once, compression.coding)
        }
    }
}

/// Content in memory, in pieces.
private final class DataSource: BodySource {
    private let data: Data
    private let offset = Lock(0)

    init(_ data: Data) { self.data = data }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        let start = offset.withLock { offset in
            defer { offset = min(data.count, offset + max(1, count)) }
            return offset
        }
        return start == data.count ? .end() : .bytes(data.dropFirst(start).prefix(max(1, count)))
    }

    func finish() {}
}

/// A source for whose coding there was no memory.
private final class FailedSource: BodySource {
    private let source: any BodySource
    private let error: ContentDecodingError

    init(_ source: any BodySource, _ error: ContentDecodingError) { (self.source, self.error) = (source, error) }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece { .failed(error) }

    func finish() { source.finish() }
}
