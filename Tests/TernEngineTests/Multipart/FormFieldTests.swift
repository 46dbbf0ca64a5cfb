// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct FormFieldTests {
    @Test(arguments: [
        ("plain", "plain"), ("a b;c=d", "a b;c=d"), ("Küste 🐦", "Küste 🐦"), (#"quo"te"#, "quo%22te"),
        (#"back\slash"#, #"back\slash"#), ("100%22", "100%22"),
        ("line\r\nX-Injected: yes", "line%0D%0AX-Injected: yes"),
        ("\r\n--b--\r\n", "%0D%0A--b--%0D%0A"), ("nul\0\u{7F}\t", "nul%00%7F%09"), ("", ""),
    ])
    func `a name cannot end its quotes or its line`(name: String, quoted: String) {
        #expect(FormField.disposition(name: name, fileName: nil).value == "form-data; name=\"\(quoted)\"")
        let field = FormField.disposition(name: "n", fileName: name)
        #expect(field.value == "form-data; name=\"n\"; filename=\"\(quoted)\"")
        #expect(FormField.isValid(field))
    }

    @Test func `a field has a token for a name, and no end of line in its value`() {
        #expect(FormField.isValid(.init(name: "X-A", value: "b\tc ü")))
        for (name, value) in [("", "a"), ("A B", "a"), ("A:", "a"), ("A", "b\r\nc"), ("A", "\n"), ("A", "\0")] {
            #expect(!FormField.isValid(.init(name: name, value: value)))
        }
    }
}
