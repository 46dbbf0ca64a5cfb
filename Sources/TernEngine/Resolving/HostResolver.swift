// SPDX-License-Identifier: Apache-2.0
public import TernIO
import TernLock

/// Finds the addresses of hosts, in place of the system's look-up: with a name server of the program's own, from a
/// registry of services, or from a cache.
///
/// IP literals, ``AddressOverride``s and the names of this machine (`localhost` and below, RFC 6761 §6.3) are not asked
/// for.
public protocol HostResolver: Sendable {
    /// Returns the addresses of `host` in order of preference; those of another family are left out. Called for each
    /// connection that is opened, in a task of its own, which is cancelled when the connection is not wanted any more:
    /// what it returns then has no effect. ``Timeouts/connect`` ends the wait for a resolver that does not return.
    ///
    /// - Parameters:
    ///   - host: the name in lower case, as in the URL; never an address.
    ///   - family: the addresses that are wanted.
    /// - Throws: the ``SessionError/ConnectingFailure/unresolved(_:)`` of the connection has the error, a `ResolveError` as
    ///   it is. No address is an error, too.
    func addresses(of host: String, family: AddressFamily) async throws -> [IPAddress]
}

/// The system's look-up, getaddrinfo(3), on threads that all of its copies in the process share: for a resolver that
/// answers some names itself. Sessions without a resolver use the same look-up on threads of their own.
public struct SystemResolver: HostResolver {
    private static let resolver = Resolver()

    /// Creates the resolver.
    public init() {}

    public func addresses(of host: String, family: AddressFamily) async throws -> [IPAddress] {
        let addresses = await withCheckedContinuation { continuation in
            Self.resolver.resolve(host: host, port: 0, family: family) { continuation.resume(returning: $0) }
        }
        return try addresses.get().compactMap { address in
            if case .ip(let address, _) = address { address } else { nil }
        }
    }
}

/// A resolver that is a closure.
public struct ClosureResolver: HostResolver {
    private let body: @Sendable (String, AddressFamily) async throws -> [IPAddress]

    /// Creates a resolver that calls `body` with the host and the family.
    public init(_ body: @escaping @Sendable (_ host: String, _ family: AddressFamily) async throws -> [IPAddress]) {
        self.body = body
    }

    public func addresses(of host: String, family: AddressFamily) async throws -> [IPAddress] {
        try await body(host, family)
    }
}

/// One question to asynchronous code of the program's own, which may answer late or never. The question keeps nothing of
/// the connection once it is cancelled.
final class AsyncQuestion<Answer: Sendable>: Sendable {
    typealias Completion = @Sendable (Answer) -> Void

    private struct State {
        var completion: Completion?
        var task: Task<Void, Never>?
    }

    private let state: Lock<State>

    /// Calls `completion` once, on any thread, unless the question is cancelled before.
    init(_ ask: @escaping @Sendable () async -> Answer, _ completion: @escaping Completion) {
        state = Lock(State(completion: completion))
        let task = Task { [weak self] in
            let answer = await ask()
            self?.takeCompletion()?(answer)
        }
        state.withLock { $0.task = task }
    }

    deinit { cancel() }

    func cancel() {
        let task = state.withLock { $0.task.take() }
        task?.cancel()
        // What it holds is released outside of the lock.
        _ = takeCompletion()
    }

    private func takeCompletion() -> Completion? { state.withLock { $0.completion.take() } }
}

/// A question to a resolver of the program's own.
typealias ResolverQuestion = AsyncQuestion<Result<[IPAddress], ResolveError>>

extension ResolverQuestion {
    convenience init(
        to resolver: any HostResolver, about host: String, family: AddressFamily, _ completion: @escaping Completion
    ) {
        self.init({ await resolver.answer(about: host, family: family) }, completion)
    }
}

extension HostResolver {
    fileprivate func answer(about host: String, family: AddressFamily) async -> Result<[IPAddress], ResolveError> {
        do {
            let addresses = try await addresses(of: host, family: family).filter(family.includes)
            if addresses.isEmpty { return .failure(ResolveError(host: host, reason: .unknownHost)) }
            return .success(addresses)
        } catch let error as ResolveError {
            return .failure(error)
        } catch {
            return .failure(ResolveError(host: host, reason: .failure, underlying: error))
        }
    }
}
