// SPDX-License-Identifier: Apache-2.0

/// The actions of a test, for the three events of a connection.
struct OriginScript: Sendable {
    typealias AcceptHandler = @Sendable (_ connection: Int) -> [OriginStep]
    typealias RequestHandler = @Sendable (_ connection: Int, _ request: ReceivedRequest) -> [OriginStep]

    let onAccept: AcceptHandler?
    let onHead: RequestHandler?
    let onRequest: RequestHandler
}
