// SPDX-License-Identifier: Apache-2.0

/// Why a ``ScriptedOrigin`` could not be created.
public enum ScriptedOriginError: Error, Equatable {
    /// The named system call failed; the value is `errno`.
    case system(call: String, errno: Int32)
    /// OpenSSL failed in the named step; `reason` is the text of its error queue.
    case tls(step: String, reason: String)
}
