// SPDX-License-Identifier: Apache-2.0

/// The name of a Unix domain socket: a path, or a name in Linux's abstract namespace, which has no file (unix(7)).
public struct UnixSocketName: Sendable, Hashable, CustomStringConvertible {
    /// The kernel's maximum in bytes. An abstract name shares it with the NUL that precedes it there.
    static let room = 108

    /// Bytes, not characters: two encodings of "é" are two files.
    let bytes: [UInt8]
    /// Whether it is a name in the abstract namespace rather than a path.
    public let isAbstract: Bool

    /// The path of a socket in the file system, of 1 to 108 bytes.
    public init(path: String) throws(InvalidUnixSocketName) {
        let bytes = ByteText.bytes(ofPath: path)
        // C would cut the path off there and reach another socket.
        if bytes.contains(0) { throw .nulInPath }
        try self.init(bytes, isAbstract: false)
    }

    /// Creates a name in the abstract namespace, of 1 to 107 bytes, without the NUL that precedes it in the kernel. A
    /// NUL inside is a byte like any other.
    public init(abstract name: String) throws(InvalidUnixSocketName) {
        try self.init(ByteText.bytes(ofPath: name), isAbstract: true)
    }

    private init(_ bytes: [UInt8], isAbstract: Bool) throws(InvalidUnixSocketName) {
        let limit = isAbstract ? Self.room - 1 : Self.room
        if bytes.isEmpty { throw .empty }
        if bytes.count > limit { throw .tooLong(bytes: bytes.count, limit: limit) }
        self.bytes = bytes
        self.isAbstract = isAbstract
    }

    /// Reads the kernel's form. Nil if there is no name: the socket was never bound, like a client's.
    init?(kernelForm: some Collection<UInt8>) {
        let isAbstract = kernelForm.first == 0
        let name = isAbstract ? Array(kernelForm.dropFirst()) : Array(kernelForm.prefix { $0 != 0 })
        guard let read = try? Self(name, isAbstract: isAbstract) else { return nil }
        self = read
    }

    /// The name in the kernel's form. A path ends with a NUL if there is room for it.
    var kernelForm: [UInt8] {
        isAbstract ? [0] + bytes : bytes.count < Self.room ? bytes + [0] : bytes
    }

    /// The path, or nil for an abstract name.
    public var path: String? { isAbstract ? nil : ByteText.text(ofPath: bytes) }

    /// The path, or an abstract name after an "@", with an "@" for each NUL inside, as in `/proc/net/unix`.
    public var description: String {
        // A relative path may begin with the same character as an abstract name.
        if let path { return path.hasPrefix("@") ? "./" + path : path }
        return "@" + String(decoding: bytes.map { $0 == 0 ? UInt8(ascii: "@") : $0 }, as: UTF8.self)
    }
}

/// Why a text is not a valid name of a Unix domain socket.
public enum InvalidUnixSocketName: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name is empty.
    case empty
    /// Its UTF-8 form is longer than the kernel allows.
    case tooLong(bytes: Int, limit: Int)
    /// A path must not contain a NUL.
    case nulInPath

    /// For example "the name has 120 bytes, the maximum is 108".
    public var description: String {
        switch self {
        case .empty: "the name is empty"
        case .tooLong(let bytes, let limit): "the name has \(bytes) bytes, the maximum is \(limit)"
        case .nulInPath: "the path contains a NUL"
        }
    }
}
