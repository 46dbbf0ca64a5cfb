// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernHTTP1
import TernIO
import TernLock
import TernTLS

/// What a session trusts at one moment, whole: a connection is opened with one such value.
struct TrustValue: Sendable {
    let origins: TrustSettings
    /// The handshakes of proxies offer no identity that is meant for origins.
    let proxies: TrustSettings
    /// A connection of another generation than the current one must not carry a new request.
    let generation: UInt64

    func settings(ofProxies isProxy: Bool) -> TrustSettings { isProxy ? proxies : origins }
}

/// The place of that value. What is built for another one is built before, so that replacing takes no time.
final class TrustCell: Sendable {
    private struct Settings {
        var origins: TrustSettings
        /// Unused where another cell has those of proxies.
        var proxies: TrustSettings
    }

    private let settings: Lock<Settings>
    private let otherProxies: TrustCell?
    private let currentGeneration: TrustGeneration

    init(origins: TrustSettings, proxies: TrustSettings) {
        settings = Lock(Settings(origins: origins, proxies: proxies))
        otherProxies = nil
        currentGeneration = TrustGeneration()
    }

    /// With the proxies of another cell, and its generations.
    init(origins: TrustSettings, proxiesOf other: TrustCell) {
        settings = Lock(Settings(origins: origins, proxies: origins))
        otherProxies = other
        currentGeneration = other.currentGeneration
    }

    var generation: UInt64 { currentGeneration.value }

    var value: TrustValue {
        // First: if settings are replaced in between, the value is of the older generation, and is not used for long.
        let generation = generation
        let own = settings.withLock { $0 }
        return TrustValue(
            origins: own.origins, proxies: otherProxies?.value.proxies ?? own.proxies, generation: generation)
    }

    /// - Parameter change: gets the settings of origins and of proxies, and must not take long.
    func replace(_ change: (inout TrustSettings, inout TrustSettings) -> Void) {
        // The last release of a manager, which may be of the user's class, must not run under the lock.
        let old = settings.withLock { settings in
            let old = settings
            change(&settings.origins, &settings.proxies)
            currentGeneration.advance()
            return old
        }
        withExtendedLifetime(old) {}
    }
}

/// Counts the changes of what is trusted: by a session, and by the sessions of its own requests, which use the same
/// proxies. So one comparison tells whether all servers of a connection were evaluated by current policies.
private final class TrustGeneration: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .acquiring) }

    func advance() { count.add(1, ordering: .releasing) }
}

/// What the library asks and tells about servers of one kind, by sessions of its own.
struct TrustServices: Sendable {
    let revocation: RevocationFetcher
    fileprivate let reporter: PinReporter

    /// - Parameters:
    ///   - revocationSender: sends questions about revocation.
    ///   - reportSender: sends reports about pins.
    init(revocationSender: any RequestSender, reportSender: any RequestSender) {
        revocation = RevocationFetcher(requestSender: revocationSender)
        reporter = PinReporter(requestSender: reportSender)
    }

    /// Sends a report that a server did not match a pin set, and records what a rehearsal said of it.
    ///
    /// - Parameter route: the settings of the report's route; nil for the session's.
    func report(
        _ result: ServerTrustResult, by decision: TrustDecision, of origin: HTTPOrigin, along route: RouteSettings?
    ) {
        decision.rehearsal?.record(result, port: origin.port)
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
}

/// The trust of a session in proxies, which the sessions of its own requests share.
struct ProxyTrust: Sendable {
    let cell: TrustCell
    let services: TrustServices
}

/// The trust of a session: its value, and the services that ask about servers and report them.
final class SessionTrust: Sendable {
    private let cell: TrustCell
    private let ofOrigins: TrustServices
    private let ofProxies: TrustServices
    private let sharesProxies: Bool
    private let session = Lock(WeakRespondent())

    /// - Parameter sharesProxies: whether the services for proxies are another session's.
    init(_ cell: TrustCell, ofOrigins: TrustServices, ofProxies: TrustServices, sharesProxies: Bool = false) {
        (self.cell, self.ofOrigins, self.ofProxies, self.sharesProxies) = (cell, ofOrigins, ofProxies, sharesProxies)
    }

    var value: TrustValue { cell.value }

    /// The current generation: a connection of another one must not carry a new request.
    var generation: UInt64 { cell.generation }

    /// For the sessions of its own requests.
    var proxyTrust: ProxyTrust { ProxyTrust(cell: cell, services: ofProxies) }

    func services(ofProxies isProxy: Bool) -> TrustServices { isProxy ? ofProxies : ofOrigins }

    /// The session, if its delegate may have to be asked.
    var respondent: (any TrustRespondent & Sendable)? {
        get { session.withLock { $0.value } }
        set { session.withLock { $0.value = newValue } }
    }

    /// What takes the place of settings of one kind; nil for what stays.
    struct Change: Sendable {
        var settings: TrustSettings.Replacement?
        /// Sends reports about pins by the new settings.
        var reportSender: (any RequestSender)?
        var policies: ServerTrustPolicyManager??

        fileprivate func apply(to settings: inout TrustSettings) {
            if let other = self.settings { settings = settings.replacing(by: other) }
            if let policies { settings = settings.replacing(policies: policies) }
        }

        fileprivate func apply(to services: TrustServices) {
            if let reportSender { services.reporter.replaceSender(reportSender) }
            // New pins, new reports.
            if policies != nil { services.reporter.reset() }
        }
    }

    /// Replaces at once what is trusted in origins and in proxies. Every earlier connection is outdated.
    func replace(_ origins: Change, _ proxies: Change) {
        cell.replace { ofOrigins, ofProxies in
            origins.apply(to: &ofOrigins)
            proxies.apply(to: &ofProxies)
        }
        origins.apply(to: ofOrigins)
        proxies.apply(to: ofProxies)
    }

    func close() {
        ofOrigins.close()
        if !sharesProxies { ofProxies.close() }
    }
}

private struct WeakRespondent: Sendable {
    weak var value: (any TrustRespondent & Sendable)?
}
