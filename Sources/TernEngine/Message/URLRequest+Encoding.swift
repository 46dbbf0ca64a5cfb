// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension RequestBodyFraming {
    /// In chunks if the length is not known in advance.
    init(length: Int?) { self = length.map { .exactly($0) } ?? .chunked }
}

extension URLRequest {
    /// Begins an exchange with the head of this request. Throws before a byte is added to `output`.
    @inline(__always)
    func begin(
        _ exchange: inout Exchange, _ body: RequestBodyFraming, defaults: DefaultFields, into output: inout [UInt8]
    ) throws(InvalidRequest) {
        let destination = try destination.get()
        var fields = headers
        if !fields.isEmpty, fields.contains(HopFields.ofProxies), !destination.isForProxy {
            fields.removeAll(named: HopFields.ofProxies)
        }
        let head = RequestHead(
            method: method, target: destination.target, origin: destination.origin, fields: fields)
        do throws(HTTPProtocolError) {
            try exchange.begin(head, body: body, defaults: defaults, into: &output)
        } catch {
            throw .unencodable(error)
        }
    }
}
