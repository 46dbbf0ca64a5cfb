// SPDX-License-Identifier: Apache-2.0
import TernTesting

extension ScriptedOrigin {
    /// An origin on ::1, whose port may be that of another one on 127.0.0.1.
    static func overIPv6(_ port: UInt16 = 0, _ script: @escaping Script) throws -> ScriptedOrigin {
        var configuration = Configuration()
        (configuration.address, configuration.port) = (.ipv6, port)
        return try ScriptedOrigin(configuration, script: script)
    }
}
