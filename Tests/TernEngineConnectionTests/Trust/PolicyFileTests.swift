// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import Testing

@testable import TernEngine

@Suite struct PolicyFileTests {
    private static let one = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    private static let two = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE="

    private func file(_ text: String) throws(PolicyFileError) -> PolicyFile { try PolicyFile(json: Array(text.utf8)) }

    @Test func `a file is read to the last field`() throws {
        let file = try file(
            """
            {
              "version": 1,
              "unlistedHosts": "refuse",
              "pinSets": [
                {
                  "hosts": ["API.example.com", "**.example.net"],
                  "excludedHosts": ["legacy.example.net"],
                  "pins": ["\(Self.one)"],
                  "backupPins": ["\(Self.two)"],
                  "scope": "leaf",
                  "mode": "reportOnly",
                  "expires": "2030-12-31",
                  "reportURLs": ["https://reports.example.com/pins"]
                }
              ]
            }
            """)
        let set = PinSet(
            hosts: [try HostPattern("api.example.com"), try HostPattern("**.example.net")],
            excludedHosts: [try HostPattern("legacy.example.net")],
            pins: [try X509Certificate.PublicKey(pin: Self.one)],
            backupPins: [try X509Certificate.PublicKey(pin: Self.two)], scope: .leaf, mode: .reportOnly,
            expires: 1_924_905_600,
            reportURLs: ["https://reports.example.com/pins"])
        #expect(file == PolicyFile(pinSets: [set], unlistedHosts: .refuse))
        #expect(file.manager().allHostsMustBeEvaluated)
        #expect(file.manager().serverTrustPolicy(forHost: "a.b.example.net") != nil)
        #expect(file.manager().serverTrustPolicy(forHost: "legacy.example.net") == nil)
    }

    @Test(arguments: TrustProfile.allCases) func `a file may name the profile`(profile: TrustProfile) throws {
        let file = try file(#"{"profile": "\#(profile.rawValue)", "pinSets": []}"#)
        #expect(file.profile == profile)
        #expect(file.manager().profile == profile)
    }

    @Test func `a file may limit the depth of paths`() throws {
        let file = try file(#"{"maxPathDepth": 3, "pinSets": []}"#)
        #expect(file.maximumPathDepth == 3)
        #expect(file.manager().maximumPathDepth == 3)
    }

    @Test func `what may be left out has a safe default`() throws {
        let file = try file(#"{"pinSets":[{"hosts":["a.example"],"pins":["\#(Self.one)"]}]}"#)
        let set = try #require(file.pinSets.first)
        #expect(set.mode == .enforce)
        #expect(set.scope == .anyCertificate)
        #expect(set.expires == nil)
        #expect(file.unlistedHosts == .evaluate)
        #expect(file.profile == nil)
        #expect(file.maximumPathDepth == nil)
        #expect(file.warnings(at: 0).map(\.warning) == [.onePin])
    }

    /// A faulty file, with `…` in place of a valid pin, and the expected error.
    @Test(arguments: [
        ("", "line 1, column 1: not valid JSON: the text ends too early"),
        ("{\n\n  nope }", "line 3, column 3: not valid JSON: unexpected \"n\""),
        ("[]", "line 1, column 1: an object is expected here, not an array"),
        ("{}", "line 1, column 1, pinSets: the field is missing"),
        (
            "{\"version\":3,\"pinSets\":[]}",
            "line 1, column 12, version: version 3 is not supported; this reader knows 1 and 2"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.test\"],\n\"pinz\":[]}]}",
            "line 2, column 1, pinSets[0].pinz: there is no such field; did you mean \"pins\"?"
        ),
        ("{\"PinSet\":[]}", "line 1, column 2, PinSet: there is no such field; did you mean \"pinSets\"?"),
        ("{\"unlistedHosts\":\"refuse\",\"sets\":[]}", "line 1, column 1, pinSets: the field is missing"),
        ("{\n\"pinSets\":[],\n\"pinsets\":[]}", "line 3, column 1, pinsets: there is no such field"),
        ("{\"pinSets\":[\n{\"hosts\":[\"a.b\"]}]}", "line 2, column 1, pinSets[0].pins: the field is missing"),
        ("{\"pinSets\":[{\"pins\":[\"…\"]}]}", "line 1, column 13, pinSets[0].hosts: the field is missing"),
        ("{\"pinSets\":[{\"hosts\":[],\"pins\":[\"…\"]}]}", "line 1, column 22, pinSets[0].hosts: the list is empty"),
        ("{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[]}]}", "line 1, column 37, pinSets[0].pins: the list is empty"),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\n\"pins\":[\"…\",\n\"sha1/x\"]}]}",
            "line 3, column 1, pinSets[0].pins[1]: the pin \"sha1/x\" does not begin with \"sha256/\""
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.*.b\"],\"pins\":[\"…\"]}]}",
            "line 1, column 23, pinSets[0].hosts[0]: \"a.*.b\" has an asterisk elsewhere than in \"*.\" or \"**.\" at its beginning"
        ),
        (
            "{\"pinSets\":[{\"hosts\":\"a.b\",\"pins\":[\"…\"]}]}",
            "line 1, column 22, pinSets[0].hosts: an array is expected here, not a string"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[\"…\"],\"mode\":\"report-only\"}]}",
            "line 1, column 100, pinSets[0].mode: \"report-only\" is none of \"enforce\", \"reportOnly\""
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[\"…\"],\"expires\":\"2030-02-30\"}]}",
            "line 1, column 103, pinSets[0].expires: \"2030-02-30\" is neither a date such as 2030-12-31 nor an RFC 3339 time"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[\"…\"],\"reportURLs\":[\"ftp://x.y/\"]}]}",
            "line 1, column 107, pinSets[0].reportURLs[0]: \"ftp://x.y/\" is not an http or https URL"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[\"…\"],\n\"reportURLs\":[\"https://a/\",\"https://a:99999/\"]}]}",
            "line 2, column 28, pinSets[0].reportURLs[1]: \"https://a:99999/\" is not an http or https URL"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[\"…\"],\"reportURLs\":[\"https://%00/\"]}]}",
            "line 1, column 107, pinSets[0].reportURLs[0]: \"https://%00/\" is not an http or https URL"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[\"…\"],\"reportURLs\":[\"https:a/\"]}]}",
            "line 1, column 107, pinSets[0].reportURLs[0]: \"https:a/\" is not an http or https URL"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[\"…\"]},\n{\"hosts\":[\"A.B.\"],\"pins\":[\"…\"]}]}",
            "line 2, column 11, pinSets[1].hosts[0]: \"a.b\" is in this list or another already"
        ),
        (
            "{\"pinSets\":[{\"hosts\":[\"a.b\"],\"pins\":[1]}]}",
            "line 1, column 38, pinSets[0].pins[0]: a string is expected here, not a number"
        ),
        (
            "{\"maxPathDepth\":11,\"pinSets\":[]}",
            "line 1, column 17, maxPathDepth: 11 is not a whole number from 0 to 10"
        ),
        (
            "{\"maxPathDepth\":1.5,\"pinSets\":[]}",
            "line 1, column 17, maxPathDepth: 1.5 is not a whole number from 0 to 10"
        ),
        (
            "{\"maxPathDepth\":\"1\",\"pinSets\":[]}",
            "line 1, column 17, maxPathDepth: a number is expected here, not a string"
        ),
        (
            "{\"unlistedHosts\":\"allow\",\"pinSets\":[]}",
            "line 1, column 18, unlistedHosts: \"allow\" is none of \"evaluate\", \"refuse\""
        ),
    ])
    func `an error names line and field`(text: String, message: String) {
        #expect { try file(text.replacing("…", with: Self.one)) } throws: { "\($0)" == message }
    }

    @Test func `a file that is not there is named`() {
        #expect { try PolicyFile(contentsOf: URL(filePath: "/nowhere/policy.json")) } throws: {
            "\($0)" == "cannot read /nowhere/policy.json: open: No such file or directory (errno 2)"
        }
    }
}
