// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
public import TernHTTP1
public import TernIO

/// The content of a request, and whether it can be sent again: for a redirect (RFC 9110 §15.4.8) or on another
/// connection.
public enum RequestBody: Sendable {
    /// These bytes. Can be sent again.
    case data(Data)
    /// The file at this path, with its length when the request begins. Read in chunks, and on plain connections sent by
    /// the kernel without a copy (sendfile(2)). Can be sent again. A file that becomes shorter while it is sent fails
    /// the request. A file with content that reports a length of zero, such as those in /proc, is read to its end and
    /// sent in chunks.
    case file(path: String)
    /// The content of the sources that `make` creates, one for each time it is sent. With a `length`, in bytes, it is
    /// announced and must be exact: a source that has returned as much, and has nothing ready then, is not called
    /// again. Without one it is sent in chunks (RFC 9112 §7.1).
    case stream(length: Int? = nil, make: @Sendable () throws -> any BodySource)
    /// The content of this source, once: a redirect that would send it again fails, a refusal after which it would be
    /// sent again is the answer, and a second task with a copy of the request fails. Content that no connection has begun
    /// to read is sent in either case.
    case once(any BodySource, length: Int? = nil)

    /// Whether it can be read from its beginning again.
    var isReplayable: Bool {
        switch self {
        case .data, .file, .stream: true
        case .once: false
        }
    }

    /// Its length in bytes as far as it is known without reading it: a file's as the file system states it now. -1 if it
    /// is unknown.
    var expectedLength: Int64 {
        guard case .file(let path) = self else { return announcedLength.map(Int64.init) ?? -1 }
        // To C a path ends at a NUL. A file without a size may have content.
        guard !path.utf8.contains(0), let status = FileStatus(of: path), status.kind == .regular, status.length > 0
        else { return -1 }
        return status.length
    }

    /// Its length in bytes, if the value states it: that of a file is in the file system.
    package var announcedLength: Int? {
        switch self {
        case .data(let data): data.count
        case .stream(let length, _), .once(_, let length): length
        case .file: nil
        }
    }
}

extension RequestBody {
    /// The chunks of an asynchronous sequence, at most one read ahead. Each time it is sent, `make` is called for one.
    public static func sequence<Pieces: AsyncSequence & Sendable>(
        length: Int? = nil, make: @escaping @Sendable () throws -> Pieces
    ) -> RequestBody where Pieces.Element == Data {
        .stream(length: length) { try SequenceSource(make()) }
    }

    /// The chunks of an asynchronous sequence that can be read once.
    public static func sequence<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, length: Int? = nil
    ) -> RequestBody where Pieces.Element == Data {
        .once(SequenceSource(pieces), length: length)
    }
}

/// Why the content of a request could not be sent completely. The connection is closed.
public enum RequestBodyError: Error, Sendable {
    /// The source ended, or the file became shorter, before the announced length, in bytes.
    case tooShort(missing: Int)
    /// The source returned more bytes than announced.
    case tooLong(excess: Int)
    /// The source failed with this error, or could not be created.
    case failed(any Error)
    /// The source can be read once, and another exchange has begun to, or its task is over.
    case alreadyUsed
    /// The file cannot be read.
    case unreadable(SystemCallError, path: String)
    /// The source's trailer fields cannot be sent: a field that is not allowed there, or an announced length.
    case unencodable(HTTPProtocolError)
}

extension RequestBodyError: CustomStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .tooShort(let missing): "it ended \(missing) bytes before its announced length"
        case .tooLong(let excess): "it is \(excess) bytes longer than announced"
        case .failed(let error): "its source failed: \(error)"
        case .alreadyUsed: "its source can be read only once, and has been read"
        case .unreadable(let error, let path): "its file \(path.excerpt) cannot be read: \(error)"
        case .unencodable(let error): "\(error)"
        }
    }
}
