// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernTLS

// The facts that all reports tell of a transfer: `-w`, `%{json}`, `--report-json`.
extension Transcript.Contents {
    var hops: [HopMetrics] { metrics?.hops ?? [] }

    var lastHop: HopMetrics? { hops.last }

    /// The last connection, if it was opened for this.
    var opened: ConnectionMetrics? { lastHop?.isConnectionReused == true ? nil : lastHop?.connection }

    /// The last connection, if it was not opened.
    var failed: FailedConnectionMetrics? { lastHop?.connection == nil ? lastHop?.failedConnection : nil }

    /// When the host's addresses were known, for a connection that this opened or failed to open.
    var resolved: MonotonicInstant? { opened?.resolved ?? failed?.resolved }

    /// When such a connection reached the server or a proxy.
    var connected: MonotonicInstant? { opened?.connected ?? failed?.connected }

    var remoteAddress: TransportAddress? { lastHop?.connection?.remoteAddress ?? failed?.remoteAddress }

    /// The verified chain of the last connection, leaf to root.
    var verifiedChain: [X509Certificate] { lastHop?.connection?.verifiedChain ?? [] }

    /// OpenSSL's code (X509_STORE_CTX_get_error(3)); 0 also without a judgement, as with `-k`.
    var verifyResult: Int {
        guard case .connecting(.insecure(let error))? = (error as? SessionError)?.reason,
            let failure = error.trustFailure
        else { return 0 }
        return Int(failure.verifyCode)
    }

    /// Whether the last connection led through a proxy, or a proxy has refused it.
    var isProxyUsed: Bool {
        if case .connecting(.proxy)? = (error as? SessionError)?.reason { return true }
        return lastHop?.connection?.isProxyConnection == true
    }

    /// The status of the last answer to CONNECT for this transfer; 0 without one, as on a reused connection.
    var connectStatus: Int {
        let heads = hops.flatMap { hop in
            (hop.isConnectionReused ? [] : hop.connection?.connectHeads ?? [])
                + (hop.failedConnection?.connectHeads ?? [])
        }
        return heads.last?.status ?? 0
    }

    /// That of the last request; nil before the first.
    var effectiveURL: URL? { response?.url ?? lastHop?.request.url }

    /// The target of a redirect that was not followed.
    var redirectURL: String? {
        guard let response, (300..<400).contains(response.statusCode),
            let base = response.url, let location = response.head.bytes(for: "Location").first
        else { return nil }
        return URL(location: location, from: base).map { SensitiveFields.withoutUserinfo($0.absoluteString) }
    }

    /// The bytes of the request's content. A small one is sent with the head, and has no event of its own.
    var uploadSize: Int {
        max(sentSize, lastHop?.requestSent == nil ? 0 : lastHop?.request.httpBody?.count ?? 0)
    }

    /// Bytes per second, over the whole of the last attempt.
    func speed(_ size: Int) -> Int {
        guard let seconds = seconds(at: metrics?.end), seconds > 0 else { return 0 }
        return Int(Double(size) / seconds)
    }

    /// Since the start of the last attempt; nil for what has not happened.
    func seconds(at instant: MonotonicInstant?) -> Double? {
        guard let instant, let metrics else { return nil }
        let start = metrics.retries.last.map { $0.time.advanced(by: $0.delay) } ?? metrics.start
        return max(0, instant.seconds(since: start))
    }
}

/// The values of `-w` for one URL. Times are seconds since the start of the last attempt, if there were retries; of its last
/// request if there were redirects.
struct TransferReport {
    let plan: PlannedFetch
    let contents: Transcript.Contents
    let failure: FailureReport?

    var hasFailed: Bool { contents.error != nil }

    var all: [String: WriteOutValue] {
        Dictionary(WriteOutVariable.allCases.map { ($0.rawValue, value(of: $0)) }) { first, _ in first }
    }

    /// The bytes of the first such field; empty if the response has none.
    func field(named name: String) -> [UInt8] { contents.response?.head.bytes(for: name).first ?? [] }

    /// The values of each name, in lower case, in the order of the response. JSON is UTF-8: other bytes are taken for
    /// ISO-8859-1.
    func fieldsAsJSON() throws -> String {
        let fields = contents.response?.headers ?? HeaderFields()
        let values = Dictionary(grouping: fields) { $0.name.lowercased() }
        var names: Set<String> = []
        let members = try fields.map { $0.name.lowercased() }.filter { names.insert($0).inserted }.map { name in
            "\(try JSONReport.text(name)):\(try JSONReport.text((values[name] ?? []).map(\.value)))"
        }
        return "{\(members.joined(separator: ",\n"))\n}"
    }
}
