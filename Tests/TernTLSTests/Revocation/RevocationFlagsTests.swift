// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

struct RevocationFlagsTests {
    @Test func `the flags have the values of Alamofire 4, which are those of the Security framework`() {
        let flags: [RevocationFlags] = [.ocsp, .crl, .preferCRL, .requirePositiveResponse, .networkAccessDisabled]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
        #expect(RevocationFlags.useAnyAvailableMethod.rawValue == 3)
    }
}
