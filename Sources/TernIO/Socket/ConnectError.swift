// SPDX-License-Identifier: Apache-2.0

/// No address of a host could be connected to.
public struct ConnectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One address that was tried and what became of it.
    public struct Attempt: Sendable, Hashable {
        /// The address that was tried.
        public let address: TransportAddress
        /// Why it could not be connected to.
        public let error: SystemCallError
    }

    /// Every attempt, in the order in which they failed.
    public let attempts: [Attempt]

    public var description: String {
        attempts.map { "\($0.address): \($0.error)" }.joined(separator: "; ")
    }
}
