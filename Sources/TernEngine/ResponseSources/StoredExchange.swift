// SPDX-License-Identifier: Apache-2.0
// Safety: the buffer is lent for one call.
import TernHTTP1
import TernIO

/// A stored response as the answer to a hop.
struct StoredAnswer: CarrierSource {
    let head: ResponseHead
    let content: StoredContent
    /// The part of the content that is delivered.
    let range: Range<Int64>
    /// Called if the content cannot be read, or does not match its checksum.
    var whenDamaged: (@Sendable () -> Void)?
    /// Whether it is delivered though the time of the task is up.
    var isUntimed = false

    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines) {
        let deadlines = isUntimed ? Deadlines(limits: Timeouts(), start: deadlines.start) : deadlines
        StoredExchange(self, delegate, loop, deadlines).begin()
    }
}

/// Delivers a stored response. A file is read on its queue, one window ahead of what is delivered.
private final class StoredExchange: SourcedExchange, @unchecked Sendable {
    /// Up to this length a file is compared with its checksums as a whole before its head is delivered: the server can be
    /// asked in its place then. A longer one would keep its reader waiting.
    private static let maximumCheckedLength: Int64 = 16 * 1024 * 1024

    /// The window of a file that follows the present one.
    private enum NextWindow {
        case unread
        case reading
        case read([UInt8])
        /// It cannot be read.
        case damaged
    }

    private let answer: StoredAnswer
    private var offset: Int64
    /// The bytes of a file from `offset`.
    private var window: [UInt8] = []
    private var windowRange = 0..<0
    private var next = NextWindow.unread

    init(_ answer: StoredAnswer, _ delegate: any ExchangeDelegate, _ loop: ReactorLoop, _ deadlines: Deadlines) {
        self.answer = answer
        offset = answer.range.lowerBound
        super.init(delegate, loop, deadlines)
    }

    override func deliverNext(_ allowance: inout TickAllowance) -> Progress {
        guard fill() else { return .waiting }
        if !isHeadDelivered { return deliver(answer.head, &allowance) }
        if offset == answer.range.upperBound { return deliverEnd(&allowance) }
        let (taken, progress): (Int, Progress)
        switch answer.content {
        case .bytes(let bytes):
            let left = Int(clamping: offset)..<Int(clamping: answer.range.upperBound)
            (taken, progress) = deliver(bytes.span.extracting(left), &allowance)
        case .file:
            (taken, progress) = deliver(window.span.extracting(windowRange), &allowance)
            windowRange = (windowRange.lowerBound + taken)..<windowRange.upperBound
        }
        offset += Int64(taken)
        return progress
    }

    /// Takes the next window of a file. Returns false if it is not read yet; and if it cannot be read, which ends the
    /// exchange.
    private func fill() -> Bool {
        guard case .file(let file) = answer.content, windowRange.isEmpty, offset < answer.range.upperBound else {
            return true
        }
        switch next {
        case .unread:
            read(file, at: offset)
            return false
        case .reading: return false
        case .read(let bytes):
            (window, windowRange) = (bytes, bytes.indices)
            next = .unread
            let end = offset + Int64(bytes.count)
            if end < answer.range.upperBound { read(file, at: end) }
            return true
        case .damaged:
            answer.whenDamaged?()
            // Before the head the response source may have the server asked.
            finish(.transfer(.damagedCache))
            return false
        }
    }

    private func read(_ file: CacheFile, at offset: Int64) {
        next = .reading
        let count = min(Int(clamping: answer.range.upperBound - offset), Self.windowSize)
        let range = answer.range
        let isChecked = isHeadDelivered || range.count > Self.maximumCheckedLength
        file.threads.run {
            var bytes = [UInt8](repeating: 0, count: count)
            let isIntact = isChecked || file.isIntact(range, reading: &bytes)
            let read =
                !isIntact ? nil : unsafe bytes.withUnsafeMutableBytes { try? unsafe file.read(into: $0, at: offset) }
            let window: NextWindow
            if let read, read > 0 {
                bytes.removeSubrange(min(read, count)...)
                window = .read(bytes)
            } else {
                window = .damaged
            }
            self.loop.execute {
                self.next = window
                self.arrived()
            }
        }
    }

    override var deadline: Deadlines.Deadline? { deadlines.total }

    override var evidence: Evidence { Evidence(isStored: true, isAnswered: isHeadDelivered) }

    override func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?) { super.carry(delegate, nil) }
}
