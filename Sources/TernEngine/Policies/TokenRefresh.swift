// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernLock

/// Has the session's ``RequestAuthentication`` authenticate each hop to the origin of the original request. A refused
/// credential is followed by a hop with the next one.
///
/// In a session with a response source the hop gets a credential in two steps, because a hop that is answered without the
/// network needs no fresh one: first the hop has the present credential, or its identity, which decides what stored
/// responses may answer; then, if the hop goes to the network, the fresh one.
struct TokenRefresh: HopPolicy {
    /// The number of refusals between two redirects or retries after which the hop is sent again: the first with the next
    /// credential, the second because that credential may have been replaced meanwhile.
    static let maximumRefusalCount = 2

    private struct Memory: PolicyMemory {
        /// The number of the credential in the hop; 0 for none.
        var credentialNumber: Int32 = 0
        var refusals = RecentCount()
        /// Whether the hop must still be authenticated before it goes to the network.
        var isDue = false
        /// Why it cannot be.
        var failure: AuthenticationError?
    }

    private let authentication: any RequestAuthentication
    /// The same, if its credential is usually at hand.
    private let immediate: (any ImmediateAuthentication)?
    private let refusingStatusCodes: Set<Int>
    /// Nil in a session without a response source.
    private let known: KnownCredentials?
    let interests: HopInterests

    /// Nil for a session without authentication.
    init?(of configuration: SessionConfiguration, isAfterSource: Bool = false) {
        guard let authentication = configuration.authentication else { return nil }
        self.authentication = authentication
        immediate = authentication as? any ImmediateAuthentication
        refusingStatusCodes = authentication.refusingStatusCodes
        known = isAfterSource ? KnownCredentials() : nil
        var interests: HopInterests = isAfterSource ? [.preparation, .departure] : .preparation
        interests.insert(refusingStatusCodes.contains { $0 < 300 } ? .allHeads : .unsuccessfulHeads)
        self.interests = interests
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard hop.mayCarryCredentials else { return .ready }
        var memory = history[Memory.self]
        (memory.credentialNumber, memory.isDue, memory.failure) = (0, false, nil)
        history[Memory.self] = memory
        return known == nil ? authenticate(hop.request, memory) : identify(hop.request, memory)
    }

    func depart(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        let memory = history[Memory.self]
        guard memory.isDue else { return .ready }
        history[Memory.self].isDue = false
        if let failure = memory.failure { return .fail(.request(.unauthenticated(failure))) }
        return authenticate(hop.request, memory)
    }

    /// Adds a fresh credential. The authentication runs user code, which a policy may not.
    private func authenticate(_ request: URLRequest, _ memory: Memory) -> HopPreparation {
        .lookUp { completion in
            var memory = memory
            memory.isDue = false
            if let result = immediate?.authenticatedAtOnce(request) {
                completion(preparation(result, memory, request))
                return {}
            }
            let present = memory
            return start(request) { completion(preparation($0, present, request)) }
        }
    }

    private func start(
        _ request: URLRequest,
        _ completion: @escaping @Sendable (Result<AuthenticatedRequest?, AuthenticationError>) -> Void
    ) -> @Sendable () -> Void {
        let task = Task {
            let result: Result<AuthenticatedRequest?, AuthenticationError>
            do throws(AuthenticationError) {
                result = .success(try await authentication.authenticated(request))
            } catch {
                result = .failure(error)
            }
            completion(result)
        }
        return { task.cancel() }
    }

    private func preparation(
        _ result: Result<AuthenticatedRequest?, AuthenticationError>, _ memory: Memory, _ request: URLRequest
    ) -> HopPreparation {
        switch result {
        case .success(nil): return .ready
        case .success((let authenticated, let number)?):
            var memory = memory
            memory.credentialNumber = number
            known?.remember(authenticated, of: request)
            return .change(authenticated, remembering: memory)
        case .failure(let error): return .fail(.request(.unauthenticated(error)))
        }
    }

    /// Adds the present credential, or names it.
    private func identify(_ request: URLRequest, _ memory: Memory) -> HopPreparation {
        .lookUp { completion in
            var due = memory
            due.isDue = true
            if let identity = authentication.credentialIdentity(for: request) {
                completion(.identify(identity, remembering: due))
                return {}
            }
            if let result = immediate?.authenticatedAtOnce(request) {
                completion(preparation(result, memory, request))
                return {}
            }
            if let stale = immediate?.authenticatedWithoutRefresh(request) {
                completion(.change(stale, remembering: due))
                return {}
            }
            let waiting = due
            return start(request) { result in
                guard case .failure(.refreshFailed(let error)) = result, let known = known?.request(like: request)
                else {
                    return completion(preparation(result, memory, request))
                }
                // A stored response may answer under the credential that was not refreshed, and nothing else.
                var memory = waiting
                memory.failure = .refreshFailed(error)
                completion(.change(known, remembering: memory))
            }
        }
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard refusingStatusCodes.contains(Int(head.status)), history.hop.mayCarryCredentials,
            let origin = try? history.hop.request.destination.get().origin
        else { return .pass }
        var memory = history[Memory.self]
        let (number, count) = (memory.credentialNumber, memory.refusals.value(history))
        guard number != 0 else { return .pass }
        memory.refusals.increment(history)
        history[Memory.self] = memory
        let request = history.request
        return .call {
            guard authentication.refused(credentialNumber: number, by: origin), count < Self.maximumRefusalCount else {
                return .pass
            }
            return .next(request)
        }
    }
}

/// The fields that an authentication has added last to the requests of an origin.
private final class KnownCredentials: Sendable {
    private static let maximumCount = 256

    private let fields = Lock<[HTTPOrigin: [HeaderField]]>([:])

    func remember(_ authenticated: URLRequest, of request: URLRequest) {
        guard let origin = try? request.destination.get().origin else { return }
        let added = authenticated.headers.filter { field in !request.headers.contains { $0 == field } }
        fields.withLock { fields in
            if fields.count >= Self.maximumCount, fields[origin] == nil { fields = [:] }
            fields[origin] = added
        }
    }

    /// The request with them; nil if none are known.
    func request(like request: URLRequest) -> URLRequest? {
        guard let origin = try? request.destination.get().origin, let added = fields.withLock({ $0[origin] }) else {
            return nil
        }
        var request = request
        for field in added { request.headers.replace(with: field) }
        return request
    }
}
