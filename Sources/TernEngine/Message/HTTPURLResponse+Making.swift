// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

extension HTTPURLResponse {
    /// A response of one's own making, as for tests of a serializer, in Foundation's shape. Nil if no server could send
    /// such a head.
    ///
    /// - Parameters:
    ///   - url: the URL that answered.
    ///   - statusCode: 100 to 999.
    ///   - httpVersion: such as "HTTP/1.1", which nil stands for; of major version 1.
    ///   - headerFields: in the order of their names.
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

    /// A response of one's own making. Throws if no server could send such a head.
    ///
    /// - Parameters:
    ///   - url: the URL that answered.
    ///   - statusCode: 100 to 999.
    ///   - version: of major version 1.
    ///   - reasonPhrase: the words after the status code.
    ///   - headers: in their order.
    public init(
        url: URL?, statusCode: Int, version: HTTPVersion = HTTPVersion(major: 1, minor: 1), reasonPhrase: String = "",
        headers: HeaderFields = [:]
    ) throws(HTTPProtocolError) {
        self.init(
            url: url,
            head: try ResponseHead(status: statusCode, version: version, reason: reasonPhrase, fields: headers))
    }
}
