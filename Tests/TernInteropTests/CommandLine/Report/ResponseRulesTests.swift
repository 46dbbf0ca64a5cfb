// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine
import TestProofs
import Testing

@testable import TernCLI

@Suite struct ResponseRulesTests {
    private func response(_ status: Int, _ fields: [String: String] = [:]) throws -> Tern.HTTPURLResponse {
        let url = try #require(URL(string: "http://a.test/"))
        let response = Tern.HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        return try #require(response)
    }

    @Test func `a redirect may lead to the schemes that are allowed, in any case`() {
        var rules = ResponseRules()
        #expect(rules.refusal(ofRedirectTo: "ftp") == nil)
        rules.redirectSchemes = ["https"]
        #expect(rules.refusal(ofRedirectTo: "HTTPS") == nil)
        #expect(rules.refusal(ofRedirectTo: nil) == nil)
        #expect(rules.refusal(ofRedirectTo: "HTTP")?.description.contains("leads to http,") == true)
    }

    @Test(arguments: [
        (200, false, false), (399, false, false), (400, true, true), (503, true, true),
    ])
    func `errors are refused at once, or with their body`(status: Int, isRefused: Bool, isRefusedWhole: Bool) throws {
        let head = ResponseRules(refusesErrors: true)
        #expect((head.refusal(of: try response(status), length: nil) != nil) == isRefused)
        #expect(head.refusal(ofWhole: try response(status), received: 0, from: nil) == nil)
        let body = ResponseRules(refusesErrorsWithBody: true)
        #expect(body.refusal(of: try response(status), length: nil) == nil)
        #expect((body.refusal(ofWhole: try response(status), received: 0, from: nil) != nil) == isRefusedWhole)
    }

    @Test(
        .proves("14.11a"),
        arguments: [
            ("bytes 4-9/10", 6, nil), ("bytes 4-6/10", 3, 7), ("bytes 4-9/10", 3, 7), ("bytes 4-9/10", 8, 12),
            ("bytes 4-9/*", 6, nil), ("bytes 4-9/*", 3, 7),
        ] as [(String, Int, Int64?)])
    func `a part is the rest of a file if the file then has the length that the server named`(
        range: String, received: Int, length: Int64?
    ) throws {
        let part = try response(206, ["Content-Range": range])
        let refusal = ResponseRules().refusal(ofWhole: part, received: received, from: 4)
        #expect((refusal != nil) == (length != nil))
        if let length {
            #expect(refusal?.exitStatus == .partialBody)
            #expect(refusal?.description.contains("it has \(length) bytes now, and the server's file 10") == true)
        }
        #expect(ResponseRules().refusal(ofWhole: part, received: received, from: nil) == nil)
        #expect(ResponseRules(wantsHeadAlone: true).refusal(ofWhole: part, received: 0, from: 4) == nil)
    }

    @Test(arguments: [(9, false), (10, false), (11, true)])
    func `a body may have the size of the limit`(length: Int, isRefused: Bool) throws {
        let rules = ResponseRules(maximumBodySize: 10)
        #expect((rules.refusal(of: try response(200), length: length) != nil) == isRefused)
        #expect((rules.refusal(ofLength: length) != nil) == isRefused)
        #expect(ResponseRules().refusal(ofLength: .max) == nil)
    }

    @Test(arguments: [
        ("gzip", false), ("GZIP, deflate", false), ("identity", false), ("none", false), ("NONE, gzip", false),
        ("compress", true), ("gzip, compress", true),
    ])
    func `a coding is refused only where it is to be decoded`(coding: String, isRefused: Bool) throws {
        let response = try response(200, ["Content-Encoding": coding])
        #expect((ResponseRules(decodes: true).refusal(of: response) != nil) == isRefused)
        #expect(ResponseRules().refusal(of: response) == nil)
    }
}

@Suite struct RefusedResponseTests {
    @Test func `the URL belongs to a status, and to no other refusal`() throws {
        #expect(
            RefusedResponse.status(404).message(asking: "http://a.test/") == "the server answered 404 to http://a.test/"
        )
        #expect(RefusedResponse.status(404).message(asking: nil) == "the server answered 404")
        #expect(RefusedResponse.noPart(status: 206).message(asking: "http://a.test/").contains("a.test") == false)
    }

    @Test func `a coding of the server's makes no long message`() {
        #expect(RefusedResponse.unknownCoding(String(repeating: "x", count: 5000)).description.utf8.count < 200)
    }

    @Test func `only the size is found out in the body`() {
        #expect(RefusedResponse.tooLarge(limit: 1).phase == "body")
        for refusal in [
            RefusedResponse.status(404), .ambiguousLocation, .redirect(scheme: "http"), .unknownCoding("x"),
        ] {
            #expect(refusal.phase == "head")
        }
    }
}
