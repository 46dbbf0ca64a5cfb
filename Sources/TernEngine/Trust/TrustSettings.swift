// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernIO
import TernLock
import TernTLS

/// A session's TLS context, created when the first https connection needs it, and its trust policies.
final class TrustSettings: Sendable {
    typealias Completion = @Sendable (Result<TLSContext, TLSError>) -> Void

    private enum ContextState {
        /// The store has not been requested. To `loading`.
        case unused
        /// To `ready` or `failed`.
        case loading([Completion])
        case ready(TLSContext)
        case failed(TLSError)
    }

    /// What is replaced as a whole, and counts for one context.
    fileprivate final class Parts: Sendable {
        let tls: TLSSettings
        /// The certificates of the client for single hosts, in place of that of the settings.
        let identities: [ClientIdentity]

        init(_ tls: TLSSettings, _ identities: [ClientIdentity]) { (self.tls, self.identities) = (tls, identities) }
    }

    private struct State {
        var parts: Parts
        var context = ContextState.unused
    }

    /// Tells these settings from all others.
    let identity = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    private let policies: Lock<ServerTrustPolicyManager?>
    private let currentGeneration: TrustGeneration
    private let reporter: PinReporter
    let revocation: RevocationFetcher
    private let state: Lock<State>
    private let session = Lock(WeakRespondent())

    /// - Parameters:
    ///   - identities: the certificates of the client for single hosts.
    ///   - others: the settings whose generation is also that of these; nil for a generation of their own.
    ///   - revocationSender: sends questions about revocation.
    ///   - reportSender: sends reports about pins.
    init(
        tls configuration: TLSSettings, identities: [ClientIdentity] = [], policies: ServerTrustPolicyManager?,
        generationOf others: TrustSettings? = nil,
        revocationSender: any RequestSender, reportSender: any RequestSender
    ) {
        state = Lock(State(parts: Parts(configuration, identities)))
        self.policies = Lock(policies)
        currentGeneration = others?.currentGeneration ?? TrustGeneration()
        revocation = RevocationFetcher(requestSender: revocationSender)
        reporter = PinReporter(requestSender: reportSender)
    }

    /// The session, if its delegate may have to be asked.
    var respondent: (any TrustRespondent & Sendable)? {
        get { session.withLock { $0.value } }
        set { session.withLock { $0.value = newValue } }
    }

    /// The policies for new connections. Setting them makes every earlier connection outdated.
    var manager: ServerTrustPolicyManager? {
        get { policies.withLock { $0 } }
        set {
            // The old manager may be a subclass of the user's: it is released outside the lock.
            var replaced = newValue
            policies.withLock { policies in
                swap(&policies, &replaced)
                currentGeneration.advance()
            }
            reporter.reset()
        }
    }

    /// The current generation: a connection of another one must not carry a new request. Taken before the context and
    /// the policies for a connection: if some are replaced in between, the connection is of the older generation.
    var generation: UInt64 { currentGeneration.value }

    /// Anchors, identity, versions.
    var configuration: TLSSettings { parts.tls }

    private var parts: Parts { state.withLock { $0.parts } }

    /// The client's certificate for a host, in place of that of the context; nil for none of its own.
    func identity(forHost host: String) -> ClientIdentity? { parts.identities.first { $0.isIntended(for: host) } }

    /// Other settings with their context.
    struct Replacement: Sendable {
        fileprivate let parts: Parts
        fileprivate let context: TLSContext
    }

    /// What replaces the settings; nil if they are those that there are. Blocks.
    func replacement(by tls: TLSSettings, identities: [ClientIdentity] = []) throws(TLSError) -> Replacement? {
        let parts = parts
        if parts.tls == tls, parts.identities == identities { return nil }
        return Replacement(parts: Parts(tls, identities), context: try TLSContext(tls))
    }

    /// Replaces the settings. Earlier connections are outdated once the generation has advanced.
    ///
    /// - Parameter reportSender: sends reports about pins from now on.
    func replace(by replacement: Replacement, reportSender: any RequestSender) {
        let (waiting, old) = state.withLock { state -> ([Completion], State) in
            let old = state
            state = State(parts: replacement.parts, context: .ready(replacement.context))
            if case .loading(let waiting) = old.context { return (waiting, old) }
            return ([], old)
        }
        reporter.replaceSender(reportSender)
        for completion in waiting { completion(.success(replacement.context)) }
        // The last release of a context must not run under the lock.
        withExtendedLifetime(old) {}
    }

    /// Replaces the policies. Earlier connections are outdated once the generation has advanced.
    func replacePolicies(_ manager: ServerTrustPolicyManager?) {
        var replaced = manager
        policies.withLock { swap(&$0, &replaced) }
        reporter.reset()
    }

    /// Makes every earlier connection outdated.
    func advanceGeneration() { currentGeneration.advance() }

    /// The policy for `host`; without an entry, the default policy with a name check, or a refusal.
    func decision(forHost host: String) throws(TLSError) -> TrustDecision {
        let (manager, generation) = policies.withLock { ($0, self.generation) }
        do throws(TrustFailure) {
            let policy = try manager?.requiredPolicy(forHost: host) ?? .performDefaultEvaluation(validateHost: true)
            return TrustDecision(
                policy: policy,
                rules: ChainRules(
                    profile: manager?.profile ?? configuration.profile,
                    maximumPathDepth: manager?.maximumPathDepth ?? configuration.maximumPathDepth),
                generation: generation, onPinFailure: manager?.onPinFailure, rehearsal: manager as? TrustRehearsal)
        } catch {
            throw TLSError(.trust(error))
        }
    }

    /// Sends a report that a server did not match a pin set, and records what a rehearsal said of it.
    ///
    /// - Parameter route: the settings of the report's route; nil for the session's.
    func report(
        _ result: ServerTrustResult, by decision: TrustDecision, of origin: HTTPOrigin, along route: RouteSettings?
    ) {
        decision.rehearsal?.record(result)
        for set in decision.policy.pinSets {
            guard let report = PinFailureReport(result, port: origin.port, pinSet: set) else { continue }
            reporter.send(report, along: route, to: decision.onPinFailure)
        }
        guard let rehearsed = result.rehearsed else { return }
        for set in decision.policy.rehearsedPinSets {
            let report = PinFailureReport(rehearsed, port: origin.port, pinSet: set, isRehearsed: true)
            if let report { reporter.send(report, along: route, to: decision.onPinFailure) }
        }
    }

    /// Releases the senders: a task that is never started must not keep their threads. Pending reports are sent first.
    func close() {
        revocation.close()
        reporter.close()
    }

    /// The context, if it exists already.
    var readyContext: TLSContext? {
        state.withLock { if case .ready(let context) = $0.context { context } else { nil } }
    }

    /// Calls `completion` with the context: at once if it exists, else from a background thread, because loading the
    /// system's anchors takes milliseconds that a reactor cannot afford.
    func context(_ completion: @escaping Completion) {
        let (outcome, loads) = state.withLock { state -> (Result<TLSContext, TLSError>?, Bool) in
            switch state.context {
            case .unused:
                state.context = .loading([completion])
                return (nil, true)
            case .loading(let waiting):
                state.context = .loading(waiting + [completion])
                return (nil, false)
            case .ready(let context): return (.success(context), false)
            case .failed(let error): return (.failure(error), false)
            }
        }
        if let outcome { completion(outcome) }
        if loads { WorkThreads.computing.run { self.load() } }
    }

    private func load() {
        let parts = parts
        let outcome = Result { () throws(TLSError) in try TLSContext(parts.tls) }
        let waiting = state.withLock { state -> [Completion] in
            // No caller waits any more if the settings were replaced meanwhile, with their context.
            guard case .loading(let waiting) = state.context else { return [] }
            switch outcome {
            case .success(let context): state.context = .ready(context)
            case .failure(let error): state.context = .failed(error)
            }
            return waiting
        }
        for completion in waiting { completion(outcome) }
    }
}

/// Counts the changes of policies and settings: of a session, of its proxies, and of the sessions of its own requests,
/// which use the same proxies. So one comparison tells whether all servers of a connection were evaluated by current policies.
private final class TrustGeneration: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .acquiring) }

    func advance() { count.add(1, ordering: .releasing) }
}

private struct WeakRespondent: Sendable {
    weak var value: (any TrustRespondent & Sendable)?
}

/// The policy of one connection's server, taken from the session's policies at one moment.
struct TrustDecision: Sendable {
    let policy: ServerTrustPolicy
    let rules: ChainRules
    /// The generation of those policies.
    let generation: UInt64
    let onPinFailure: (@Sendable (PinFailureReport) -> Void)?
    let rehearsal: TrustRehearsal?
}
