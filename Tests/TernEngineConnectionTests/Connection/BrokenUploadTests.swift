// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

extension Processes {
    @Suite struct BrokenUploadTests {
        @Test func `a broken connection raises no signal, and leaves its disposition alone`() async {
            await #expect(processExitsWith: .success) { try await breakUploads(isSecure: false) }
        }

        @Test func `nor does a broken one with TLS`() async {
            await #expect(processExitsWith: .success) { try await breakUploads(isSecure: true) }
        }
    }
}
