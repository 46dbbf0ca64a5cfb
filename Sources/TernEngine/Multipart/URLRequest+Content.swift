// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

// Contents that most requests have. Each sets the body; the method, to POST, unless one was set; and the Content-Type, unless
// the request has one.
extension URLRequest {
    /// Sets `value` as JSON.
    ///
    /// - Throws: the encoder's error.
    public mutating func setJSON(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws {
        post(.data(try encoder.encode(value)), type: "application/json")
    }

    /// Sets these names and values as a form, `application/x-www-form-urlencoded` (WHATWG URL §5.2), in this order. A name may
    /// occur several times.
    public mutating func setForm(_ fields: KeyValuePairs<String, String>) {
        setForm(fields.map { URLQueryItem(name: $0.key, value: $0.value) })
    }

    /// The same; an item without a value has an empty one.
    public mutating func setForm(_ items: [URLQueryItem]) {
        let pairs = items.map { PercentEncoding.form($0.name.utf8) + "=" + PercentEncoding.form(($0.value ?? "").utf8) }
        post(.data(Data(pairs.joined(separator: "&").utf8)), type: "application/x-www-form-urlencoded")
    }

    /// Sets the content of a file, as ``RequestBody/file(path:)`` reads it. Its type is that of the extension of its name.
    public mutating func setFile(_ file: URL) {
        let path = file.path(percentEncoded: false)
        post(.file(path: path), type: MediaTypes.type(ofFile: path))
    }

    private mutating func post(_ body: RequestBody, type: String) {
        setContent(body, type: type)
        if !isMethodNamed { httpMethod = "POST" }
    }

    /// Sets `body`, and the Content-Type unless the request has one. The method is unchanged.
    package mutating func setContent(_ body: RequestBody, type: String) {
        self.body = body
        if value(forHTTPHeaderField: "Content-Type") == nil { setValue(type, forHTTPHeaderField: "Content-Type") }
    }
}

extension URLRequest {
    /// A POST of `value` as JSON to the URL in `string`: see ``init(string:)`` and ``setJSON(_:encoder:)``.
    ///
    /// - Throws: ``InvalidRequest``, or the encoder's error.
    public static func post(
        _ string: String, json value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws -> URLRequest {
        try with("POST", string) { request in try request.setJSON(value, encoder: encoder) }
    }

    /// A PUT, otherwise the same.
    public static func put(
        _ string: String, json value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws -> URLRequest {
        try with("PUT", string) { request in try request.setJSON(value, encoder: encoder) }
    }

    /// A PATCH, otherwise the same.
    public static func patch(
        _ string: String, json value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws -> URLRequest {
        try with("PATCH", string) { request in try request.setJSON(value, encoder: encoder) }
    }

    /// A POST of a form to the URL in `string`: see ``init(string:)`` and ``setForm(_:)-(KeyValuePairs<String,String>)``.
    public static func post(
        _ string: String, form fields: KeyValuePairs<String, String>
    ) throws(InvalidRequest) -> URLRequest {
        var request = try URLRequest(string: string)
        request.setForm(fields)
        return request
    }

    private static func with(
        _ method: String, _ string: String, _ set: (inout URLRequest) throws -> Void
    ) throws -> URLRequest {
        var request = try URLRequest(string: string)
        request.httpMethod = method
        try set(&request)
        return request
    }
}
