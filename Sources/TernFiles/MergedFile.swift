// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC
package import TernSystem

/// A file of records that several processes may share: each change is read, made and written under a lock, and the file
/// is replaced in one step, so that a crash leaves the old one or the new one. Blocks.
package struct MergedFile: Sendable {
    /// Why a file was not read, or not written.
    package enum Failure: Error, Sendable {
        /// The file exists and cannot be read, is no regular file, or is too long.
        case unreadable(SystemCallError)
        /// Another process has kept the file locked for five seconds.
        case locked
        /// The file, or its lock, cannot be written.
        case unwritable(SystemCallError)
        /// Others than the owner of a private file may use it.
        case exposed(mode: UInt32)
        /// A private file belongs to another user.
        case foreign(owner: UInt32)
    }

    private static let lockTimeout = Duration.seconds(5)

    /// Without symbolic links: those stay, and the file behind them is replaced, or created.
    package let path: String
    private let limit: Int
    private let isPrivate: Bool

    /// - Parameters:
    ///   - path: the location; links are followed.
    ///   - limit: the maximum length in bytes.
    ///   - isPrivate: whether a file of another user, or one that others may use, is refused.
    package init(_ path: String, limit: Int, isPrivate: Bool = false) {
        self.path = FilePath.followingLinks(from: path)
        (self.limit, self.isPrivate) = (limit, isPrivate)
    }

    /// Whether something exists at its path.
    package var exists: Bool { FileStatus(of: path) != nil }

    /// The bytes of the file; none if nothing exists at its path.
    package func read() throws(Failure) -> [UInt8] {
        let content: (bytes: [UInt8], permissions: UInt32, owner: UInt32)?
        do throws(SystemCallError) {
            content = try FileContent.readWithAccess(path, limit: limit)
        } catch {
            throw .unreadable(error)
        }
        guard let content else { return [] }
        if isPrivate {
            if content.owner != geteuid() { throw .foreign(owner: content.owner) }
            if content.permissions & 0o077 != 0 { throw .exposed(mode: content.permissions) }
        }
        return content.bytes
    }

    /// Replaces the content by what `change` makes of it. Only the owner may read the file then.
    package func merge(_ change: ([UInt8]) -> [UInt8]) throws(Failure) {
        let lock = try self.lock()
        defer { lock.remove() }
        let content = change(try read())
        do throws(SystemCallError) {
            try OutputFile.replace(path, by: content)
        } catch {
            throw .unwritable(error)
        }
    }

    /// A file of its own, because the file of the records is replaced. Its holder removes it.
    private func lock() throws(Failure) -> OutputFile {
        do throws(SystemCallError) {
            if let file = try OutputFile.locked(path + ".lock", within: Self.lockTimeout) { return file }
        } catch {
            throw .unwritable(error)
        }
        throw .locked
    }
}

extension MergedFile.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let error): "a file of records cannot be read: \(error)"
        case .locked: "another process keeps a file locked"
        case .unwritable(let error): "a file of records cannot be written: \(error)"
        case .exposed(let mode): "others may use a private file (mode \(String(mode, radix: 8)))"
        case .foreign(let owner): "a private file belongs to the user \(owner)"
        }
    }
}
