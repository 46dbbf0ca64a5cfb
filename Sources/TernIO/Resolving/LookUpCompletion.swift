// SPDX-License-Identifier: Apache-2.0

/// Receives the result of a look-up: at least one address, or the reason why there is none.
public typealias LookUpCompletion = @Sendable (Result<[TransportAddress], ResolveError>) -> Void
