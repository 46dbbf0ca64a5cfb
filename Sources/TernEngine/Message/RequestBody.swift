// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// The content of a request, and whether it can be sent a second time: for a redirect that asks for it (RFC 9110
/// §15.4.8) or on another connection.
public enum RequestBody: Sendable {
    /// These bytes. Can be sent again.
    case data(Data)
    /// The file at this path, as long as it is when the request begins. Read in pieces, and on plain connections sent
    /// by the kernel without a copy (sendfile(2)). Can be sent again. A file that becomes shorter while it is sent
    /// fails the request. One that has content and says that it has none, such as those in /proc, is read to its end
    /// and sent in chunks.
    case file(path: String)
    /// What the sources say that `make` makes: one for each time it is sent. With a `length`, in bytes, it is announced
    /// and has to be kept: a source that has given as much, and has nothing ready then, is asked no more. Without one
    /// it is sent in chunks (RFC 9112 §7.1).
    case stream(length: Int? = nil, make: @Sendable () throws -> any BodySource)
    /// What this source says, once: a request that has to send it again fails instead, and so does a second task with a
    /// copy of the request.
    case once(any BodySource, length: Int? = nil)

    /// Whether it can be had from its beginning again.
    var isReplayable: Bool {
        switch self {
        case .data, .file, .stream: true
        case .once: false
        }
    }

    /// How long it is, in bytes, as far as it says so itself: a file has to be looked at.
    var announcedLength: Int? {
        switch self {
        case .data(let data): data.count
        case .stream(let length, _), .once(_, let length): length
        case .file: nil
        }
    }
}

extension RequestBody {
    /// The pieces of an asynchronous sequence, one waiting at a time. Each time it is sent, `make` is asked for one.
    public static func sequence<Pieces: AsyncSequence & Sendable>(
        length: Int? = nil, make: @escaping @Sendable () throws -> Pieces
    ) -> RequestBody where Pieces.Element == Data {
        .stream(length: length) { try SequenceSource(make()) }
    }

    /// The pieces of an asynchronous sequence that can be read once.
    public static func sequence<Pieces: AsyncSequence & Sendable>(
        _ pieces: Pieces, length: Int? = nil
    ) -> RequestBody where Pieces.Element == Data {
        .once(SequenceSource(pieces), length: length)
    }
}
