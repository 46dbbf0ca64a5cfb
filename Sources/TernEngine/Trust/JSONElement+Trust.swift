// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import TernTLS

// The elements of trust policies
extension JSONElement {
    func hostPatterns() throws(PolicyFileError) -> [HostPattern] {
        var patterns: [HostPattern] = []
        for element in try elements() {
            let text = try element.string()
            do throws(HostPatternError) {
                patterns.append(try HostPattern(text))
            } catch {
                throw element.error(.invalidHost(error))
            }
        }
        return patterns
    }

    func publicKeys() throws(PolicyFileError) -> [X509Certificate.PublicKey] {
        var keys: [X509Certificate.PublicKey] = []
        for element in try elements() {
            let text = try element.string()
            do throws(PinError) {
                keys.append(try X509Certificate.PublicKey(pin: text))
            } catch {
                throw element.error(.invalidPin(error))
            }
        }
        return keys
    }

    /// Certificates as an array of PEM texts, each with one or more of them.
    func certificates() throws(PolicyFileError) -> [X509Certificate] {
        var certificates: [X509Certificate] = []
        for element in try elements() { certificates += try element.pemCertificates() }
        return certificates
    }

    /// The certificates of one PEM text.
    package func pemCertificates() throws(PolicyFileError) -> [X509Certificate] {
        let text = try string()
        do throws(CertificateError) { return try X509Certificate.all(inPEM: text) } catch {
            throw self.error(.invalidCertificate(error))
        }
    }

    /// A date, which is its first second in UTC, or an RFC 3339 time.
    package func time() throws(PolicyFileError) -> Int64 {
        let text = try string()
        guard let time = Timestamp.seconds(fullDate: text) ?? Timestamp.seconds(rfc3339: text) else {
            throw error(.invalidTime(text))
        }
        return time
    }

    /// URLs that a request can be sent to: an invalid one must be refused here, because later there is no caller to
    /// report it to.
    func webURLs() throws(PolicyFileError) -> [String] {
        var urls: [String] = []
        for element in try elements() {
            let text = try element.string()
            guard let url = URL(escaping: text), ["http", "https"].contains(url.scheme?.lowercased()),
                let host = url.host, (try? HostPattern(host))?.scope == .exact, (1...65535).contains(url.port ?? 443)
            else { throw element.error(.invalidURL(text)) }
            urls.append(text)
        }
        return urls
    }
}
