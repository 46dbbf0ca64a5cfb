// SPDX-License-Identifier: Apache-2.0
// Safety: pointers live for the call, with their own size.
import TernIO

@testable import TernEngine

/// Takes what is sent, as much of it as a test allows.
final class MeteredByteSink: ByteSink {
    var isSecure = false
    /// How much it takes by one call.
    var atOnce = Int.max
    /// How much it takes before it must be waited for.
    var room = Int.max
    private(set) var taken: [UInt8] = []
    /// How often it was offered something.
    private(set) var offers = 0
    /// How much of what it has taken came from files.
    private(set) var takenFromFiles = 0

    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        offers += 1
        let piece = unsafe bytes.prefix(min(atOnce, room))
        unsafe taken.append(contentsOf: piece)
        unsafe room -= piece.count
        return unsafe piece.count
    }

    func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult {
        offers += 1
        var piece = [UInt8](repeating: 0, count: min(count, atOnce, room))
        let read = unsafe piece.withUnsafeMutableBytes { piece in
            Result { () throws(SystemCallError) in try unsafe file.read(into: piece, at: offset) }
        }
        guard case .bytes(let count) = try read.get() else { return try read.get() }
        taken += piece.prefix(count)
        room -= count
        takenFromFiles += count
        return .bytes(count)
    }
}
