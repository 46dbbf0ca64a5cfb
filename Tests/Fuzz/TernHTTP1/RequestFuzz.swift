// SPDX-License-Identifier: Apache-2.0
@testable import TernHTTP1

/// Requests of any strings: an encoded request must read back as intended, and a refused one must leave no bytes. The
/// input's parts are separated by the byte 0xFE: method, target, host, then names and values alternately.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    let parts = input.split(separator: 0xFE, omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
    }
    guard parts.count >= 3 else { return 0 }
    var fields = HeaderFields()
    for index in stride(from: 3, to: parts.count - 1, by: 2) { fields.append(parts[index], parts[index + 1]) }
    let head = RequestHead(
        method: parts[0], target: parts[0] == "OPTIONS" && parts[1] == "*" ? .asterisk : .origin(parts[1]),
        origin: HTTPOrigin(scheme: .http, host: parts[2], port: 80), fields: fields)
    var exchange = Exchange()
    let before: [UInt8] = [1, 2, 3]
    var output = before
    do throws(HTTPProtocolError) {
        try exchange.begin(head, body: .none, defaults: ["X-Default": "d"], into: &output)
    } catch {
        guard output == before else { fatalError("\(error) left bytes behind") }
        return 0
    }
    check(head, Array(output.dropFirst(3)))
    return 0
}

private func check(_ head: RequestHead, _ output: [UInt8]) {
    guard let request = try? RequestReader(output) else { fatalError("unreadable: \(escaped(output))") }
    let own = ["host", "content-length", "transfer-encoding"]
    var expected = head.fields.filter { !own.contains($0.name.lowercased()) }
    if !head.fields.contains("X-Default") { expected.append(HeaderField(name: "X-Default", value: "d")) }
    let actual = request.fields.filter { !own.contains($0.name.lowercased()) }
    let target =
        switch head.target {
        case .origin(let text), .absolute(let text), .authority(let text): text
        case .asterisk: "*"
        }
    guard request.method == head.method, request.target == target, request.version == "HTTP/1.1",
        request.fields.first?.name == "Host", request.fields.filter({ $0.name.lowercased() == "host" }).count == 1,
        actual == expected
    else { fatalError("\(request) is not \(head)") }
}
