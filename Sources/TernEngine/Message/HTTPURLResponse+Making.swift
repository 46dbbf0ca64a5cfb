// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

extension HTTPURLResponse {
    /// Creates a response, for example for tests of a serializer, in Foundation's form. Nil if no server could send
    /// such a head.
    ///
    /// - Parameters:
    ///   - url: the URL of the response.
    ///   - statusCode: 100 to 999.
    ///   - httpVersion: such as "HTTP/1.1", which is the default for nil; its major version must be 1.
    ///   - headerFields: sent in the order of their names.
    public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
        let fields = (headerFields ?? [:]).sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
        let versions = [HTTPVersion(major: 1, minor: 1), HTTPVersion(major: 1, minor: 0)]
        let version = httpVersion.map { text in versions.first { "\($0)" == text } } ?? versions[0]
        guard let version,
            let made = try? HTTPURLResponse(
                url: url, statusCode: statusCode, version: version, headers: HeaderFields(fields))
        else { return nil }
        self = made
    }

    /// Creates a response. Throws if no server could send such a head.
    ///
    /// - Parameters:
    ///   - url: the URL of the response.
    ///   - statusCode: 100 to 999.
    ///   - version: of major version 1.
    ///   - reasonPhrase: the text after the status code.
    ///   - headers: the fields in order.
    public init(
        url: URL?, statusCode: Int, version: HTTPVersion = HTTPVersion(major: 1, minor: 1), reasonPhrase: String = "",
        headers: HeaderFields = [:]
    ) throws(HTTPProtocolError) {
        self.init(
            url: url,
            head: try ResponseHead(status: statusCode, version: version, reason: reasonPhrase, fields: headers))
    }
}
