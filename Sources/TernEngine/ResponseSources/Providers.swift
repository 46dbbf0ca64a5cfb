// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// The providers of a session: asks them for each hop, on a queue of its own, because code of the user may block.
final class Providers: ResponseSource {
    /// The threads of the user's code, apart from those of files: what blocks here delays no other work. Beyond these, hops
    /// wait, for as long as their tasks have time.
    private static let threads = WorkThreads(maximum: 256)

    /// Nil for what is registered.
    private let own: [any ResponseProvider]?
    private let fields: HopFields

    /// Nil for a session that has none, and asks none that are registered.
    init?(of configuration: SessionConfiguration) {
        own = configuration.responseProviders
        if own?.isEmpty == true { return nil }
        // What the program has set, and not what every session has.
        let usual = SessionConfiguration().httpAdditionalHeaders
        var own = configuration
        own.httpAdditionalHeaders = HeaderFields(
            configuration.httpAdditionalHeaders.filter { field in !usual.contains { $0 == field } })
        own.decodesContent = false
        fields = own.hopFields
    }

    var isAskedAlways: Bool { own != nil }

    func need(for hop: Hop) -> SourceNeed {
        guard let own else { return RegisteredProvider.exists ? .hop : .nothing }
        return !hop.hasServer || own.contains(where: \.isForServers) ? .hop : .nothing
    }

    /// What is asked is completed here.
    var comparesRequests: Bool { false }

    func part(in sourced: SourcedHop) -> (any HopSource)? { ProvidedHop(sourced, self) }

    fileprivate func find(
        for asked: URLRequest, of task: any AnyObject & Sendable,
        completion: @escaping @Sendable (QueuedResponse?) -> Void
    ) {
        let queue = SerialQueue(on: Self.threads)
        queue.async { [own] in
            for provider in own ?? RegisteredProvider.all {
                guard let response = provider.response(to: asked, of: task) else { continue }
                return completion(QueuedResponse(response, on: queue))
            }
            completion(nil)
        }
    }

    /// The hop without the fields that every session adds, and with those that the program has the session add, whether a
    /// policy needs to see them or not.
    fileprivate func asked(_ hop: Hop, _ request: URLRequest) -> URLRequest {
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

/// The part of the providers in one hop.
private final class ProvidedHop: HopSource {
    private let sourced: SourcedHop
    private let providers: Providers
    /// Nil before they are asked. What is never taken is released on its own queue.
    private var found: LookupResult<QueuedResponse>?
    private(set) var marks: HeadMarks?
    let kind = ResponseSourceKind.protocolClass

    init(_ sourced: SourcedHop, _ providers: Providers) { (self.sourced, self.providers) = (sourced, providers) }

    func answer() -> SourceAnswer {
        guard let found else {
            let found = LookupResult<QueuedResponse>()
            self.found = found
            let asked = providers.asked(sourced.signed, sourced.request)
            return .lookUp { [task = sourced.task, providers] completion in
                providers.find(for: asked, of: task) { response in
                    found.put(response)
                    completion(.ready)
                }
                return {}
            }
        }
        guard let response = found.take() else { return .pass }
        let marks = HeadMarks()
        self.marks = marks
        return .answer(ProvidedAnswer(response: response, marks: marks))
    }
}

/// The carrier of a provider's response.
private struct ProvidedAnswer: CarrierSource {
    let response: QueuedResponse
    let marks: HeadMarks

    func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines) {
        ProvidedExchange(response, marks, delegate, loop, deadlines).begin()
    }
}
