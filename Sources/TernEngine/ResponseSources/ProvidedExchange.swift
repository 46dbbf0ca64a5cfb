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

/// Delivers the response of a provider. What comes from other threads goes through the inbox.
final class ProvidedExchange: SourcedExchange, @unchecked Sendable {
    private let response: QueuedResponse
    private let marks: HeadMarks
    private let inbox = ProvidedInbox()
    /// What is delivered at present, and how much of it has been.
    private var content: (bytes: Data, offset: Int)?

    init(
        _ response: QueuedResponse, _ marks: HeadMarks, _ delegate: any ExchangeDelegate, _ loop: ReactorLoop,
        _ deadlines: Deadlines
    ) {
        (self.response, self.marks) = (response, marks)
        super.init(delegate, loop, deadlines)
    }

    override func began() {
        // Until it is over: then the inbox lets go of it.
        inbox.open { self.loop.execute { self.arrived() } }
        response.start(inbox)
    }

    override func deliverNext(_ allowance: inout TickAllowance) -> Progress {
        if let (bytes, offset) = content {
            let (taken, progress) = deliver(bytes.span.extracting(offset...), &allowance)
            content = offset + taken < bytes.count ? (bytes, offset + taken) : nil
            return progress
        }
        switch inbox.next() {
        case nil: return .waiting
        case .head(let head, let isStorable, let isFollowed)?:
            // What is stored with a coding is decoded when it is delivered: what is provided is not coded.
            marks.note(isStorable: isStorable && !head.contains("Content-Encoding"), isFollowed: isFollowed)
            return deliver(head, &allowance)
        case .redirect(let request, let head)?:
            marks.note(isStorable: false, isFollowed: false, redirect: request)
            return deliver(head, &allowance)
        case .content(let bytes)?:
            content = (bytes, 0)
            return .delivered
        case .end?: return deliverEnd(&allowance)
        case .failure(let reason)?:
            finish(reason)
            return .waiting
        }
    }

    override func ended() {
        content = nil
        // What has told its end is not stopped.
        response.release(stopping: !inbox.close())
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
                ? [] : [.head(response.headOfProvider, isStorable: isStorable, isFollowed: isFollowed)]
        }
    }

    func receive(_ content: Data) { add { Self.head(&$0) + (content.isEmpty ? [] : [.content(content)]) } }

    func redirect(to request: URLRequest, after response: HTTPURLResponse) {
        add { state in
            if state.hasHead.exchange(with: true) { return [] }
            state.hasEnded = true
            return [.redirect(request, response.headOfProvider), .end]
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

extension HTTPURLResponse {
    /// The head, with the URL that the provider has given its response.
    fileprivate var headOfProvider: ResponseHead {
        url.map { head.attached(to: ProviderContext($0, shownAs: otherForm)) } ?? head
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
        case nil, .request, .download, .response, .sessionInvalidated: self = .transfer(.provider(error))
        case let reason?: self = reason
        }
    }
}
