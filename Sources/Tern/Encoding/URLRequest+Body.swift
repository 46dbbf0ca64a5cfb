// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension URLRequest {
    /// Takes `body`, and says what it is unless the request says so already.
    mutating func setBody(_ body: Data, contentType: String) {
        httpBody = body
        if value(forHTTPHeaderField: "Content-Type") == nil {
            setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
    }
}
