// SPDX-License-Identifier: Apache-2.0
#if HTTPTypes
    public import FoundationEssentials
    public import HTTPTypes
    public import TernEngine

    extension HTTPResponse {
        /// A response with the status and the fields of `response`: not with its URL, its version and its history.
        ///
        /// - Throws: the first field that has no counterpart.
        public init(_ response: HTTPURLResponse) throws(HTTPTypesError) {
            // A status line has three digits.
            guard (0...999).contains(response.statusCode) else { throw .status(response.statusCode) }
            self.init(
                status: Status(code: response.statusCode, reasonPhrase: response.reasonPhrase),
                headerFields: try HTTPFields(response.headers))
        }
    }

    extension HTTPURLResponse {
        /// A response of HTTP/1.1 with the status and the fields of `response`, for example for tests.
        ///
        /// - Throws: a status that no server could send, or with these fields.
        public init(_ response: HTTPResponse, url: URL?) throws(HTTPTypesError) {
            do throws(HTTPProtocolError) {
                try self.init(
                    url: url, statusCode: response.status.code, reasonPhrase: response.status.reasonPhrase,
                    headers: HeaderFields(response.headerFields))
            } catch {
                throw .status(response.status.code)
            }
        }
    }
#endif
