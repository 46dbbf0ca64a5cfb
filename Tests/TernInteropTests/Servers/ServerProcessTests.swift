// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct ServerProcessTests {
    @Test func `names the package of a missing program`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: ServerError.self) {
            _ = try ServerProcess("no-such-server", [], package: "some-package", in: folder.url)
        }
        #expect(error?.description == "no-such-server is not installed: apt-get install some-package")
    }

    @Test func `reports the output of a program that ended too soon`() async throws {
        let folder = try TemporaryFolder()
        let process = try ServerProcess("sh", ["-c", "echo no luck"], package: "dash", in: folder.url)
        #expect(await process.output.waitFor { $0 == ["no luck"] })
        let port = try LoopbackPort.free().number
        await #expect(throws: ServerError.self) { try await process.waitUntilListening(on: port) }
    }
}
