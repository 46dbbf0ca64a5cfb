// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine

/// The values of `-w` for one URL. Times are seconds since the start, of the last request if there were redirects.
struct TransferReport {
    private let plan: PlannedFetch
    private let contents: Transcript.Contents
    private let failure: FailureReport?

    init(_ plan: PlannedFetch, _ contents: Transcript.Contents, _ failure: FailureReport?) {
        self.failure = failure
        self.plan = plan
        self.contents = contents
    }

    var hasFailed: Bool { contents.error != nil }

    var all: [String: WriteOutValue] {
        Dictionary(WriteOutVariable.allCases.map { ($0.rawValue, value(of: $0)) }) { first, _ in first }
    }

    /// Empty if the response has none.
    func field(named name: String) -> String { contents.response?.value(forHTTPHeaderField: name) ?? "" }

    func value(of variable: WriteOutVariable) -> WriteOutValue {
        switch variable {
        case .contentType: .text(contents.response?.value(forHTTPHeaderField: "Content-Type"))
        case .errorMessage: .text(failure?.message)
        case .exitCode: .number(Int((failure?.status ?? .success).rawValue))
        case .fileName: .text(contents.response == nil || hasFailed ? nil : plan.path)
        case .httpCode, .responseCode: .status(contents.response?.statusCode ?? last?.statusCode ?? 0)
        case .httpVersion: .text(contents.response.map { "\($0.head.version)".replacing("HTTP/", with: "") } ?? "0")
        case .localIP: .text(last?.connection?.localAddress?.host)
        case .localPort: .number(last?.connection?.localAddress?.port.map(Int.init) ?? 0)
        case .method: .text(last?.request.httpMethod ?? plan.request.httpMethod)
        case .connectCount: .number(hops.count { $0.connection != nil && !$0.isConnectionReused })
        case .headerCount: .number(contents.response?.headers.count ?? 0)
        case .redirectCount: .number(contents.metrics?.redirectCount ?? 0)
        case .redirectURL: .text(redirectURL)
        case .remoteIP: .text(last?.connection?.remoteAddress.host)
        case .remotePort: .number(last?.connection?.remoteAddress.port.map(Int.init) ?? 0)
        case .scheme: .text(effectiveURL?.scheme?.lowercased())
        case .downloadSize: .number(contents.receivedSize)
        case .headerSize: .number(contents.heads.size)
        case .uploadSize: .number(uploadSize)
        case .downloadSpeed: .number(speed(contents.receivedSize))
        case .uploadSpeed: .number(speed(uploadSize))
        case .timeResolved: .seconds(time(opened?.resolved ?? last?.connectionAcquired))
        case .timeConnected: .seconds(time(opened?.connected ?? last?.connectionAcquired))
        case .timeSecured: .seconds(time(opened?.secured))
        case .timeBeforeTransfer:
            .seconds(max(time(last?.connectionAcquired), time(opened?.secured ?? opened?.connected)))
        case .timeRedirected: .seconds(hops.count > 1 ? time(last?.start) : 0)
        case .timeOfFirstByte: .seconds(time(last?.responseStart))
        case .timeTotal: .seconds(time(contents.metrics?.end))
        case .url: .text(plan.target.text)
        case .effectiveURL: .text(effectiveURL.map { $0.path().isEmpty ? $0.appending(path: "/") : $0 }?.absoluteString)
        case .urlNumber: .number(plan.index)
        }
    }

    private var hops: [HopMetrics] { contents.metrics?.hops ?? [] }
    private var last: HopMetrics? { hops.last }

    /// The last connection, if it was opened for this.
    private var opened: ConnectionMetrics? { last?.isConnectionReused == true ? nil : last?.connection }

    private var effectiveURL: URL? { contents.response?.url ?? last?.request.url ?? plan.target.url }

    /// The target of a redirect that was not followed.
    private var redirectURL: String? {
        guard let response = contents.response, (300..<400).contains(response.statusCode),
            let base = response.url, let location = response.value(forHTTPHeaderField: "Location")
        else { return nil }
        return URL(location: location.utf8, from: base)?.absoluteString
    }

    /// A small body is sent with the head, and has no event of its own.
    private var uploadSize: Int {
        max(contents.sentSize, last?.requestSent == nil ? 0 : last?.request.httpBody?.count ?? 0)
    }

    private func time(_ instant: MonotonicInstant?) -> Double {
        guard let instant, let start = contents.metrics?.start else { return 0 }
        return max(0, instant.seconds(since: start))
    }

    private func speed(_ size: Int) -> Int {
        let seconds = time(contents.metrics?.end)
        return seconds > 0 ? Int(Double(size) / seconds) : 0
    }
}
