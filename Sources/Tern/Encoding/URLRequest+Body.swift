// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension URLRequest {
    /// Sets `body`, and the Content-Type unless the request has one.
    mutating func setBody(_ body: Data, contentType: String) {
        httpBody = body
        if value(forHTTPHeaderField: "Content-Type") == nil {
            setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
    }
}
