// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct ConnectErrorTests {
    @Test func `the description says what became of every address`() throws {
        let four = try #require(TransportAddress(literal: "127.0.0.1", port: 80))
        let six = try #require(TransportAddress(literal: "::1", port: 80))
        let error = ConnectError(attempts: [
            ConnectError.Attempt(address: six, error: SystemCallError(.connect, code: ECONNREFUSED)),
            ConnectError.Attempt(address: four, error: SystemCallError(.connect, code: ETIMEDOUT)),
        ])
        #expect(
            error.description == """
                [::1]:80: Connection refused (errno 111); 127.0.0.1:80: Connection timed out (errno 110)
                """)
    }
}
