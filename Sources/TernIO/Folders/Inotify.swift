// SPDX-License-Identifier: Apache-2.0
// Safety: the kernel receives a path and a buffer that live for the call, with their own size; an event is read within
// the bytes that the kernel has written.
import CTernLinux
import TernLibC

/// An instance of inotify(7), whose watches end with it.
final class Inotify: Sendable {
    let descriptor: Descriptor
    /// The entries that count, by watch. None: only what happens to the folder itself.
    private let entries: [Int32: Set<[UInt8]>]

    /// A folder that cannot be watched because it does not exist, or must not be read, is left out.
    ///
    /// - Throws: what keeps the system from watching anything more: the limits of inotify(7), descriptors, memory.
    init(_ folders: [FolderMonitor.Folder]) throws(SystemCallError) {
        let flags = Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)
        let descriptor = Descriptor(owning: try SystemCall.run(.inotifyInit1) { inotify_init1(flags) })
        let number = descriptor.rawValue
        var entries: [Int32: Set<[UInt8]>] = [:]
        for folder in folders where !folder.path.utf8.contains(0) {
            let mask = folder.entries.isEmpty ? Self.ofFolder : Self.ofFolder | Self.ofEntries
            do throws(SystemCallError) {
                let watch = try SystemCall.run(.inotifyAddWatch) {
                    unsafe ByteText.withPath(folder.path) { unsafe inotify_add_watch(number, $0, mask) }
                }
                // Two paths may lead to one folder, which has one watch.
                entries[watch, default: []].formUnion(folder.entries)
            } catch  where [ENOSPC, ENOMEM].contains(error.code) {
                throw error
            } catch {
                continue
            }
        }
        self.descriptor = descriptor
        self.entries = entries
    }

    private static let ofFolder =
        UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR) | UInt32(IN_MASK_ADD)
    /// Without IN_MODIFY: a file that is being written is read once it is closed.
    private static let ofEntries =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM)
        | UInt32(IN_MOVED_TO)

    /// Takes the waiting events, and returns whether one of them counts. Never blocks.
    func takeChanges() throws(SystemCallError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        let number = descriptor.rawValue
        guard case .bytes(let count) = try SystemCall.transfer(.read, { unsafe read(number, &buffer, buffer.count) })
        else { return false }
        return hasChange(buffer[..<count])
    }

    private func hasChange(_ events: ArraySlice<UInt8>) -> Bool {
        var rest = events
        while rest.count >= Self.headLength {
            let watch = Int32(bitPattern: Self.number(in: rest, at: 0))
            let length = Int(Self.number(in: rest, at: 12))
            let name = rest.dropFirst(Self.headLength).prefix(length).prefix { $0 != 0 }
            rest = rest.dropFirst(Self.headLength + length)
            // Without a name it is the folder's own, or of an overflow, which has lost others.
            if name.isEmpty || entries[watch]?.contains(Array(name)) == true { return true }
        }
        return false
    }

    /// `wd`, `mask`, `cookie` and `len`, of four bytes each; the name follows.
    private static let headLength = 16

    private static func number(in event: ArraySlice<UInt8>, at offset: Int) -> UInt32 {
        unsafe event.dropFirst(offset).withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
    }
}
