// SPDX-License-Identifier: Apache-2.0
import Tern
import Testing

@testable import TernCLI

@Suite struct UniformTrustPolicyTests {
    @Test func `every host has the same policy`() {
        let manager = UniformTrustPolicy(.disableEvaluation)
        for host in ["a.test", "127.0.0.1", ""] {
            guard case .disableEvaluation? = manager.serverTrustPolicy(forHost: host) else {
                Issue.record("\(host) has another policy")
                return
            }
        }
    }
}
