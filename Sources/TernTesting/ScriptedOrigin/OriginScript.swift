// SPDX-License-Identifier: Apache-2.0

/// What the test wants done, at the three moments it can want something.
struct OriginScript: Sendable {
    typealias AcceptHandler = @Sendable (_ connection: Int) -> [OriginStep]
    typealias RequestHandler = @Sendable (_ connection: Int, _ request: ReceivedRequest) -> [OriginStep]

    let onAccept: AcceptHandler?
    let onHead: RequestHandler?
    let onRequest: RequestHandler
}
