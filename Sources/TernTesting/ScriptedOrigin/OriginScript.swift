// SPDX-License-Identifier: Apache-2.0

/// What the test wants done, at the three moments it can want something.
struct OriginScript: Sendable {
    let onAccept: ScriptedOrigin.AcceptScript?
    let onHead: ScriptedOrigin.Script?
    let onRequest: ScriptedOrigin.Script
}
