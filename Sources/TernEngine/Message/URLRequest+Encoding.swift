// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension URLRequest {
    /// The head that a session of this configuration sends, byte for byte.
    package func encodedHead(_ configuration: SessionConfiguration) throws(InvalidRequest) -> [UInt8] {
        var exchange = Exchange(limits: configuration.limits)
        var head: [UInt8] = []
        try begin(&exchange, defaults: configuration.httpAdditionalHeaders, into: &head)
        return head
    }

    /// Begins an exchange with the head of this request. Throws before a byte is added to `output`.
    func begin(
        _ exchange: inout Exchange, defaults: HTTPFields, into output: inout [UInt8]
    ) throws(InvalidRequest) {
        let destination = try destination.get()
        let head = RequestHead(
            method: method, target: destination.target, origin: destination.origin, fields: headers)
        let body = httpBody.map { RequestBody.exactly($0.count) } ?? .none
        do throws(HTTP1Error) {
            try exchange.begin(head, body: body, defaults: defaults, into: &output)
        } catch {
            throw .unencodable(error)
        }
    }
}
