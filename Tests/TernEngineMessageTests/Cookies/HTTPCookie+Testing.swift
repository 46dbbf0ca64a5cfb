// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

extension HTTPCookie {
    /// What is sent of it.
    var text: String { String(decoding: pair, as: UTF8.self) }
}
