// SPDX-License-Identifier: Apache-2.0

/// Who has a connection opened, as far as a dialler knows him: told one of these once, unless he cancels.
protocol DialOwner: ConnectionOwner {
    func dialler(_ dialler: Dialler, opened connection: Connection)

    func dialler(_ dialler: Dialler, failed failure: DialFailure)

    /// The task the connection is for; nil if no task waits for it any more.
    func respondent(of dialler: Dialler) -> (any TrustRespondent)?
}
