// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The providers of a session: asks them for each hop, on a queue of its own, because code of the user may block.
final class Providers: ProvidedHops {
    /// The threads of the user's code, apart from those of files: what blocks here delays no other work. Beyond these, hops
    /// wait, for as long as their tasks have time.
    private static let threads = WorkThreads(maximum: 256)

    let areForServers: Bool
    private let providers: [any ResponseProvider]
    private let fields: HopFields

    /// Nil for a session without any.
    init?(of configuration: SessionConfiguration) {
        if configuration.responseProviders.isEmpty { return nil }
        providers = configuration.responseProviders
        areForServers = providers.contains(where: \.isForServers)
        // What the program has set, and not what every session has.
        let usual = SessionConfiguration().httpAdditionalHeaders
        var own = configuration
        own.httpAdditionalHeaders = HeaderFields(
            configuration.httpAdditionalHeaders.filter { field in !usual.contains { $0 == field } })
        own.decodesContent = false
        fields = own.hopFields
    }

    func find(
        for hop: Hop, of request: URLRequest, _ task: any AnyObject & Sendable,
        completion: @escaping @Sendable ((any ProvidedHop)?) -> Void
    ) {
        let queue = SerialQueue(on: Self.threads)
        let asked = asked(hop, request)
        queue.async { [providers] in
            for provider in providers {
                guard let response = provider.response(to: asked, of: task) else { continue }
                return completion(FoundResponse(response, queue))
            }
            completion(nil)
        }
    }

    /// The hop without the fields that every session adds, and with those that the program has the session add, whether a
    /// policy needs to see them or not.
    private func asked(_ hop: Hop, _ request: URLRequest) -> URLRequest {
        var asked = hop.request
        let usual = SessionConfiguration().httpAdditionalHeaders
        let added = hop.request.headers.filter { field in
            request.headers[field.name] != nil || !usual.contains { $0 == field }
        }
        let isCoded = request.headers["Accept-Encoding"] != nil
        asked.headers = HeaderFields(
            added.filter { isCoded || $0.name.lowercased() != "accept-encoding" })
        if let completed = asked.headers.completed(by: fields.fields(for: hop).fields) { asked.headers = completed }
        return asked
    }
}

/// A response that a provider gives, until the task takes it.
private struct FoundResponse: ProvidedHop {
    private let response: QueuedResponse

    init(_ response: any ProvidedResponse, _ queue: SerialQueue) {
        self.response = QueuedResponse(response, on: queue)
    }

    func part(storing cache: (any HopSource)?) -> any HopSource { AnsweredHop(response, storing: cache) }

    func discard() { response.release(stopping: false) }
}

/// The part of a provider in one hop that it answers. A cache, if there is one, stores what it answers with.
private final class AnsweredHop: HopSource {
    private let response: QueuedResponse
    private var cache: (any HopSource)?
    private let marks = HeadMarks()
    /// A stored response answers in place of the provider's.
    private var isStored = false

    init(_ response: QueuedResponse, storing cache: (any HopSource)?) {
        self.response = response
        self.cache = cache
        // The hop is answered whatever is stored: it is not looked up.
        if let cache, case .pass = cache.answer() { return }
        self.cache.take()?.ended()
    }

    var isProvided: Bool { !isStored }
    let additions: [HeaderField] = []
    var status: CacheStatus? { cache?.status }

    func answer() -> SourceAnswer { .answer(ProvidedAnswer(response: response, marks: marks)) }

    func received(_ head: ResponseHead, on connection: ConnectionMetrics?) -> SourceDecision {
        if let request = marks.takeRedirect() { return .redirect(to: request) }
        // What is stored with a coding is decoded when it is delivered: what is provided is not coded.
        guard marks.isStorable, head["Content-Encoding"] == nil else { return .pass }
        switch cache?.received(head, on: connection) {
        case .copy(let tee): return .copy(to: tee)
        case .answer(let carrier):
            isStored = true
            return .answer(carrier)
        case nil, .pass, .resend, .redirect: return .pass
        }
    }

    func follows(_ head: ResponseHead) -> Bool { isStored || marks.isFollowed }

    func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery {
        switch cache?.failed(failure, isOwn: isOwn || isStored) {
        case .answer(let carrier):
            isStored = true
            return .answer(carrier)
        case nil, .pass, .send, .fail: return .pass
        }
    }

    func paused() { cache?.paused() }

    func ended() { cache.take()?.ended() }
}

/// What a provider has said about the last head. On the reactor's thread, hence `@unchecked Sendable`.
final class HeadMarks: @unchecked Sendable {
    private(set) var isStorable = false
    private(set) var isFollowed = true
    private var redirect: URLRequest?

    /// A head comes, and this is said about it.
    ///
    /// - Parameter redirect: the head is a redirect to this; nil for one that is not.
    func note(isStorable: Bool, isFollowed: Bool, redirect: URLRequest? = nil) {
        (self.isStorable, self.isFollowed, self.redirect) = (isStorable, isFollowed, redirect)
    }

    /// Returns where the head is a redirect to, once.
    func takeRedirect() -> URLRequest? { redirect.take() }
}

/// The carrier of a provider's response.
private struct ProvidedAnswer: CarrierSource {
    let response: QueuedResponse
    let marks: HeadMarks

    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines) {
        ProvidedExchange(response, marks, delegate, loop, deadlines).begin()
    }
}
