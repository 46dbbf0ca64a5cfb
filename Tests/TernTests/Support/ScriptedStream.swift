// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An input stream that reads what a test says, and keeps account of what is done to it.
final class ScriptedStream: InputStream {
    /// What one read comes to.
    enum Outcome: Sendable {
        case bytes([UInt8])
        case end
        case failure(StreamFailure?)
        /// More than there was room for.
        case lie
    }

    private let record: StreamRecord
    private let outcome: @Sendable (_ read: Int) -> Outcome
    private var reads = 0
    private var status = Stream.Status.notOpen
    private var error: StreamFailure?

    /// Reads are counted from 0, and may wait.
    init(_ record: StreamRecord, outcome: @escaping @Sendable (_ read: Int) -> Outcome) {
        self.record = record
        self.outcome = outcome
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { error }
    override var hasBytesAvailable: Bool { status == .open }

    override func open() {
        status = .open
        record.add(.open)
    }

    override func close() {
        status = .closed
        record.add(.close)
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        record.add(.read(len))
        defer { reads += 1 }
        switch outcome(reads) {
        case .bytes(let bytes):
            let count = min(bytes.count, len)
            for index in 0..<count { unsafe buffer[index] = bytes[index] }
            return count
        case .end: return 0
        case .failure(let failure):
            error = failure
            if failure != nil { status = .error }
            return -1
        case .lie: return len + 1
        }
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// Why a stream of a test fails.
struct StreamFailure: Error {}
