// SPDX-License-Identifier: Apache-2.0
package import TernIO

/// A part of an attempt's time. The phases of an attempt follow each other without a gap, from its start to its end.
package struct AttemptPhase: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Waiting for the rate, for a connection, or for a proxy's login to be sent again.
        case blocked
        case dns
        /// Connecting, through proxies if there are any, without ``tls``.
        case connect
        case tls
        case send
        case wait
        case receive
    }

    package let kind: Kind
    package let start: MonotonicInstant
    package let end: MonotonicInstant
}

extension AttemptMetrics {
    /// Its phases in order, those that did not occur left out.
    ///
    /// - Parameters:
    ///   - failed: the connection that was opened for it, and was not there.
    ///   - start: its start, for an observer whose task began later: the clock of a tick may be behind.
    package func phases(failed: FailedConnectionMetrics?, since start: MonotonicInstant) -> [AttemptPhase] {
        let end = end ?? start
        var phases = Phases(start: start, limit: connectionAcquired ?? end)
        if connectionAcquired == nil, let failed {
            phases.append(.blocked, until: failed.start)
            phases.append(.dns, until: failed.resolved ?? end)
            if failed.resolved != nil { phases.append(.connect, until: failed.connected ?? end) }
            // Behind it a tunnel or a handshake has failed.
            if failed.connected != nil { phases.append(failed.phase == .tls ? .tls : .connect, until: end) }
            return phases.all
        }
        // The time of a connection that was open before is not the attempt's.
        if let connection, !isConnectionReused, connection.secured ?? connection.connected > start {
            phases.append(.blocked, until: connection.start)
            phases.append(.dns, until: connection.resolved)
            phases.append(.connect, until: connection.connected)
            if let secured = connection.secured { phases.append(.tls, until: secured) }
        }
        phases.append(.blocked, until: connectionAcquired ?? end)
        guard connectionAcquired != nil else { return phases.all }
        phases.limit = end
        // A server may answer before it has the whole request.
        let sent = min(requestSent ?? responseStart ?? end, responseStart ?? end)
        phases.append(.send, until: sent)
        if requestSent != nil || responseStart != nil { phases.append(.wait, until: responseStart ?? end) }
        if responseStart != nil { phases.append(.receive, until: end) }
        return phases.all
    }

    private struct Phases {
        private(set) var all: [AttemptPhase] = []
        private var now: MonotonicInstant
        var limit: MonotonicInstant

        init(start: MonotonicInstant, limit: MonotonicInstant) { (now, self.limit) = (start, limit) }

        /// Connections have times from before the attempt; clocks of ticks may be behind.
        mutating func append(_ kind: AttemptPhase.Kind, until end: MonotonicInstant) {
            let end = max(now, min(end, limit))
            if kind != .blocked || end > now { all.append(AttemptPhase(kind: kind, start: now, end: end)) }
            now = end
        }
    }
}
