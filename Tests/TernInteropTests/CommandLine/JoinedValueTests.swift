// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct JoinedValueTests {
    @Test(arguments: [
        ("-da=b", "-d a=b"), ("-HName:x", "-H Name:x"), ("-sSLofile", "-sSLo file"), ("-uuser:x", "-u user:x"),
        ("-d -da=b", "-d -da=b"), ("--header -Hx", "--header -Hx"), ("-sS -o x", "-sS -o x"), ("-- -da", "-- -da"),
        ("- -i", "- -i"), ("--data=-da -XPUT", "--data=-da -X PUT"), ("-m1 -o -", "-m 1 -o -"),
    ])
    func `a value is taken off the option it is glued to`(arguments: String, expected: String) {
        let words = arguments.split(separator: " ").map(String.init)
        #expect(JoinedValue.separated(words) == expected.split(separator: " ").map(String.init))
    }

    @Test(arguments: ParserOption.all)
    func `a value is taken off every short option of every command`(option: ParserOption) {
        for name in option.names where !name.hasPrefix("--") {
            #expect(JoinedValue.separated([name + "1=2"]) == [name, "1=2"], "\(name)")
        }
    }
}
