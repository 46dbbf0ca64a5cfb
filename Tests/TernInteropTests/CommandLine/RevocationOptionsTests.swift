// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import TernTLS
import Testing

@testable import TernCLI

@Suite struct RevocationOptionsTests {
    private func flags(_ arguments: String...) throws -> RevocationFlags? {
        guard case .performRevokedEvaluation(true, let flags)? = try RevocationOptions.parse(arguments).policy else {
            return nil
        }
        return flags
    }

    @Test func `revocation is checked on request, and demanded by the stronger of two requests`() throws {
        #expect(try flags() == nil)
        #expect(try flags("--check-revocation") == .useAnyAvailableMethod)
        #expect(try flags("--cert-status") == [.useAnyAvailableMethod, .requirePositiveResponse])
        #expect(try flags("--check-revocation", "--cert-status")?.contains(.requirePositiveResponse) == true)
    }
}
