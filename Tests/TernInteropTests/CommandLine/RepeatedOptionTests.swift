// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct RepeatedOptionTests {
    @Test(
        "an option that counts once is found when it is given twice, however it is spelled",
        arguments: [
            ("-o a -o b", "-o"), ("-o a --output b", "--output"), ("--output=a -vo b", "-o"), ("-oa -ob", "-o"),
            ("--max-time 1 u --max-time=2", "--max-time"), ("--anchors a --cacert b", "--cacert"),
            ("-c 1 --connections 2", "--connections"),
        ])
    func repeated(arguments: String, option: String) {
        #expect(RepeatedOption.first(in: arguments.split(separator: " ").map(String.init)) == option)
    }

    @Test(
        "what may be repeated may be",
        arguments: [
            "-H a:b -H c:d", "--pin a --pin b", "-v -v", "-o - -v", "-o a -- -o b", "-Hoo -Hoo",
            "-k --key a --key-log b", "--crl a --crl b",
        ])
    func once(arguments: String) {
        #expect(RepeatedOption.first(in: arguments.split(separator: " ").map(String.init)) == nil)
    }
}
