// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TestPrograms
import TestProofs
import Testing

@testable import TernCLI

@Suite struct RequestedURLTests {
    @Test(
        "an invalid URL is reported with its reason",
        arguments: [
            ("", "the URL is empty"),
            ("http:/", #""http://": the URL has no host"#),
            ("ftp:/a/", #""ftp:/a/": the scheme "ftp" is not http or https"#),
            ("http://a b/", #""http://a b/": "a b" is not a host name: it has a space in it"#),
            ("http://[::1/", #""http://[::1/": "[::1" is not a host name: a bracket is not closed"#),
            ("http://a:b/", #""http://a:b/": "b" is not a port from 1 to 65535"#),
            ("ftp://a/", #""ftp://a/": the scheme "ftp" is not http or https"#),
            ("/etc/passwd", #""http:///etc/passwd": the URL has no host"#),
            ("http://", #""http://": the URL has no host"#),
        ])
    func refused(text: String, message: String) {
        let error = #expect(throws: CommandFailure.self) { try RequestedURL(text) }
        #expect(error?.message == message)
    }

    @Test func `blanks around an argument are left out`() throws {
        #expect(try RequestedURL(argument: " http://a.test/b\n").text == "http://a.test/b")
        #expect(
            try FetchOptions.parse([" a.test/[1-2] "]).targets.map { try $0.get().url.text } == [
                "http://a.test/1", "http://a.test/2",
            ])
    }

    @Test(
        "a password in what is no URL is not shown",
        arguments: [
            "http://user:hunter2@:x/", "user:hunter2@a.test:x", "ftp://hunter2@a.test/",
            "http://a.test\\@hunter2@b.test:x/",
        ])
    func credentials(text: String) {
        let error = #expect(throws: CommandFailure.self) { try RequestedURL(text) }
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func `a password is sent when it is requested, and is in no text`() throws {
        for (typed, text, user, password) in [
            ("http://ada:hunt%65r2@a.test/x?y#z", "http://a.test/x?y#z", "ada", "hunter2"),
            ("https://ada@[::1]:8443", "https://[::1]:8443", "ada", ""),
        ] {
            let target = try RequestedURL(typed)
            #expect(target.text == text && target.url.absoluteString == text && !"\(target.request)".contains("ada"))
            #expect(target.request.credential == PasswordCredential(user: user, password: password))
        }
    }

    @Test(
        .proves("14.7a"),
        arguments: [
            ("http:/a.test/x", "http://a.test/x"), ("HTTPS:/a.test:8/x//y", "HTTPS://a.test:8/x//y"),
            ("http:///a.test?q", "http://a.test?q"), ("http:////[::1]:8/", "http://[::1]:8/"),
            ("http://a.test//x", "http://a.test//x"), ("http:/b\u{fc}cher.test/", "http://xn--bcher-kva.test/"),
            ("http:/a.test/./b/../c", "http://a.test/./b/../c"),
        ])
    func `one slash behind the scheme, and more than two, are read as two`(typed: String, url: String) throws {
        #expect(try RequestedURL(argument: typed).url.absoluteString == url)
    }

    @Test func `the credentials behind any number of slashes are sent when they are requested, and shown nowhere`()
        throws
    {
        for slashes in ["/", "///"] {
            let target = try RequestedURL("http:\(slashes)ada:hunter2@a.test/./x")
            #expect(target.text == "http://a.test/./x" && target.request.credential?.user == "ada")
            let error = #expect(throws: CommandFailure.self) { try RequestedURL("http:\(slashes)ada:hunter2@a.test:x") }
            #expect(error?.message.contains("hunter2") == false)
        }
    }

    @Test func `what is a URL is requested as it is`() throws {
        #expect(try RequestedURL("HTTP://A.test/x?y=@z").url.absoluteString == "HTTP://A.test/x?y=@z")
        #expect(try RequestedURL(secure: "https://a.test/").isSecure)
        #expect(throws: UsageError.self) { try RequestedURL(secure: "http://a.test/") }
    }

    @Test(
        "a URL without a scheme is http, as in curl",
        arguments: [
            ("localhost:8080/health", "http://localhost:8080/health"), ("127.0.0.1:80/x", "http://127.0.0.1:80/x"),
            ("example.com", "http://example.com"), ("ftp.example.com/a:/b", "http://ftp.example.com/a:/b"),
            ("[::1]:8080", "http://[::1]:8080"), ("h/?u=http://x/", "http://h/?u=http://x/"),
            ("HTTPS://h/", "HTTPS://h/"),
        ])
    func withoutScheme(text: String, url: String) throws {
        let target = try RequestedURL(text)
        #expect(target.url.absoluteString == url && target.text == url)
    }

    @Test func `a name and a password need no scheme`() throws {
        let target = try RequestedURL("ada:hunter2@a.test:81/x")
        #expect(target.text == "http://a.test:81/x")
        #expect(target.request.credential == PasswordCredential(user: "ada", password: "hunter2"))
    }

    @Test func `a server that has certificates is asked by https, unless its URL says otherwise`() throws {
        for text in ["a.test", "a.test:8443", "[::1]:8443/x"] {
            #expect(try RequestedURL(secure: text).url.absoluteString == "https://" + text)
        }
    }

    @Test(
        "an internationalized host is requested by its name in DNS",
        arguments: [
            ("http://bücher.example", "http://xn--bcher-kva.example"),
            ("https://BÜCHER.example:8443/ä?ü#ö", "https://xn--bcher-kva.example:8443/%C3%A4?%C3%BC#%C3%B6"),
            ("http://faß.de?x", "http://xn--fa-hia.de?x"), ("http://☃.net/", "http://xn--n3h.net/"),
            ("http://ＡＢＣ。example/", "http://abc.example/"),
        ])
    func internationalizedHost(text: String, url: String) throws {
        let target = try RequestedURL(text)
        #expect(target.text == text)
        #expect(target.url.absoluteString == url)
    }

    @Test(
        "a host that has no name in DNS is refused",
        arguments: ["http://a\u{200d}b.example/", "http://a\u{ff0f}b.example/", "http://\u{301}a.example/"])
    func noInternationalizedHost(text: String) {
        let error = #expect(throws: CommandFailure.self) { try RequestedURL(text) }
        #expect(error?.message.contains("is not a host name") == true)
    }
}

@Suite struct TypedURLTests {
    @Test(arguments: [
        ("http://h/a/../b", "http://h/b"), ("http://h/a/./b/", "http://h/a/b/"), ("http://h/a/..", "http://h/"),
        ("http://h/../../b?x=/../y", "http://h/b?x=/../y"), ("http://h/a//b", "http://h/a//b"),
        ("http://h/.a/b.", "http://h/.a/b."), ("http://h", "http://h"), ("http://h?/../", "http://h?/../"),
        ("http://h/a/.", "http://h/a/"), ("http://h/a#/../b", "http://h/a#/../b"),
    ])
    func `dot segments are removed from the path`(text: String, expected: String) {
        #expect(TypedURL(text).withoutDotSegments == expected)
    }

    @Test func `a space is refused with what to do`() throws {
        let error = #expect(throws: CommandFailure.self) { try TypedURL("http://h/a b").check() }
        #expect(error?.status == .malformedURL)
        try TypedURL("http://[::1]/[1-3].txt").check()
    }

    @Test func `a URL without a scheme gets the one of --proto-default`() throws {
        #expect(try RequestedURL("h/x", defaultScheme: "https").url.absoluteString == "https://h/x")
        #expect(try RequestedURL("http://h/x", defaultScheme: "https").url.absoluteString == "http://h/x")
        let options = try FetchOptions.parse(["--proto-default", "HTTPS", "--url", "h/x", "--proto", "=https"])
        #expect(try options.targets.map { try $0.get().url.isSecure } == [true])
    }
}
