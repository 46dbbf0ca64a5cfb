// SPDX-License-Identifier: Apache-2.0
import TernEngine

// What `TernNames` has a member of the same name for, which hides these from it.

extension SessionTask {
    package var firstRequest: URLRequest { originalRequest }
}

extension SessionConfiguration {
    package var additionalFields: HeaderFields {
        get { httpAdditionalHeaders }
        set { httpAdditionalHeaders = newValue }
    }
}
