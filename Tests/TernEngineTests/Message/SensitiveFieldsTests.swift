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
