// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@Suite struct HTTPFieldSensitiveTests {
    @Test(arguments: ["Authorization", "cookie", "PROXY-AUTHORIZATION", "Set-Cookie", "set-cookie2"])
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
