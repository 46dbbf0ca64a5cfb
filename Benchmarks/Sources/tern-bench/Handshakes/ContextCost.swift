// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import Foundation
internal import TernEngine

/// What sessions pay for their TLS contexts, as their users see it: how much later than a session's second https connection
/// its first one fails, where nobody listens. System anchors.
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
        let begin = monotonic_nanoseconds()
        _ = try? await session.data(from: url)
        let middle = monotonic_nanoseconds()
        _ = try? await session.data(from: url)
        let end = monotonic_nanoseconds()
        return (Double(middle - begin) - Double(end - middle)) / 1e6
    }
}
