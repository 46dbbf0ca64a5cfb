// SPDX-License-Identifier: Apache-2.0
import TernEngine

// Names that `TernNames` declares as well, whose declarations take precedence over these.

extension SessionTask {
    package var firstRequest: URLRequest { originalRequest }
}

extension SessionConfiguration {
    package var additionalFields: HeaderFields {
        get { httpAdditionalHeaders }
        set { httpAdditionalHeaders = newValue }
    }
}
