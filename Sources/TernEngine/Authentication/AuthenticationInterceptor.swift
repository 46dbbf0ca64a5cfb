// SPDX-License-Identifier: Apache-2.0
import Synchronization
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
public final class AuthenticationInterceptor<AuthenticatorType: Authenticator>: RequestAuthentication {
    /// What the authenticator applies.
    public typealias Credential = AuthenticatorType.Credential

    private struct State {
        var credential: Credential?
        /// Identifies the credential; not 0.
        var number: Int32 = 1
        var isRefused = false
        var past: [MonotonicInstant] = []
        var refresh: Task<Void, any Error>?

        mutating func replace(_ credential: Credential?) {
            self.credential = credential
            number = number == .max ? 1 : number + 1
            isRefused = false
        }
    }

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
        let (credential, number) = try await freshCredential()
        var authenticated = request
        authenticator.apply(credential, to: &authenticated)
        return (authenticated, number)
    }

    /// The next request that needs a credential refreshes it, unless the refused one has been replaced already.
    public func refused(credentialNumber: Int32) {
        state.withLock { if $0.number == credentialNumber { $0.isRefused = true } }
    }

    private func freshCredential() async throws(AuthenticationError) -> (Credential, Int32) {
        let (credential, number, isRefused) = state.withLock { ($0.credential, $0.number, $0.isRefused) }
        guard let credential else { throw .missingCredential }
        guard isRefused || credential.requiresRefresh else { return (credential, number) }
        let refresh = try refresh(credential, number)
        do {
            try await refresh?.value
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

    /// Starts the refresh of a credential, or returns the one that is running; nil if the credential has been replaced.
    private func refresh(_ credential: Credential, _ number: Int32) throws(AuthenticationError) -> Task<
        Void, any Error
    >? {
        try state.withLock { state throws(AuthenticationError) in
            if state.number != number { return state.refresh }
            if let running = state.refresh { return running }
            if let refreshWindow, !refreshWindow.admits(.now, after: &state.past) {
                throw .excessiveRefresh(
                    maximumAttempts: refreshWindow.maximumAttempts, interval: refreshWindow.interval)
            }
            let refresh = Task { try await self.replace(credential, number) }
            state.refresh = refresh
            return refresh
        }
    }

    private func replace(_ credential: Credential, _ number: Int32) async throws {
        let result: Result<Credential, any Error>
        do { result = .success(try await authenticator.refresh(credential)) } catch { result = .failure(error) }
        let old = state.withLock { state -> Credential? in
            state.refresh = nil
            guard state.number == number, case .success(let fresh) = result else { return nil }
            defer { state.replace(fresh) }
            return state.credential
        }
        withExtendedLifetime(old) {}
        _ = try result.get()
    }
}
