// SPDX-License-Identifier: Apache-2.0

/// No address of a host could be connected to.
public struct ConnectError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One attempted address and its result.
    public struct Attempt: Sendable, Hashable {
        /// The attempted address.
        public let address: TransportAddress
        /// Why the attempt failed.
        public let error: SystemCallError
    }

    /// Every attempt, in the order of failure.
    public let attempts: [Attempt]

    /// The addresses and their errors. That connecting failed goes without saying.
    public var description: String {
        attempts.map {
            "\($0.address): \($0.error.call == .connect ? "" : "\($0.error.call): ")\($0.error.message) (errno \($0.error.code))"
        }
        .joined(separator: "; ")
    }
}
