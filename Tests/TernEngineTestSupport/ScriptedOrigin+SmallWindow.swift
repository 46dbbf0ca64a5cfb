// SPDX-License-Identifier: Apache-2.0
import TernTesting

extension ScriptedOrigin.Configuration {
    /// For origins that do not read: the kernel might otherwise take in a whole large body for them.
    static var smallWindow: Self {
        var configuration = Self()
        configuration.receiveBufferSize = 65536
        return configuration
    }
}
