// SPDX-License-Identifier: Apache-2.0
#if HTTPTypes
    public import HTTPTypes
    public import TernEngine

    extension URLRequest {
        /// A request with the method, the URL and the fields of `request`. Fields that are marked `.disallow` are sensitive.
        ///
        /// - Parameters:
        ///   - request: the request.
        ///   - body: its body; nil for none.
        /// - Throws: what has no counterpart: tunnels, schemes other than `http` and `https`, and what no URL has.
        public init(_ request: HTTPRequest, body: RequestBody? = nil) throws(HTTPTypesError) {
            if request.method == .connect { throw .connect(protocol: request.extendedConnectProtocol) }
            let scheme = request.scheme?.lowercased()
            guard let scheme, scheme == "http" || scheme == "https" else { throw .scheme(request.scheme) }
            guard let authority = request.authority, !authority.isEmpty, !authority.contains(where: "/?#@".contains)
            else { throw .authority(request.authority) }
            guard let path = request.path, path == "*" || path.hasPrefix("/"), !path.contains("#") else {
                throw .path(request.path)
            }
            do throws(InvalidRequest) {
                try self.init(string: "\(scheme)://\(authority)\(path == "*" ? "" : path)")
                if path == "*" { try setTarget(path) }
            } catch {
                throw .request(error)
            }
            setMethod(asTyped: request.method.rawValue)
            headers = HeaderFields(request.headerFields)
            sensitiveFields = SensitiveFields(request.headerFields)
            self.body = body
        }
    }

    extension HTTPRequest {
        /// A request with the method, the URL and the fields of `request`; sensitive fields are marked `.disallow`. It has no
        /// body and no settings, such as timeouts, and no userinfo of the URL.
        ///
        /// - Throws: what has no counterpart, and what cannot be sent.
        public init(_ request: URLRequest) throws(HTTPTypesError) {
            let name = request.httpMethod ?? "GET"
            guard let method = Method(name) else { throw .method(name) }
            if method == .connect { throw .connect(protocol: nil) }
            let place: (origin: HTTPOrigin, path: String)
            do throws(InvalidRequest) { place = try request.place() } catch { throw .request(error) }
            self.init(
                method: method, scheme: place.origin.scheme == .https ? "https" : "http",
                authority: place.origin.hostField, path: place.path,
                headerFields: try HTTPFields(request.headers, sensitiveFields: request.sensitiveFields))
        }
    }
#endif
