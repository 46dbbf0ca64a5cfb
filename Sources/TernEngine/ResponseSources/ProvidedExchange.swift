// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock

/// A provider's response on its queue: the code of the user runs there, and its objects are released there.
final class QueuedResponse: Sendable {
    private let response: Lock<(any ProvidedResponse)?>
    private let queue: SerialQueue

    init(_ response: any ProvidedResponse, on queue: SerialQueue) {
        self.response = Lock(response)
        self.queue = queue
    }

    /// If it was released, nothing starts.
    func start(_ receiver: any ProvidedResponseReceiver) {
        guard let response = response.withLock({ $0 }) else { return }
        queue.async { response.start(receiver) }
    }

    /// Releases it: the first call counts.
    func release(stopping: Bool) {
        guard let response = response.withLock({ $0.take() }) else { return }
        queue.async { if stopping { response.stop() } else { withExtendedLifetime(response) {} } }
    }

    deinit { release(stopping: false) }
}

/// Delivers the response of a provider: what one event-loop tick allows at a time, and nothing while it is paused. Belongs
/// to its loop's thread, hence `@unchecked Sendable`; what comes from other threads goes through the inbox.
final class ProvidedExchange: Carrier, ReadinessHandler, @unchecked Sendable {
    /// The number of bytes that are offered at a time.
    private static let windowSize = 128 * 1024

    let loop: ReactorLoop
    let connectionMetrics: ConnectionMetrics? = nil
    let isReused = false
    private let response: QueuedResponse
    private let marks: HeadMarks
    private let inbox = ProvidedInbox()
    private var deadlines: Deadlines
    private var delegate: (any ExchangeDelegate)?
    /// What is delivered at present, and how much of it has been.
    private var content: (bytes: Data, offset: Int)?
    private var isHeadDelivered = false
    private var isDelivering = false
    private var isScheduled = false
    private let start: MonotonicInstant
    private var lastActivity: MonotonicInstant
    private var count: UInt64 = 0
    private var timer: RegistrationToken?

    init(
        _ response: QueuedResponse, _ marks: HeadMarks, _ delegate: any ExchangeDelegate, _ loop: ReactorLoop,
        _ deadlines: Deadlines
    ) {
        (self.response, self.marks, self.delegate, self.loop) = (response, marks, delegate, loop)
        self.deadlines = deadlines
        start = loop.now
        lastActivity = loop.now
    }

    var isPaused = false {
        didSet {
            if oldValue == isPaused { return }
            // The time until now does not count as idle.
            lastActivity = loop.now
            watchTime()
            if !isPaused { deliverSoon() }
        }
    }

    func begin() {
        delegate?.exchangeBegan(on: self)
        // It may have been ended.
        if delegate == nil { return }
        watchTime()
        // Until it is over: then the inbox lets go of it.
        inbox.open { self.loop.execute { self.arrived() } }
        response.start(inbox)
    }

    /// The provider has given something.
    private func arrived() {
        lastActivity = loop.now
        deliver()
        watchTime()
    }

    private func deliverSoon() {
        if isScheduled || isPaused || isDelivering || delegate == nil { return }
        isScheduled = loop.execute {
            self.isScheduled = false
            self.deliver()
        }
    }

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
            if content != nil {
                if !deliverContent(to: delegate, &allowance) || allowance.isSpent { return true }
                continue
            }
            guard let event = inbox.next() else { return false }
            switch event {
            case .head(let head, let isStorable, let isFollowed):
                marks.note(isStorable: isStorable, isFollowed: isFollowed)
                deliver(head, to: delegate, &allowance)
            case .redirect(let request, let head):
                marks.note(isStorable: false, isFollowed: false, redirect: request)
                deliver(head, to: delegate, &allowance)
            case .content(let bytes): content = (bytes, 0)
            case .end:
                delegate.received(.end(trailers: HeaderFields(), discarded: HeaderFields()), of: Span(), &allowance)
                finish(nil)
                return false
            case .failure(let reason):
                finish(reason)
                return false
            }
        }
        return delegate != nil
    }

    private func deliver(_ head: ResponseHead, to delegate: any ExchangeDelegate, _ allowance: inout TickAllowance) {
        isHeadDelivered = true
        delegate.received(.head(head), of: Span(), &allowance)
        allowance.spend(TickAllowance.event)
    }

    /// Returns false if the delegate takes no more at present.
    private func deliverContent(to delegate: any ExchangeDelegate, _ allowance: inout TickAllowance) -> Bool {
        guard let (bytes, offset) = content else { return true }
        let offered = min(bytes.count - offset, Self.windowSize)
        let span = bytes.span.extracting(offset..<(offset + offered))
        let taken = delegate.received(.body(0..<offered), of: span, &allowance).count(of: offered)
        count += UInt64(taken)
        content = offset + taken < bytes.count ? (bytes, offset + taken) : nil
        allowance.spend(max(taken, TickAllowance.event))
        return taken == offered
    }

    private var deadline: Deadlines.Deadline? {
        deadlines.exchange(
            lastActivity: lastActivity, isPaused: isPaused, unansweredSince: isHeadDelivered ? nil : start)
    }

    private func watchTime() {
        guard delegate != nil else { return }
        guard let deadline else { return stopWatching() }
        let timer = timer ?? loop.registerTimer(handler: self)
        self.timer = timer
        loop.setDeadline(deadline.instant, for: timer)
    }

    private func stopWatching() { if let timer = timer.take() { loop.deregister(timer) } }

    func ready(_ readiness: Readiness) {
        guard let deadline else { return }
        if deadline.instant > .now { return watchTime() }
        finish(.timedOut(deadline.limit))
    }

    /// The first call counts.
    private func finish(_ reason: SessionError.Reason?) {
        guard let delegate = delegate.take() else { return }
        close()
        delegate.exchangeEnded(reason, evidence)
    }

    private func close() {
        stopWatching()
        content = nil
        // What has told its end is not stopped.
        response.release(stopping: !inbox.close())
    }

    private var evidence: Evidence { Evidence(isAnswered: isHeadDelivered, receivedCount: count) }

    func end(_ reason: SessionError.Reason) { finish(reason) }

    func leave() -> Evidence {
        delegate = nil
        close()
        return evidence
    }

    func leaveRest() -> Evidence { leave() }

    func carry(_ delegate: (any ExchangeDelegate)?, _ deadlines: Deadlines?) {
        self.delegate = delegate
        if let deadlines { self.deadlines = deadlines }
        watchTime()
    }
}

/// What a provider has given and the exchange has not delivered.
private final class ProvidedInbox: ProvidedResponseReceiver {
    enum Event: Sendable {
        case head(ResponseHead, isStorable: Bool, isFollowed: Bool)
        case redirect(URLRequest, ResponseHead)
        case content(Data)
        case end
        case failure(SessionError.Reason)
    }

    private struct State: ~Copyable, Sendable {
        var events = WorkQueue<Event>()
        var hasHead = false
        /// The provider has told the end.
        var hasEnded = false
        /// Nothing is taken any more.
        var isClosed = false
        /// Has the loop take what there is; nil before there is an exchange, and after it.
        var wake: (@Sendable () -> Void)?
        /// The loop has been told, and has not looked yet.
        var isAwaited = false
    }

    private let state = Lock(State())

    func open(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    /// Returns whether the provider had told the end.
    func close() -> Bool {
        let (wake, hasEnded) = state.withLock { state in
            state.isClosed = true
            return (state.wake.take(), state.hasEnded)
        }
        // Released without the lock.
        withExtendedLifetime(wake) {}
        while let event = state.withLock({ $0.events.popFirst() }) { withExtendedLifetime(event) {} }
        return hasEnded
    }

    func next() -> Event? {
        state.withLock { state in
            if let event = state.events.popFirst() { return event }
            state.isAwaited = false
            return nil
        }
    }

    private func add(_ form: (inout State) -> [Event]) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            if state.isClosed || state.hasEnded { return nil }
            let events = form(&state)
            if events.isEmpty { return nil }
            for event in events { state.events.append(event) }
            return state.isAwaited.exchange(with: true) ? nil : state.wake
        }
        wake?()
    }

    func receive(_ response: HTTPURLResponse, isStorable: Bool, isFollowed: Bool) {
        add { state in
            state.hasHead.exchange(with: true)
                ? [] : [.head(response.head, isStorable: isStorable, isFollowed: isFollowed)]
        }
    }

    func receive(_ content: Data) { add { Self.head(&$0) + (content.isEmpty ? [] : [.content(content)]) } }

    func redirect(to request: URLRequest, after response: HTTPURLResponse) {
        add { state in
            if state.hasHead.exchange(with: true) { return [] }
            state.hasEnded = true
            return [.redirect(request, response.head), .end]
        }
    }

    func finish() {
        add { state in
            state.hasEnded = true
            return Self.head(&state) + [.end]
        }
    }

    func fail(_ error: any Error) {
        add { state in
            state.hasEnded = true
            return [.failure(SessionError.Reason(ofProvider: error))]
        }
    }

    /// The head of a response whose provider gives none.
    private static func head(_ state: inout State) -> [Event] {
        if state.hasHead.exchange(with: true) { return [] }
        guard let response = try? HTTPURLResponse(url: nil, statusCode: 200) else { return [] }
        return [.head(response.head, isStorable: false, isFollowed: false)]
    }
}

extension Bool {
    /// Sets it. Returns what it was.
    fileprivate mutating func exchange(with value: Bool) -> Bool {
        defer { self = value }
        return self
    }
}

extension SessionError.Reason {
    /// A provider has failed with this error. That of another task is passed on, unless it is about that task's request.
    fileprivate init(ofProvider error: any Error) {
        switch (error as? SessionError)?.reason {
        case nil, .request, .download, .sessionInvalidated: self = .transfer(.provider(error))
        case let reason?: self = reason
        }
    }
}
