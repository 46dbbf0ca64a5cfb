// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct CookieChangesTests {
    private func cookies(_ names: some Sequence<String>, _ value: String = "1") -> [HTTPCookie] {
        names.compactMap { HTTPCookie(name: $0, value: value, domain: "a.test") }
    }

    @Test func `the last change of a cookie counts, in the order of the changes`() {
        var changes = CookieChanges()
        #expect(changes.isEmpty)
        changes.append(cookies(["a", "b"]))
        changes.append(cookies(["c"]))
        changes.append(cookies(["a"], "2"))
        #expect(changes.cookies.map(\.text) == ["b=1", "c=1", "a=2"])
    }

    @Test func `changes that cannot be written do not grow for ever`() {
        var changes = CookieChanges()
        for number in 0..<13_000 { changes.append(cookies(["n\(number)"])) }
        #expect(changes.cookies.count <= 4 * CookieJar.maximumCount)
        #expect(changes.cookies.last?.name == "n12999")
    }
}
