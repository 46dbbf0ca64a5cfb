// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing

@testable import TernCLI

@Suite struct RepeatedOptionTests {
    @Test(
        "a single-valued option that is given twice is found, in any form",
        arguments: [
            ("-X a -X b", "-X"), ("-X a --request b", "--request"), ("--request=a -vX b", "-X"), ("-Xa -Xb", "-X"),
            ("--max-time 1 u --max-time=2", "--max-time"), ("-m1 u -m2", "-m"), ("-X -X -X b", "-X"),
        ])
    func repeated(arguments: String, option: String) {
        #expect(Self.first(arguments, GetCommand.self) == option)
    }

    @Test(
        "a letter means what it means in its command",
        arguments: [
            ("-c 1 --connections 2", "--connections"), ("-d 1 -d 2", "-d"), ("--cacert a --cacert b", "--cacert"),
        ])
    func repeatedElsewhere(arguments: String, option: String) {
        #expect(Self.first(arguments, BenchCommand.self) == option)
        #expect(Self.first("--anchors a --cacert b", TrustPinsCommand.self) == "--cacert")
    }

    @Test(
        "what may be repeated may be",
        arguments: [
            "-H a:b -H c:d", "--pin a --pin b", "-v -v", "-o - -v", "-X a -- -X b", "-HXX -HXX", "-o a -o b",
            "-k --key a --key-log b", "-d a -d b", "-d -X -X b", "-X -d -d -X", "--data --user -u a", "-dm -dm",
        ])
    func once(arguments: String) {
        #expect(Self.first(arguments, GetCommand.self) == nil)
        #expect(Self.first("--crl a --crl b", TrustPinsCommand.self) == nil)
    }

    @Test(arguments: ParserOption.all)
    func `every option of every command is known`(option: ParserOption) {
        for (name, other) in zip(option.names, option.names.dropFirst() + option.names.prefix(1)) {
            #expect(RepeatedOption.isFollowedByValue(name))
            let first = RepeatedOption.first(in: [name, "1", other, "2"], of: option.command)
            #expect(first == (option.isRepeating ? nil : other), "\(name), \(other)")
        }
    }

    private static func first(_ arguments: String, _ command: any ParsableCommand.Type) -> String? {
        RepeatedOption.first(in: arguments.split(separator: " ").map(String.init), of: command)
    }
}
