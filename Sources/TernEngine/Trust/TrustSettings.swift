// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TernIO
import TernTLS

/// A session's TLS context, made when the first https connection needs it, and its trust policies.
final class TrustSettings: Sendable {
    typealias Completion = @Sendable (Result<TLSContext, TLSError>) -> Void

    private enum State {
        case unused
        case loading([Completion])
        case ready(Result<TLSContext, TLSError>)
    }

    private let configuration: TLSConfiguration
    private let policies: ServerTrustPolicyManager?
    let revocation = RevocationFetcher()
    private let state = Lock(State.unused)

    init(tls configuration: TLSConfiguration, policies: ServerTrustPolicyManager?) {
        self.configuration = configuration
        self.policies = policies
    }

    /// The policy for `host`; without an entry, the system's evaluation with its name check.
    func policy(forHost host: String) -> ServerTrustPolicy {
        policies?.serverTrustPolicy(forHost: host) ?? .performDefaultEvaluation(validateHost: true)
    }

    /// Calls `completion` with the context: at once if it is there, else from a background thread, because loading the
    /// system's anchors takes milliseconds that a reactor does not have.
    func context(_ completion: @escaping Completion) {
        let (ready, loads) = state.withLock { state -> (Result<TLSContext, TLSError>?, Bool) in
            switch state {
            case .ready(let context): return (context, false)
            case .loading(let waiting):
                state = .loading(waiting + [completion])
                return (nil, false)
            case .unused:
                state = .loading([completion])
                return (nil, true)
            }
        }
        if let ready { completion(ready) }
        if loads { DispatchQueue.global(qos: .userInitiated).async { self.load() } }
    }

    private func load() {
        let context = Result { () throws(TLSError) in try TLSContext(configuration) }
        let waiting = state.withLock { state -> [Completion] in
            defer { state = .ready(context) }
            if case .loading(let waiting) = state { return waiting }
            return []
        }
        for completion in waiting { completion(context) }
    }
}
