// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// The values of `-w` for one URL. Times are seconds since the start, of the last request if there were redirects.
struct TransferReport {
    let plan: PlannedFetch
    let contents: Transcript.Contents
    let failure: FailureReport?
    let retryCount: Int

    init(_ plan: PlannedFetch, _ contents: Transcript.Contents, _ failure: FailureReport?, retryCount: Int) {
        self.failure = failure
        self.retryCount = retryCount
        self.plan = plan
        self.contents = contents
    }

    var hasFailed: Bool { contents.error != nil }

    var all: [String: WriteOutValue] {
        Dictionary(WriteOutVariable.allCases.map { ($0.rawValue, value(of: $0)) }) { first, _ in first }
    }

    /// The bytes of the first such field; empty if the response has none.
    func field(named name: String) -> [UInt8] { contents.response?.head.bytes(for: name).first ?? [] }

    /// The values of each name, in lower case. JSON is UTF-8: other bytes are taken for ISO-8859-1.
    func fieldsAsJSON() throws -> String {
        let fields = contents.response?.headers ?? HeaderFields()
        return try JSONReport.text(Dictionary(grouping: fields) { $0.name.lowercased() }.mapValues { $0.map(\.value) })
    }
}
