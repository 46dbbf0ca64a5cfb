// SPDX-License-Identifier: Apache-2.0
package import TernEngine

// Names that `TernURLSessionNames` declares as well, whose declarations take precedence over these.

extension Session {
    package var engineDelegate: (any TernEngine.SessionDelegate)? { delegate }

    package var startedTasks: [SessionTask] { allTasks }

    package func renewConnections() { reset() }

    package var settings: SessionConfiguration { configuration }

    package func streamedUpload(_ request: URLRequest) -> SessionUploadTask { uploadTask(withStreamedRequest: request) }
}

extension SessionTask {
    package var firstRequest: URLRequest { originalRequest }

    package var httpResponse: HTTPURLResponse? { response }
}

extension HopMetrics {
    package var httpResponse: HTTPURLResponse? { response }
}

extension CachedURLResponse {
    package var httpResponse: HTTPURLResponse { response }
}

extension Challenge {
    package var httpFailureResponse: HTTPURLResponse? { failureResponse }
}

extension HTTPURLResponse {
    package var joinedFields: [String: String] { allHeaderFields }
}

extension SessionConfiguration {
    package var additionalFields: HeaderFields {
        get { httpAdditionalHeaders }
        set { httpAdditionalHeaders = newValue }
    }
}

extension ProtectionSpace {
    package var method: AuthenticationMethod { authenticationMethod }

    package init(proxyHost: String, port: Int, type: String, realm: String?, method: AuthenticationMethod?) {
        self.init(proxyHost: proxyHost, port: port, type: type, realm: realm, authenticationMethod: method)
    }
}
