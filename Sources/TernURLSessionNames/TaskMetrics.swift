// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation
import TernLock

extension TaskMetrics {
    /// ``TernEngine/ResourceFetchType``
    public typealias ResourceFetchType = TernEngine.ResourceFetchType

    /// By what names were resolved.
    public enum DomainResolutionProtocol: Int, Sendable {
        /// By the system.
        case unknown
        /// By DNS over UDP.
        case udp
        /// By DNS over TCP.
        case tcp
        /// By DNS over TLS.
        case tls
        /// By DNS over HTTPS.
        case https
    }

    /// ``TernEngine/TaskMetrics/hops``
    public var transactionMetrics: [HopMetrics] { hops }

    /// From `resume()` to the end; until now for a task that has not ended.
    public var taskInterval: DateInterval {
        let clock = WallClock()
        let start = clock.date(of: start)
        return DateInterval(start: start, end: max(start, clock.date(of: end ?? .now)))
    }
}

// The dates are those of the wall clock at present: if it was set since, they have moved with it.
extension HopMetrics {
    /// The response of the hop; nil if there was none. That of a server is an ``TernEngine/HTTPURLResponse``.
    public var response: (any URLResponse)? { httpResponse?.shown }

    /// The hop began.
    public var fetchStartDate: Date? { WallClock().date(of: start) }
    /// The host's name was to be resolved. Nil for a connection that was open before.
    public var domainLookupStartDate: Date? { opening { $0.start } }
    /// It was resolved. Nil likewise.
    public var domainLookupEndDate: Date? { opening { $0.resolved } }
    /// The connection was to be opened. Nil likewise.
    public var connectStartDate: Date? { opening { $0.resolved } }
    /// TLS began. Nil likewise, and without TLS.
    public var secureConnectionStartDate: Date? { opening { $0.secured == nil ? nil : $0.connected } }
    /// TLS was ready. Nil likewise.
    public var secureConnectionEndDate: Date? { opening { $0.secured } }
    /// The connection was open, with TLS if there is any. Nil likewise.
    public var connectEndDate: Date? { opening { $0.secured ?? $0.connected } }
    /// The request began to be sent.
    public var requestStartDate: Date? { WallClock().date(ifKnown: connectionAcquired) }
    /// The request was sent.
    public var requestEndDate: Date? { WallClock().date(ifKnown: requestSent) }
    /// The first byte of the response arrived.
    public var responseStartDate: Date? { WallClock().date(ifKnown: responseStart) }
    /// The response was complete.
    public var responseEndDate: Date? { WallClock().date(ifKnown: end) }

    /// `http/1.1`; nil without a connection.
    public var networkProtocolName: String? { connection.map { _ in "http/1.1" } }
    /// Whether the connection led to a proxy.
    public var isProxyConnection: Bool { connection?.isProxyConnection ?? false }
    /// ``TernEngine/HopMetrics/isConnectionReused``
    public var isReusedConnection: Bool { isConnectionReused }
    /// This end of the connection; nil without one.
    public var localAddress: String? { connection?.localAddress?.host }
    /// The port of this end.
    public var localPort: String? { connection?.localAddress?.portText }
    /// The other end of the connection; nil without one.
    public var remoteAddress: String? { connection?.remoteAddress.host }
    /// The port of the other end.
    public var remotePort: String? { connection?.remoteAddress.portText }
    /// The version of TLS; nil without it.
    public var negotiatedTLSProtocolVersion: tls_protocol_version_t? {
        switch connection?.tls?.version {
        case "TLSv1.2": .TLSv12
        case "TLSv1.3": .TLSv13
        default: nil
        }
    }
    /// The cipher suite of TLS; nil without it, and for one that Foundation does not name.
    public var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
        (connection?.tls?.cipher).flatMap { tls_ciphersuite_t(nameInOpenSSL: $0) }
    }
    /// False: Linux tells no kinds of networks apart.
    public var isCellular: Bool { false }
    /// False, likewise.
    public var isExpensive: Bool { false }
    /// False, likewise.
    public var isConstrained: Bool { false }
    /// False: a connection has one path.
    public var isMultipath: Bool { false }
    /// Unknown: the system resolves names.
    public var domainResolutionProtocol: TaskMetrics.DomainResolutionProtocol { .unknown }

    private func opening(_ time: (ConnectionMetrics) -> MonotonicInstant?) -> Date? {
        if isConnectionReused { return nil }
        return WallClock().date(ifKnown: connection.flatMap(time))
    }
}

extension TransportAddress {
    fileprivate var portText: String? { if case .ip(_, let port) = self { "\(port)" } else { nil } }
}

/// A reading of both clocks. All dates are made of one reading as long as nobody sets the wall clock: so they have the order of
/// their instants, and their differences are exact.
private struct WallClock {
    private static let last = Lock(WallClock(instant: .now, today: Date()))

    private let instant: MonotonicInstant
    private let today: Date

    private init(instant: MonotonicInstant, today: Date) { (self.instant, self.today) = (instant, today) }

    init() {
        let reading = WallClock(instant: .now, today: Date())
        self = Self.last.withLock { last in
            if abs(last.date(of: reading.instant).timeIntervalSince(reading.today)) > 0.01 { last = reading }
            return last
        }
    }

    func date(of other: MonotonicInstant) -> Date { today.addingTimeInterval(other.seconds(since: instant)) }

    func date(ifKnown other: MonotonicInstant?) -> Date? { other.map { date(of: $0) } }
}
