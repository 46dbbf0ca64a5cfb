// SPDX-License-Identifier: Apache-2.0
import TernEngine

// What all reports tell of a transfer, from one source.
extension Transcript.Contents {
    var hops: [HopMetrics] { metrics?.hops ?? [] }

    var lastHop: HopMetrics? { hops.last }

    /// The last connection, if it was opened for this.
    var opened: ConnectionMetrics? { lastHop?.isConnectionReused == true ? nil : lastHop?.connection }

    /// The last connection, if it was not opened.
    var failed: FailedConnectionMetrics? { lastHop?.connection == nil ? lastHop?.failedConnection : nil }

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
