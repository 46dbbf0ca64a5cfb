// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct HeaderFieldsTests {
    private let fields: HeaderFields = [
        "Accept": "a", "X-One": "1", "accept": "b", "Set-Cookie": "c", "set-cookie": "d",
    ]

    @Test func `Order, repeats and case are kept`() {
        #expect(fields.map(\.name) == ["Accept", "X-One", "accept", "Set-Cookie", "set-cookie"])
        #expect(fields.count == 5)
        #expect(fields[2] == HeaderField(name: "accept", value: "b"))
    }

    @Test func `Lookup ignores case and joins repeats`() {
        #expect(fields["ACCEPT"] == "a, b")
        #expect(fields["x-one"] == "1")
        #expect(fields["Absent"] == nil)
        #expect(fields.values(for: "Accept") == ["a", "b"])
        #expect(fields.values(for: "Absent") == [])
        #expect(fields.contains("X-ONE") && !fields.contains("X-On") && !fields.contains("Y-One"))
    }

    @Test func `Set-Cookie is never joined`() {
        #expect(fields["Set-Cookie"] == "c")
        #expect(fields.values(for: "Set-Cookie") == ["c", "d"])
    }

    @Test func `Only ASCII letters have case`() {
        let odd: HeaderFields = ["a@": "1", "\u{212A}": "2"]
        #expect(odd["a`"] == nil)
        #expect(odd["k"] == nil)
    }

    @Test func `Setting replaces all of the name in the first one's place`() {
        var fields = fields
        fields["aCCept"] = "z"
        #expect(fields.map(\.name) == ["aCCept", "X-One", "Set-Cookie", "set-cookie"])
        #expect(fields["Accept"] == "z")
        fields["New"] = "n"
        #expect(fields.last == HeaderField(name: "New", value: "n"))
        fields["set-cookie"] = nil
        #expect(fields.map(\.name) == ["aCCept", "X-One", "New"])
        fields["Absent"] = nil
        #expect(fields.count == 3)
    }

    @Test func `the fields of others follow where their names are missing`() {
        let own: HeaderFields = ["Accept": "a", "X": "1"]
        #expect(
            own.completed(by: ["accept": "b", "Y": "2", "x": "3", "Y": "4"]) == [
                "Accept": "a", "X": "1", "Y": "2", "Y": "4",
            ])
        #expect(own.completed(by: ["ACCEPT": "b"]) == nil)
        #expect(own.completed(by: [:]) == nil)
        #expect(([:] as HeaderFields).completed(by: own) == own)
        #expect(([:] as HeaderFields).completed(by: [:]) == nil)
    }

    @Test func `a name of another length than all there are is not there`() {
        let long = String(repeating: "n", count: 200)
        let lengths = (["Range": "", "Accept": "", long: ""] as HeaderFields).nameLengths
        #expect(lengths.contain("range") && lengths.contain("Pragma") && lengths.contain(long + long))
        #expect(
            !lengths.contain("") && !lengths.contain("If-Match") && !lengths.contain(String(repeating: "n", count: 62)))
    }

    @Test func `Descriptions hide secrets`() {
        let fields: HeaderFields = ["Accept": "a", "authorization": "s3", "COOKIE": "s3", "Proxy-Authorization": "s3"]
        #expect("\(fields)" == "Accept: a\nauthorization: …\nCOOKIE: …\nProxy-Authorization: …")
        let origin = HTTPOrigin(scheme: .http, host: "a", port: 80)
        let head = RequestHead(method: "GET", target: .origin("/"), origin: origin, fields: fields)
        #expect(!"\(head)".contains("s3"))
    }

    @Test func `Appending keeps what is there`() {
        var fields = HeaderFields()
        #expect(fields.isEmpty)
        fields.append("A", "1")
        fields.append("a", "2")
        #expect(fields["A"] == "1, 2")
        fields.removeAll(named: "A")
        #expect(fields.isEmpty)
        #expect(HeaderFields([HeaderField(name: "A", value: "1")]) == ["A": "1"])
    }
}

@Suite struct HTTPFieldSensitiveTests {
    @Test(arguments: [
        "Authorization", "cookie", "PROXY-AUTHORIZATION", "Set-Cookie", "set-cookie2", "Signature", "signature-input",
        "X-Amz-Security-Token",
    ])
    func `Fields with credentials are recognised in any case`(name: String) {
        let field = HeaderField(name: name, value: "s3")
        #expect(field.isSensitive)
        #expect("\(field)" == "\(name): …")
    }

    @Test(arguments: ["Accept", "WWW-Authenticate", "Authentication-Info", "Cookies", ""])
    func `Other fields are shown`(name: String) {
        #expect(!HeaderField.isSensitive(name))
        #expect("\(HeaderField(name: name, value: "v"))" == "\(name): v")
    }

    @Test func `A dump hides what a description hides`() {
        var text = ""
        dump(["Authorization": "s3", "Accept": "any"] as HeaderFields, to: &text)
        #expect(!text.contains("s3"))
        #expect(text.contains("any"))
    }
}

@Suite struct FieldBlockTests {
    @Test func `an empty block has no fields`() {
        #expect(FieldBlock.empty.count == 0)
        #expect(FieldBlock.empty.position(at: 0) == nil)
        #expect(FieldBlock.empty.firstIndex(of: "A") == nil)
        #expect(FieldBlock.empty.valueRanges(for: "A").isEmpty)
    }
}
