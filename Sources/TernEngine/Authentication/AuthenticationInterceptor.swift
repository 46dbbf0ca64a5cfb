// SPDX-License-Identifier: Apache-2.0
import Synchronization
public import TernHTTP1
import TernIO
import TernLock

/// Authenticates requests with a credential that it refreshes: once for any number of requests that need it, before the
/// credential expires and after a server has refused it. As in Alamofire 5.
///
/// Set it as ``SessionConfiguration/authentication``. A request whose credential was refused is sent again with the
/// next one, at most twice; the response after that is the answer. A request that a redirect leads to another origin
/// gets no credential.
///
/// Any thread may use it, and sessions may share one.
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: ImmediateAuthentication {
    /// What the authenticator applies.
    public typealias Credential = AuthenticatorType.Credential

    private struct State {
        var credential: Credential?
        /// Identifies the credential; not 0.
        var number: Int32 = 1
        /// The origins that refused the credential. To drop an origin costs one more refusal.
        var refusals: Set<HTTPOrigin> = []
        var past: [MonotonicInstant] = []
        var isRefreshing = false
        /// What waits for the refresh.
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastWaiter: UInt64 = 0

        mutating func replace(_ credential: Credential?) {
            self.credential = credential
            number = number == .max ? 1 : number + 1
            refusals = []
        }
    }

    /// What follows for a request whose credential must be refreshed.
    private enum Step {
        /// The present credential is sent.
        case proceed
        case wait
        case fail(any Error)
    }

    private static var maximumRefusalCount: Int { 256 }

    private let authenticator: AuthenticatorType
    private let refreshWindow: RefreshWindow?
    private let state: Lock<State>
    /// The status codes of responses that refuse a credential.
    public let refusingStatusCodes: Set<Int>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - authenticator: applies and refreshes credentials.
    ///   - credential: the first one; without one every request that needs one fails.
    ///   - refreshWindow: the limit of refreshes; nil for none.
    public init(
        authenticator: AuthenticatorType, credential: Credential? = nil,
        refreshWindow: RefreshWindow? = RefreshWindow()
    ) {
        self.authenticator = authenticator
        self.refreshWindow = refreshWindow
        refusingStatusCodes = authenticator.refusingStatusCodes
        state = Lock(State(credential: credential))
    }

    /// The present credential. A new one counts for all requests that have not been sent, also for those that wait for a
    /// refresh: the result of that refresh is dropped.
    public var credential: Credential? {
        get { state.withLock { $0.credential } }
        set {
            let old = state.withLock { state in
                defer { state.replace(newValue) }
                return state.credential
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Returns the request with the present credential, refreshed if it has to be.
    public func authenticated(
        _ request: URLRequest
    ) async throws(AuthenticationError) -> (request: URLRequest, credentialNumber: Int32)? {
        guard authenticator.authenticates(request) else { return nil }
        let (credential, number) = try await freshCredential(for: try? request.destination.get().origin)
        return authenticated(request, credential, number)
    }

    func authenticatedAtOnce(_ request: URLRequest) -> Result<AuthenticatedRequest?, AuthenticationError>? {
        guard authenticator.authenticates(request) else { return .success(nil) }
        let present = present(for: try? request.destination.get().origin)
        guard let credential = present.credential else { return .failure(.missingCredential) }
        if present.isRefused || credential.requiresRefresh { return nil }
        return .success(authenticated(request, credential, present.number))
    }

    func authenticatedWithoutRefresh(_ request: URLRequest) -> URLRequest? {
        guard let credential = state.withLock({ $0.credential }) else { return nil }
        return authenticated(request, credential, 0).request
    }

    /// As the authenticator identifies the present credential.
    public func credentialIdentity(for request: URLRequest) -> String? {
        guard let credential = state.withLock({ $0.credential }), authenticator.authenticates(request) else {
            return nil
        }
        return authenticator.identity(of: credential)
    }

    private func authenticated(
        _ request: URLRequest, _ credential: Credential, _ number: Int32
    ) -> AuthenticatedRequest {
        var authenticated = request
        authenticator.apply(credential, to: &authenticated)
        return (authenticated, number)
    }

    /// The credential, and whether this origin has refused it.
    private func present(for origin: HTTPOrigin?) -> (credential: Credential?, number: Int32, isRefused: Bool) {
        state.withLock { ($0.credential, $0.number, origin.map($0.refusals.contains) ?? false) }
    }

    /// The next request to this origin that needs a credential refreshes it, unless the refused one has been replaced
    /// already. Returns false, and the refusal is the answer, if the refresh window allows none.
    public func refused(credentialNumber: Int32, by origin: HTTPOrigin) -> Bool {
        state.withLock { state in
            guard state.number == credentialNumber else { return true }
            if state.refusals.count >= Self.maximumRefusalCount { state.refusals.removeFirst() }
            state.refusals.insert(origin)
            return state.isRefreshing || refreshWindow?.hasRoom(.now, after: &state.past) != false
        }
    }

    /// The number of requests that wait for a refresh.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    private func freshCredential(for origin: HTTPOrigin?) async throws(AuthenticationError) -> (Credential, Int32) {
        let (credential, number, isRefused) = present(for: origin)
        guard let credential else { throw .missingCredential }
        let isRequired = credential.requiresRefresh
        guard isRefused || isRequired else { return (credential, number) }
        do {
            try await refreshed(credential, number, isRequired)
        } catch let error as AuthenticationError {
            throw error
        } catch {
            throw .refreshFailed(error)
        }
        // The fresh credential counts even if it asks to be refreshed: it would do so without end.
        let (fresh, freshNumber) = state.withLock { ($0.credential, $0.number) }
        guard let fresh else { throw .missingCredential }
        return (fresh, freshNumber)
    }

    /// Waits until a credential has been refreshed, or the Swift task is cancelled.
    private func refreshed(_ credential: Credential, _ number: Int32, _ isRequired: Bool) async throws {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let next = state.withLock { state in
                    let next = step(&state, credential, number, isRequired)
                    if case .wait = next { state.waiters[waiter] = continuation }
                    return next
                }
                switch next {
                case .proceed: continuation.resume()
                case .wait: break
                case .fail(let error): continuation.resume(throwing: error)
                }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiters.removeValue(forKey: waiter) }
            continuation?.resume(throwing: CancellationError())
        }
    }

    /// Starts the refresh of a credential unless one is running, or the credential has been replaced.
    private func step(_ state: inout State, _ credential: Credential, _ number: Int32, _ isRequired: Bool) -> Step {
        // Under the lock that the cancellation takes too, so either finds the other.
        if Task.isCancelled { return .fail(CancellationError()) }
        if state.isRefreshing { return .wait }
        if state.number != number { return .proceed }
        if let refreshWindow, !refreshWindow.admits(.now, after: &state.past) {
            guard isRequired else { return .proceed }
            return .fail(
                AuthenticationError.excessiveRefresh(
                    maximumAttempts: refreshWindow.maximumAttempts, interval: refreshWindow.interval))
        }
        state.isRefreshing = true
        // Runs to its end even if nothing waits for it: the server may have replaced the credential already.
        Task { await self.refresh(credential, number) }
        return .wait
    }

    private func refresh(_ credential: Credential, _ number: Int32) async {
        let result: Result<Credential, any Error>
        do { result = .success(try await authenticator.refresh(credential)) } catch { result = .failure(error) }
        let (old, waiters) = state.withLock { state -> (Credential?, [UInt64: CheckedContinuation<Void, any Error>]) in
            state.isRefreshing = false
            defer { state.waiters = [:] }
            guard state.number == number, case .success(let fresh) = result else { return (nil, state.waiters) }
            defer { state.replace(fresh) }
            return (state.credential, state.waiters)
        }
        withExtendedLifetime(old) {}
        for waiter in waiters.values { waiter.resume(with: result.map { _ in }) }
    }
}

/// Limits how often an ``AuthenticationInterceptor`` refreshes its credential.
public struct RefreshWindow: Sendable, Hashable {
    /// The length of the window, which ends at the present.
    public var interval: Duration
    /// The maximum number of refreshes within the window, 1 or more.
    public var maximumAttempts: Int

    /// Creates a window; 5 refreshes in 30 seconds by default, as in Alamofire 5.
    public init(interval: Duration = .seconds(30), maximumAttempts: Int = 5) {
        self.interval = interval
        self.maximumAttempts = maximumAttempts
    }

    /// Adds a refresh at `now` to `past`. Returns false, and adds none, if there were too many.
    func admits(_ now: MonotonicInstant, after past: inout [MonotonicInstant]) -> Bool {
        guard hasRoom(now, after: &past) else { return false }
        past.append(now)
        return true
    }

    /// Whether a refresh at `now` would be admitted.
    func hasRoom(_ now: MonotonicInstant, after past: inout [MonotonicInstant]) -> Bool {
        past.removeAll { $0.advanced(by: interval) <= now }
        return past.count < max(1, maximumAttempts)
    }
}
