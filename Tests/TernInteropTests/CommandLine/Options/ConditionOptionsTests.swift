// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

@testable import TernCLI

/// Conditions of requests, beside curl.
@Suite(.timeLimit(.minutes(1))) struct ConditionOptionsTests {
    private static func origin() throws -> ScriptedOrigin {
        try ScriptedOrigin { _, request in
            switch request.target {
            case "/304": [.respond(status: 304, reason: "Not Modified", fields: [("ETag", "\"n\"")])]
            case "/304/bare": [.respond(status: 304, reason: "Not Modified")]
            case "/weak": [.respond(fields: [("ETag", "W/\"weak\"")], body: "body")]
            case "/raw": [.respond(fields: [("etag", "no quotes\u{E9}")], body: "body")]
            case "/none": [.respond(body: "body")]
            case "/404": [.respond(status: 404, reason: "Not Found", fields: [("ETag", "\"err\"")], body: "no")]
            case "/2020": [.respond(fields: [("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")], body: "body")]
            default: [.respond(fields: [("ETag", "\"abc\"")], body: "body")]
            }
        }
    }

    /// Runs a script with `$GET`, once for curl and once for tern, each in a folder of its own.
    private func results(_ script: String) async throws -> (
        curl: Command.Result, tern: Command.Result, conditions: [[String]]
    ) {
        let (ours, theirs) = (try Self.origin(), try Self.origin())
        let run = { (command: String, origin: ScriptedOrigin) in
            let folder = try TemporaryFolder()
            let file = try folder.write("old", to: "file")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)], ofItemAtPath: file)
            return try await Command.run(
                [
                    "env", "-C", folder.url.path, "GET=" + command, "URL=http://127.0.0.1:\(origin.port)", "bash", "-c",
                    script,
                ],
                environment: TernTool.environment)
        }
        let curl = try await run("curl -sS", theirs)
        let tern = try await run(try TernTool.executable.path + " request -sS", ours)
        let conditions = [theirs, ours].map { origin in
            origin.requests.flatMap { request in
                request.fields.filter { $0.name.lowercased().hasPrefix("if-") }.map { "\($0.name): \($0.value)" }
            }
        }
        return (curl, tern, conditions)
    }

    @Test(arguments: [
        "Wed, 01 Jan 2020 00:00:00 GMT", "-Wed, 01 Jan 2020 00:00:00 GMT", "Wed 01 Sep 2021 12:18:00", "20200102",
        "20200102 03:04:05", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "06 Nov 1994", "Nov 6 1994",
        "08:49:37 06-Nov-94 +0100", "06 Nov 1994 08:49:37 EST", "06 Nov 1994 08:49:37 +0130", "1994 6 Nov 08:49",
        "nonsense", "-nonsense", "", "-", "file", "-file", "12345", "2020/01/02", "1 jan 2020", "01 Sep 2050",
        "06 Nov 1994 08:49:37 -0800", "06 nov 1994 08:49:37 nzdt", "06 Nov 26", "32 Jan 2020", "1 Foo 2020", "1 Jan",
        "+1 Jan 2020",
    ])
    func `a date means what it means in curl`(text: String) async throws {
        let (curl, tern, conditions) = try await results("$GET -z '\(text)' $URL/none")
        #expect(tern.status == curl.status && tern.output == curl.output, "\(tern.errors)")
        #expect(conditions[0] == conditions[1])
    }

    @Test(arguments: [
        "$GET --etag-save tag $URL/; cat tag", "$GET --etag-save tag $URL/weak; cat tag",
        "$GET --etag-save tag $URL/raw; cat tag",
        "echo x > tag; $GET --etag-save tag $URL/none; cat tag", "$GET --etag-save - $URL/none",
        "$GET --etag-save tag $URL/; $GET --etag-compare tag --etag-save tag $URL/304; cat tag",
        "$GET --etag-save tag $URL/weak; $GET --etag-compare tag $URL/",
        "printf abc > tag; $GET --etag-compare tag $URL/",
        ": > tag; $GET --etag-compare tag $URL/", "printf '\"a\"\\r\\n' > tag; $GET --etag-compare tag $URL/",
        "printf '\"a\"' > tag; $GET --etag-compare tag -z 20200102 $URL/",
        "printf '\"a\"' > tag; $GET --etag-compare tag -H 'If-None-Match: \"z\"' $URL/",
        "$GET -z 20200102 -H 'If-Modified-Since: x' $URL/",
        "$GET -z file -o file $URL/304; cat file", "$GET -o new $URL/304; ls", "$GET -o file $URL/304; cat file",
        "$GET -z file -o file $URL/; cat file", "$GET -i $URL/304", "$GET -I $URL/304",
        "$GET -z 20210101 $URL/2020", "$GET -z 20190101 $URL/2020", "$GET -z -20190101 $URL/2020",
        "$GET -z -20210101 $URL/2020", "$GET -z 20210101 -o file $URL/2020; cat file",
        "$GET -z 20210101 -r 0-1 $URL/2020",
    ])
    func `tags are saved and compared as by curl, and what has not changed changes no file`(script: String) async throws
    {
        let (curl, tern, conditions) = try await results(script)
        #expect(tern.status == curl.status && tern.output == curl.output, "\(tern.errors)")
        #expect(conditions[0] == conditions[1])
    }

    @Test(arguments: [
        ("$GET --etag-compare none $URL/", 0, "body"),
        ("echo x > tag; $GET --etag-save tag $URL/304/bare; cat tag", 0, "x\n"),
        ("echo x > tag; $GET --etag-save tag $URL/404; cat tag", 0, "nox\n"),
        ("echo x > tag; $GET -f --etag-save tag $URL/404; cat tag", 0, "x\n"),
        ("echo x > tag; $GET --etag-save tag http://127.0.0.1:1/; cat tag", 0, "x\n"),
        ("$GET --etag-save tag $URL/ $URL/weak", 2, ""), ("$GET --etag-save none/tag $URL/", 23, ""),
        ("$GET --etag-save tag -o tag $URL/", 2, ""),
    ])
    func `a tag is lost by no failure`(script: String, status: Int, output: String) async throws {
        let (_, tern, _) = try await results(script)
        #expect(tern.status == Int32(status) && tern.output == output, "\(tern.output) \(tern.errors)")
    }

    @Test func `what is no date is told, and no condition`() async throws {
        let origin = try Self.origin()
        let result = try await TernTool.run(
            "get", "--no-progress-meter", "-z", "nonsense", "http://127.0.0.1:\(origin.port)/")
        #expect(result.text == "body")
        #expect(result.errors == "tern: -z: \"nonsense\" is no date and no file: no condition is sent\n")
    }
}
