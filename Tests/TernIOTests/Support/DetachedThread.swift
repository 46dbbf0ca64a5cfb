// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

/// A thread that is none of Swift's.
enum DetachedThread {
    static func run(_ body: @escaping @Sendable () -> Void) {
        #expect(throws: Never.self) { try Thread.start(name: "tern-test", body) }
    }
}
