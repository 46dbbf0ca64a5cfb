// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

@testable import TernEngine

@Suite struct PinReportLimiterTests {
    private let day = PinReportLimiter.interval

    /// Whether the reports pass, one after the other.
    private func passes(_ reports: [(rule: String, host: String, time: Int64)]) -> [Bool] {
        var limiter = PinReportLimiter()
        return reports.map { report in
            limiter.admits(
                PinReportLimiter.Subject(rule: report.rule, host: report.host, key: nil, pins: []), at: report.time)
        }
    }

    @Test func `another key, and another set of pins, are news`() {
        var limiter = PinReportLimiter()
        let keys = [
            X509Certificate.PublicKey(subjectPublicKeyInfo: [1]), X509Certificate.PublicKey(subjectPublicKeyInfo: [2]),
        ]
        for _ in 1...2 {
            let isNew = keys.flatMap { key in
                keys.map { limiter.admits(.init(rule: "a", host: "x", key: key, pins: [$0]), at: 0) }
            }
            #expect(Set(isNew).count == 1)
        }
    }

    @Test func `one report a day passes for each rule and host`() {
        let reports = [
            ("a", "x", 0), ("a", "x", day - 1), ("a", "x", day), ("a", "x", day + 1), ("b", "x", 1), ("a", "y", 1),
        ]
        #expect(passes(reports) == [true, false, true, false, true, true])
    }

    @Test func `a clock that was set back does not suppress reports`() {
        #expect(passes([100 * day, 1, .min, .max].map { ("a", "x", $0) }) == [true, true, true, true])
    }

    @Test func `many hosts do not fill the memory, and the next day is a new one`() {
        let many = (0..<PinReportLimiter.capacity).map { ("a", "\($0)", Int64(0)) }
        let answers = passes(many + [("a", "one more", 1), ("a", "one more", day)])
        #expect(answers.dropLast(2).allSatisfy { $0 })
        #expect(answers.suffix(2) == [false, true])
    }
}
