// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import Testing

@Suite struct SensitiveFieldsTests {
    @Test func `fields with credentials are always among them, and marked ones in any case`() {
        var fields: SensitiveFields = ["X-Api-Key"]
        fields.insert("x-TOKEN")
        for name in ["x-api-key", "X-Token", "authorization", "Set-Cookie"] { #expect(fields.contains(name)) }
        #expect(!fields.contains("X-Api"))
        #expect(!SensitiveFields().contains("X-Api-Key"))
        #expect(fields.union(["X-More"]).contains("x-more"))
        #expect(fields.union([]) == fields)
    }

    @Test(
        "of a field no name and password of a URL is shown, and no query item that is marked",
        arguments: [
            ("Location: http://eve:s3@h/b", "Location: http://h/b"), ("Location: //eve:s3@h", "Location: //h"),
            ("Location: http://e@x:s3@h:80/@", "Location: http://h:80/@"), ("Origin: http://s3@h", "Origin: http://h"),
            ("Location: http:///eve:s3@h/", "Location: http:///h/"),
            ("Location: Https:/eve:s3@h/", "Location: Https:/h/"),
            ("Location: http://e:s3 s3\"<s3@h/", "Location: http://h/"),
            ("Refresh: 5; url=http://eve:s3@h/", "Refresh: 5; url=http://h/"),
            ("Link: <http://a:s3@h/1>; rel=next, <https://b:s3@h/2>", "Link: <http://h/1>; rel=next, <https://h/2>"),
            ("Location: /login?next=http://eve:s3@h/", "Location: /login?next=http://h/"),
            ("Location: /?Mine=s3&a=1#m%69ne=s3", "Location: /?Mine=\u{2026}&a=1#m%69ne=\u{2026}"),
            ("From: joe@h", "From: joe@h"), ("Via: 1.1 h (a//b)", "Via: 1.1 h (a//b)"), ("Mine: s3", "Mine: \u{2026}"),
        ])
    func shownFields(text: String, shown: String) throws {
        let colon = try #require(text.firstIndex(of: ":"))
        let field = HeaderField(name: String(text[..<colon]), value: String(text[colon...].dropFirst(2)))
        #expect((["mine"] as SensitiveFields).description(of: field) == shown)
        if !text.lowercased().contains("mine") { #expect(field.description == shown) }
    }

    @Test func `a request shows no field that is marked, in no description and no dump`() throws {
        var request = try URLRequest(string: "http://joe:s3@localhost/path?key=s3")
        request.setValue("s3", forHTTPHeaderField: "X-Api-Key")
        request.setValue("Bearer s3", forHTTPHeaderField: "Authorization")
        request.setValue("any", forHTTPHeaderField: "Accept")
        #expect(!request.isSensitive(fieldNamed: "x-api-key"))
        let copy = request
        request.sensitiveFields.insert("x-api-KEY")
        #expect(request.isSensitive(fieldNamed: "X-Api-Key"))
        #expect(!copy.isSensitive(fieldNamed: "X-Api-Key"))
        var dumped = ""
        dump(request, to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request)] { #expect(!text.contains("s3"), "\(text)") }
        #expect(String(reflecting: request) == "GET http://localhost/path\nX-Api-Key: …\nAuthorization: …\nAccept: any")
        #expect(dumped.contains("Accept: any"))
    }
}
