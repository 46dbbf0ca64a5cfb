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
        StoredExchange(self, delegate, loop, deadlines).start()
    }
}

/// Delivers a stored response: what one event-loop tick allows at a time, and nothing while it is paused. A file is read on
/// its queue, one window ahead of what is delivered. Belongs to its loop's thread, hence `@unchecked Sendable`.
private final class StoredExchange: Carrier, ReadinessHandler, @unchecked Sendable {
    /// The number of bytes that are read from a file at a time.
    private static let windowSize = 128 * 1024
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

    let loop: ReactorLoop
    let connectionMetrics: ConnectionMetrics? = nil
    let isReused = false
    private let answer: StoredAnswer
    private let deadlines: Deadlines
    private var delegate: (any ExchangeDelegate)?
    private var offset: Int64
    /// The bytes of a file from `offset`.
    private var window: [UInt8] = []
    private var windowRange = 0..<0
    private var next = NextWindow.unread
    private var isHeadDelivered = false
    private var isDelivering = false
    private var isScheduled = false
    /// Ends the exchange when the task's time is up; nil if the exchange is over at once.
    private var timer: RegistrationToken?

    init(_ answer: StoredAnswer, _ delegate: any ExchangeDelegate, _ loop: ReactorLoop, _ deadlines: Deadlines) {
        (self.answer, self.delegate, self.loop, self.deadlines) = (answer, delegate, loop, deadlines)
        offset = answer.range.lowerBound
    }

    var isPaused = false { didSet { if oldValue, !isPaused { deliverSoon() } } }

    func start() {
        delegate?.exchangeBegan(on: self)
        deliver()
        // Also one that is paused, or waits for its disk.
        if delegate != nil { watchTime() }
    }

    private func deliverSoon() {
        if isScheduled || isPaused || isDelivering || delegate == nil { return }
        isScheduled = loop.execute {
            self.isScheduled = false
            self.deliver()
        }
    }

    /// Delivers as much as a tick allows.
    private func deliver() {
        if isDelivering || isPaused || delegate == nil { return }
        isDelivering = true
        var allowance = TickAllowance(among: 1)
        let goesOn = advance(&allowance)
        isDelivering = false
        if goesOn { deliverSoon() }
    }

    /// Returns whether there is more to deliver at present.
    private func advance(_ allowance: inout TickAllowance) -> Bool {
        while let delegate, !isPaused {
            guard fill() else { return false }
            if !isHeadDelivered {
                isHeadDelivered = true
                delegate.received(.head(answer.head), of: Span(), &allowance)
            } else if offset == answer.range.upperBound {
                delegate.received(.end(trailers: HeaderFields(), discarded: HeaderFields()), of: Span(), &allowance)
                finish(nil)
                return false
            } else if !deliverContent(to: delegate, &allowance) || allowance.isSpent {
                return true
            }
        }
        return true
    }

    /// Returns false if the delegate takes no more at present.
    private func deliverContent(to delegate: any ExchangeDelegate, _ allowance: inout TickAllowance) -> Bool {
        let left = Int(clamping: answer.range.upperBound - offset)
        let (offered, taken): (Int, Int)
        switch answer.content {
        case .bytes(let bytes):
            let start = Int(clamping: offset)
            offered = min(left, Self.windowSize)
            let span = bytes.span.extracting(start..<(start + offered))
            taken = delegate.received(.body(0..<offered), of: span, &allowance).count(of: offered)
        case .file:
            offered = windowRange.count
            taken = delegate.received(.body(windowRange), of: window.span, &allowance).count(of: offered)
            windowRange = (windowRange.lowerBound + taken)..<windowRange.upperBound
        }
        offset += Int64(taken)
        allowance.spend(max(taken, TickAllowance.event))
        return taken == offered
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
                self.deliver()
            }
        }
    }

    private func watchTime() {
        guard timer == nil, let total = deadlines.total else { return }
        let timer = loop.registerTimer(handler: self)
        self.timer = timer
        loop.setDeadline(total.instant, for: timer)
    }

    func ready(_ readiness: Readiness) {
        if let total = deadlines.total { finish(.timedOut(total.limit)) }
    }

    private func finish(_ reason: SessionError.Reason?) {
        stopWatching()
        delegate.take()?.exchangeEnded(reason, evidence)
    }

    private var evidence: Evidence { Evidence(isStored: true, isAnswered: isHeadDelivered) }

    private func stopWatching() {
        if let timer = timer.take() { loop.deregister(timer) }
    }

    func end(_ reason: SessionError.Reason) { finish(reason) }

    func leave() -> Evidence {
        stopWatching()
        delegate = nil
        return evidence
    }

    func leaveRest() -> Evidence { leave() }

    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?) { self.delegate = delegate }
}
