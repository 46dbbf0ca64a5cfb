// SPDX-License-Identifier: Apache-2.0
// In Swift 6, and with Foundation beside it, as a file may have it.
import Foundation
import TernAlamofire
import Testing

@Suite struct ResultTests {
    private struct Reason: Error {}
    private struct Other: Error {}

    @Test func `a result has one parameter, and Swift's own has two`() {
        let bad: Result<Int> = .failure(Reason())
        let swift: Swift.Result<Int, Reason> = .failure(Reason())
        let qualified: Alamofire.Result<Int> = bad
        #expect(bad.error is Reason && swift.error != nil && qualified.isFailure)
    }

    @Test func `mapping the error keeps the type`() {
        let bad: Result<Int> = .failure(Reason())
        let mapped = bad.mapError { _ in Other() }
        #expect(type(of: mapped) == Result<Int>.self)
        #expect(mapped.error is Other)
        let swift: Swift.Result<Int, Other> = bad.mapError { _ in Other() }
        #expect(swift.isFailure)
        let good: Result<Int> = .success(1)
        #expect(good.mapError { _ in Other() }.value == 1)
    }
}
