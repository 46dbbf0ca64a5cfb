// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TernEngine

/// What sessions pay for their TLS contexts: how much more CPU time a session's first https connection takes than its
/// second one, to a port without a listener. System anchors. Not the time on the clock, which other programs lengthen.
struct ContextCost: Encodable {
    /// Of the first session in the process, which reads the system's certificates.
    let firstMilliseconds: Double
    /// Of every other one: the median.
    let furtherMilliseconds: Double?

    static func measure(sessions: Int) async throws -> ContextCost {
        guard let url = URL(string: "https://127.0.0.1:\(try FreePort.find())/") else {
            throw PeerUnavailable(reason: "no URL")
        }
        let first = await extra(url)
        var further: [Double] = []
        for _ in 0..<sessions { further.append(await extra(url)) }
        return ContextCost(firstMilliseconds: first, furtherMilliseconds: further.median)
    }

    private static func extra(_ url: URL) async -> Double {
        let session = Session()
        let begin = ResourceUsage.own
        _ = try? await session.data(from: url)
        let middle = ResourceUsage.own
        _ = try? await session.data(from: url)
        let end = ResourceUsage.own
        return (begin.microseconds(to: middle) - middle.microseconds(to: end)) / 1e3
    }
}
