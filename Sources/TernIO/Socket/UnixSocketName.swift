// SPDX-License-Identifier: Apache-2.0

/// What a Unix domain socket is reached by: a path, or a name in Linux's abstract space, which no file stands for
/// (unix(7)).
public struct UnixSocketName: Sendable, Hashable, CustomStringConvertible {
    /// The bytes that the kernel has room for. An abstract name shares them with the NUL that it begins with there.
    static let room = 108

    /// Bytes, not characters: two spellings of "é" are two files.
    let bytes: [UInt8]
    /// Whether it is a name in the abstract space, and no path.
    public let isAbstract: Bool

    /// The path of a socket in the file system, of 1 to 108 bytes.
    public init(path: String) throws(InvalidUnixSocketName) {
        let bytes = Array(path.utf8)
        // To C the path would end there, and the socket would be another one.
        if bytes.contains(0) { throw .nulInPath }
        try self.init(bytes, isAbstract: false)
    }

    /// A name in the abstract space, of 1 to 107 bytes, without the NUL that it begins with in the kernel. A NUL
    /// inside is a byte like any other.
    public init(abstract name: String) throws(InvalidUnixSocketName) {
        try self.init(Array(name.utf8), isAbstract: true)
    }

    private init(_ bytes: [UInt8], isAbstract: Bool) throws(InvalidUnixSocketName) {
        let limit = isAbstract ? Self.room - 1 : Self.room
        if bytes.isEmpty { throw .empty }
        if bytes.count > limit { throw .tooLong(bytes: bytes.count, limit: limit) }
        self.bytes = bytes
        self.isAbstract = isAbstract
    }

    /// Reads the kernel's form. Nil when there is no name: the socket was never bound, as that of a client.
    init?(kernelForm: some Collection<UInt8>) {
        let isAbstract = kernelForm.first == 0
        let name = isAbstract ? Array(kernelForm.dropFirst()) : Array(kernelForm.prefix { $0 != 0 })
        guard let read = try? Self(name, isAbstract: isAbstract) else { return nil }
        self = read
    }

    /// What the kernel is told. A path ends in a NUL where there is room for it.
    var kernelForm: [UInt8] {
        isAbstract ? [0] + bytes : bytes.count < Self.room ? bytes + [0] : bytes
    }

    /// The path, or nil for an abstract name.
    public var path: String? { isAbstract ? nil : String(decoding: bytes, as: UTF8.self) }

    /// The path, or an abstract name after an "@", with further ones for NULs inside, as in `/proc/net/unix`.
    public var description: String {
        // A relative path may begin like an abstract name.
        if let path { return path.hasPrefix("@") ? "./" + path : path }
        return "@" + String(decoding: bytes.map { $0 == 0 ? UInt8(ascii: "@") : $0 }, as: UTF8.self)
    }
}
