// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTesting

/// What an origin does about each request, written when the origin is there already.
final class OriginScript: Sendable {
    let steps = Lock<[ScriptedOrigin.Step]>([])
}
