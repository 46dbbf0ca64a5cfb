// SPDX-License-Identifier: Apache-2.0

/// Why a ``ScriptedOrigin`` could not be set up.
public enum ScriptedOriginError: Error, Equatable {
    /// The named system call failed; `errno` says why.
    case system(call: String, errno: Int32)
    /// OpenSSL refused the named step; `reason` is the text of its error queue.
    case tls(step: String, reason: String)
}
