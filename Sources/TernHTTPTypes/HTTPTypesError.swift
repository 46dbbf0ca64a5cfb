// SPDX-License-Identifier: Apache-2.0
#if HTTPTypes
    public import TernEngine

    /// What has no counterpart among the values of swift-http-types, or none here.
    public enum HTTPTypesError: Error, Sendable, Hashable {
        /// The request has no scheme, or another than `http` and `https`.
        case scheme(String?)
        /// The request has no authority, or one that is not that of a URL.
        case authority(String?)
        /// The request has no path, or one that is no target of a request.
        case path(String?)
        /// The request opens a tunnel: one for the protocol of an extended CONNECT, or a plain one.
        case connect(protocol: String?)
        /// The request cannot be sent, because its URL is missing or malformed.
        case request(InvalidRequest)
        /// The method is not a token (RFC 9110 §9.1).
        case method(String)
        /// The name of the field is not a token (RFC 9110 §5.1).
        case fieldName(String)
        /// The value of the field of this name has bytes that no value may have (RFC 9110 §5.5).
        case fieldValue(name: String)
        /// The status code is not one of 100 to 999, or the response could not be sent for another reason.
        case status(Int)
    }

    extension HTTPTypesError: CustomStringConvertible {
        /// What cannot be converted.
        public var description: String {
            switch self {
            case .scheme(let scheme): "the scheme \(scheme ?? "(none)") is not http or https"
            case .authority(let authority): "\(authority == nil ? "no authority" : "an authority that no URL has")"
            case .path(let path): path == nil ? "no path" : "a path that is no target of a request"
            case .connect(let name): name.map { "CONNECT for \($0)" } ?? "CONNECT"
            case .request(let error): "\(error)"
            case .method(let method): "the method \(method) is not a token"
            case .fieldName(let name): "the field name \(name) is not a token"
            case .fieldValue(let name): "the value of the field \(name) has bytes that no value may have"
            case .status(let code): "no response has the status code \(code) and these fields"
            }
        }
    }
#endif
