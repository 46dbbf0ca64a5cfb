// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// A chain with one thing out of the ordinary, and the verdict of both profiles.
///
/// Most names are those of cases in x509-limbo, a public collection of certificate paths.
struct RuleCase: CustomTestStringConvertible, Sendable {
    /// Root, intermediates from the root downwards, and leaf; by default a chain that both profiles accept.
    struct Shape: Sendable {
        var root = AuthorityRequest(commonName: "Root")
        var intermediates: [AuthorityRequest] = []
        var leaf = LeafRequest(commonName: nil, dnsNames: ["example.com"], validity: .days(-1, to: 40))
        var host = "example.com"
    }

    let name: String
    /// The rule that refuses in the standard profile; nil accepts.
    let standard: String?
    /// The rule that refuses in the web profile; nil accepts.
    let web: String?
    let shape: Shape

    var testDescription: String { name }

    /// Both profiles agree.
    init(_ name: String, _ verdict: String?, _ change: (inout Shape) -> Void) {
        self.init(name, standard: verdict, web: verdict, change)
    }

    init(_ name: String, standard: String?, web: String?, _ change: (inout Shape) -> Void) {
        self.name = name
        self.standard = standard
        self.web = web
        var shape = Shape()
        change(&shape)
        self.shape = shape
    }

    func trust() throws -> ServerTrust {
        let root = try CertificateAuthority(shape.root)
        let issuer = try shape.intermediates.reduce(root) { try $0.issueIntermediate($1) }
        let leaf = try issuer.issue(shape.leaf)
        return ServerTrust(
            sentChain: try X509Certificate.all(inPEM: leaf.chainPEM), anchors: .only([try root.certificate()]))
    }
}

extension RuleCase.Shape {
    /// An intermediate with these extensions, below the ones there are.
    mutating func addIntermediate(_ extensions: [CertificateExtension] = []) {
        intermediates.append(
            AuthorityRequest(commonName: "Intermediate \(intermediates.count)", extensions: extensions))
    }

    /// An intermediate that constrains names, and a leaf with these.
    mutating func constrain(_ constraints: String, dns: [String] = ["example.com"], ip: [String] = []) {
        addIntermediate([CertificateExtension("nameConstraints", constraints)])
        leaf.dnsNames = dns
        leaf.ipAddresses = ip
    }
}
