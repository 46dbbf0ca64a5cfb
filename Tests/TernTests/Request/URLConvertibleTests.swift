// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import Testing

@Suite struct URLConvertibleTests {
    @Test func `text, URLs and their components are convertible`() throws {
        let text = "https://example.com/a?b=c#d"
        let url = try #require(URL(string: text))
        let components = try #require(URLComponents(string: text))
        #expect(try text.asURL() == url)
        #expect(try url.asURL() == url)
        #expect(try components.asURL() == url)
    }

    @Test(arguments: ["", "http://exa mple.com/", "http://x/a b", "http://[::1", "http://x/ä", "😃", "http://x:y/"])
    func `text that is no URL is refused, not repaired`(text: String) {
        let error = #expect(throws: AFError.self) { try text.asURL() }
        #expect(error?.urlConvertible as? String == text)
    }

    @Test func `components without a URL are refused`() {
        var components = URLComponents()
        components.host = "example.com"
        components.path = "relative"
        let error = #expect(throws: AFError.self) { try components.asURL() }
        #expect(error?.isInvalidURLError == true)
    }
}
