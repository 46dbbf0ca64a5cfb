// SPDX-License-Identifier: Apache-2.0

/// Has a connection opened. The dialler calls one of these methods once, unless it is cancelled.
protocol DialOwner: ConnectionOwner {
    func dialler(_ dialler: Dialler, opened connection: Connection)

    func dialler(_ dialler: Dialler, failed failure: DialFailure)

    /// The task that the connection is for; nil if no task waits for it any more.
    func respondent(of dialler: Dialler) -> (any TrustRespondent)?
}
