// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct ContentDispositionTests {
    @Test(arguments: [
        ("attachment; filename=\"a b.txt\"", "a b.txt"), ("attachment; filename=a.txt", "a.txt"),
        ("inline;FILENAME = \"a.txt\" ; x=y", "a.txt"), ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
        ("attachment; filename=\"C:\\dir\\a.txt\"", "C:\\dir\\a.txt"), ("attachment; filename=a b.txt", "a b.txt"),
        ("attachment; filename*=UTF-8''%e2%82%ac%20rates", "\u{20ac} rates"),
        ("attachment; filename=\"x\"; filename*=utf-8'en'y", "y"), ("attachment; filename*=iso-8859-1''%a3", "\u{a3}"),
        ("attachment; filename*=UTF-8''%ff; filename=x", "x"), ("attachment; filename*=UTF-7''a; filename=x", "x"),
        ("attachment; filename*=UTF-8''%2; filename=x", "x"), ("attachment; filename*=a; filename=x", "x"),
        ("filename=x", "x"), ("attachment; filename=a; filename=b", "a"), ("attachment;;; filename=\"a;b\"", "a;b"),
        ("attachment; filename=\"a", "a"),
    ])
    func `a name is found`(value: String, name: String) {
        #expect(ContentDisposition(value).fileName == name)
    }

    @Test(arguments: ["", "attachment", ";", "attachment; filename", "attachment; name=x", "attachment; filenames=x"])
    func `and none where there is none`(value: String) {
        #expect(ContentDisposition(value).fileName == nil)
    }
}
