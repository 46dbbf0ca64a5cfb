// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock
import TernTLS

/// What is trusted in servers of one kind, origins or proxies: anchors, versions, the client's certificates, the policies,
/// and the TLS context, which is made when the first https connection needs it. Other settings are another object.
final class TrustSettings: Sendable {
    let tls: TLSSettings
    /// The certificates of the client for single hosts, in place of that of ``tls``.
    let identities: [ClientIdentity]
    let manager: ServerTrustPolicyManager?
    /// Tells these settings from all others.
    let identity = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    private let lazyContext: LazyContext

    /// - Parameters:
    ///   - identities: the certificates of the client for single hosts.
    ///   - policies: nil for the default policy.
    convenience init(tls: TLSSettings, identities: [ClientIdentity] = [], policies: ServerTrustPolicyManager?) {
        self.init(tls, identities, policies, LazyContext(tls))
    }

    private init(
        _ tls: TLSSettings, _ identities: [ClientIdentity], _ manager: ServerTrustPolicyManager?, _ context: LazyContext
    ) {
        (self.tls, self.identities, self.manager, lazyContext) = (tls, identities, manager, context)
    }

    /// The same with other policies.
    func replacing(policies: ServerTrustPolicyManager?) -> TrustSettings {
        TrustSettings(tls, identities, policies, lazyContext)
    }

    /// All but policies, with its context.
    struct Replacement: Sendable {
        fileprivate let tls: TLSSettings
        fileprivate let identities: [ClientIdentity]
        fileprivate let context: TLSContext
    }

    /// What makes settings of others; nil if they are these. Blocks.
    func replacement(by tls: TLSSettings, identities: [ClientIdentity] = []) throws(TLSError) -> Replacement? {
        if self.tls == tls, self.identities == identities { return nil }
        return Replacement(tls: tls, identities: identities, context: try TLSContext(tls))
    }

    /// Other settings with the same policies.
    func replacing(by other: Replacement) -> TrustSettings {
        TrustSettings(other.tls, other.identities, manager, LazyContext(other.context))
    }

    /// The client's certificate for a host, in place of that of the context; nil for none of its own.
    func identity(forHost host: String) -> ClientIdentity? { identities.first { $0.isIntended(for: host) } }

    /// The policy for `host`; without an entry, the default policy with a name check, or a refusal.
    func decision(forHost host: String) throws(TLSError) -> TrustDecision {
        do throws(TrustFailure) {
            let policy = try manager?.requiredPolicy(forHost: host) ?? .performDefaultEvaluation(validateHost: true)
            return TrustDecision(
                policy: policy,
                rules: ChainRules(
                    profile: manager?.profile ?? tls.profile,
                    maximumPathDepth: manager?.maximumPathDepth ?? tls.maximumPathDepth),
                onPinFailure: manager?.onPinFailure, rehearsal: manager as? TrustRehearsal)
        } catch {
            throw TLSError(.trust(error))
        }
    }

    /// The context, if it exists already.
    var readyContext: TLSContext? { lazyContext.ready }

    /// Calls `completion` with the context: at once if it exists, else from a background thread, because loading the
    /// system's anchors takes milliseconds that a reactor cannot afford.
    func context(_ completion: @escaping LazyContext.Completion) { lazyContext.get(completion) }
}

/// The policy of one server, with what belongs to it.
struct TrustDecision: Sendable {
    let policy: ServerTrustPolicy
    let rules: ChainRules
    let onPinFailure: (@Sendable (PinFailureReport) -> Void)?
    let rehearsal: TrustRehearsal?
}

/// A TLS context that is made when it is needed.
final class LazyContext: Sendable {
    typealias Completion = @Sendable (Result<TLSContext, TLSError>) -> Void

    private enum State {
        /// Not requested yet. To `loading`.
        case unused(TLSSettings)
        /// To `made`.
        case loading([Completion])
        case made(Result<TLSContext, TLSError>)
    }

    private let state: Lock<State>

    init(_ settings: TLSSettings) { state = Lock(.unused(settings)) }

    init(_ context: TLSContext) { state = Lock(.made(.success(context))) }

    var ready: TLSContext? {
        state.withLock { if case .made(.success(let context)) = $0 { context } else { nil } }
    }

    func get(_ completion: @escaping Completion) {
        let (made, needed) = state.withLock { state -> (Result<TLSContext, TLSError>?, TLSSettings?) in
            switch state {
            case .unused(let settings):
                state = .loading([completion])
                return (nil, settings)
            case .loading(let waiting):
                state = .loading(waiting + [completion])
                return (nil, nil)
            case .made(let outcome): return (outcome, nil)
            }
        }
        if let made { completion(made) }
        if let needed { WorkThreads.computing.run { self.make(needed) } }
    }

    private func make(_ settings: TLSSettings) {
        let outcome = Result { () throws(TLSError) in try TLSContext(settings) }
        let waiting = state.withLock { state -> [Completion] in
            let waiting = if case .loading(let waiting) = state { waiting } else { [Completion]() }
            state = .made(outcome)
            return waiting
        }
        for completion in waiting { completion(outcome) }
    }
}
