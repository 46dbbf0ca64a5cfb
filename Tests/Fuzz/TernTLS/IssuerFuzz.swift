// SPDX-License-Identifier: Apache-2.0
// Any bytes as what the URL of an issuer leads to, for a server that does not send its own. Oracle: no trap, no leak, no more
// certificates than the limit, none that is no issuer is kept, and the server is accepted with its own issuer only.
@testable import TernTLS

/// Issues the intermediate, which issues the server's certificate, and is nowhere here.
private let root = certificate(
    """
    -----BEGIN CERTIFICATE-----
    MIIBYzCCAQqgAwIBAgIUTgDU+k+XUfaZgOpHnFNJCD4yPfowCgYIKoZIzj0EAwIw
    DzENMAsGA1UEAwwEUm9vdDAgFw0yNjExMjcyMTA4MDNaGA8yMTI2MTEwMzIxMDgw
    M1owDzENMAsGA1UEAwwEUm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMvr
    gt8z2o6//CSoQbv+r+kHZ5ypUwvmFjIoRbRbRtZYTV5lRYwHxdqiXN3qR8IB3S/A
    lZNtK2fARqXtO05c69ajQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQD
    AgIEMB0GA1UdDgQWBBTGy3Qc+5PlEHTt8Xfx1Nhahp12vDAKBggqhkjOPQQDAgNH
    ADBEAiBkDEsTFzCB6JzYpNEQVzavov8vHob8+4bBdFZEDIKvFQIgGQSxollFHpom
    qKMQdPNAcPLqGFlc99VyHajXkca/RFo=
    -----END CERTIFICATE-----
    """)
private let leaf = certificate(
    """
    -----BEGIN CERTIFICATE-----
    MIIB1TCCAXqgAwIBAgIIQ0NDQ0NDQ0MwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwM
    SW50ZXJtZWRpYXRlMCAXDTI2MTEyNzIxMDgwNFoYDzIxMjYxMTAzMjEwODA0WjAP
    MQ0wCwYDVQQDDARMZWFmMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEI8a7I3M2
    U27NMuhAsOXBVaiAa1otIO4xKV8OvEzX+nWDBhZTKP5I4TCZeE49z+L+VFjsyZKY
    jXrEg1qISy9n9KOBtTCBsjAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDAT
    BgNVHSUEDDAKBggrBgEFBQcDATARBgNVHREECjAIggZhLnRlc3QwKgYIKwYBBQUH
    AQEEHjAcMBoGCCsGAQUFBzAChg5odHRwOi8vYS50ZXN0LzAfBgNVHSMEGDAWgBQX
    XC3yaBrERDc1iRUzEgkUYAl+WjAdBgNVHQ4EFgQUNk4Y3YUPtTybdmj0LUpNq5op
    nIAwCgYIKoZIzj0EAwIDSQAwRgIhAJ/sUzO4P43lIgVUwPJidFLfiVz7xqTW3r6m
    bpBcrF4TAiEA8BKvrDcCiaZtMBHf7XSyqjVCCx+aQc1YgxHryh3oaos=
    -----END CERTIFICATE-----
    """)
private let keyOfIssuer = "sha256/i9dCdraJ3iAxQTiYbwP6VXAm4Cj1X5nBhrC2SuRK2kI="

private func certificate(_ pem: String) -> X509Certificate {
    guard let certificate = try? X509Certificate(pem: pem) else { fatalError("no certificate") }
    return certificate
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let issuers = X509Certificate.issuers(in: bytes)
    guard issuers.count <= X509Certificate.maximumIssuers else { fatalError("\(issuers.count)") }
    for issuer in issuers { _ = (issuer.x509.issuerURLs, issuer.x509.responderURLs, issuer.x509.listURLs) }
    var trust = ServerTrust(sentChain: [leaf], anchors: .only([root]), time: 2_000_000_000)
    var search = IssuerSearch()
    let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
    while true {
        let result = policy.evaluate(trust, host: "a.test")
        if result.isAccepted {
            guard result.verifiedChain.count == 3, result.verifiedKeys[1].pin == keyOfIssuer,
                result.fetchedIssuers.count == 1
            else { fatalError("\(result)") }
        }
        guard let question = search.question(about: result) else { return 0 }
        let fetched = search.take(.issuers(issuers), to: question, about: result)
        guard fetched.first.map({ $0.certificate.publicKey.pin == keyOfIssuer }) ?? true else {
            fatalError("\(fetched)")
        }
        trust.fetchedIssuers += fetched
    }
}
