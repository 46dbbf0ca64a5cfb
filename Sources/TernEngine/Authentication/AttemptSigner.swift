// SPDX-License-Identifier: Apache-2.0

/// Adds to a request what must differ from attempt to attempt, such as the count of a Digest answer, or a signature with
/// a time.
protocol AttemptSigner: Sendable {
    /// Adds its fields, in place of others of their names. Called once for each attempt, on the reactor's thread, with the
    /// request as it is sent otherwise: it does not block.
    func sign(_ request: inout URLRequest)
}
