// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// The variables of `-w`, with curl's names.
enum WriteOutVariable: String, CaseIterable {
    case certificates = "certs"
    case contentType = "content_type"
    case errorMessage = "errormsg"
    case exitCode = "exitcode"
    case fileName = "filename_effective"
    case entryPathOfFTP = "ftp_entry_path"
    case httpCode = "http_code"
    case proxyCode = "http_connect"
    case httpVersion = "http_version"
    case localIP = "local_ip"
    case localPort = "local_port"
    case method
    case certificateCount = "num_certs"
    case connectCount = "num_connects"
    case headerCount = "num_headers"
    case redirectCount = "num_redirects"
    case retryCount = "num_retries"
    case proxyVerifyResult = "proxy_ssl_verify_result"
    case isProxyUsed = "proxy_used"
    case redirectURL = "redirect_url"
    case referer
    case remoteIP = "remote_ip"
    case remotePort = "remote_port"
    case responseCode = "response_code"
    case scheme
    case downloadSize = "size_download"
    case headerSize = "size_header"
    case requestSize = "size_request"
    case uploadSize = "size_upload"
    case downloadSpeed = "speed_download"
    case uploadSpeed = "speed_upload"
    case verifyResult = "ssl_verify_result"
    case timeSecured = "time_appconnect"
    case timeConnected = "time_connect"
    case timeResolved = "time_namelookup"
    case timeAfterTransfer = "time_posttransfer"
    case timeBeforeTransfer = "time_pretransfer"
    case timeQueued = "time_queue"
    case timeRedirected = "time_redirect"
    case timeOfFirstByte = "time_starttransfer"
    case timeTotal = "time_total"
    case isEarlyDataUsed = "tls_earlydata"
    case url
    case effectiveURL = "url_effective"
    case urlNumber = "urlnum"
    case transferNumber = "xfer_id"
}

/// A part of a URL, for `-w`: `%{url.host}` of the URL, `%{urle.host}` of the last one.
enum WriteOutURLPart: String, CaseIterable {
    case scheme, user, password, options, host, port, path, query, fragment
    case zone = "zoneid"
}

/// The value of a variable of `-w`.
enum WriteOutValue: Encodable {
    case number(Int)
    /// A status code, three digits long.
    case status(Int)
    case seconds(Double)
    /// A text that a server may have chosen. Nil is empty.
    case text(String?)
    /// Bytes of a server or of an option. Nil is empty.
    case bytes([UInt8]?)

    /// As it is written to a file or a pipe.
    var bytes: [UInt8] {
        switch self {
        case .number(let number): Array("\(number)".utf8)
        case .status(let status): Array(ResponseHeadText.status(status).utf8)
        case .seconds(let seconds): Array(DecimalText.fixed(seconds, digits: 6).utf8)
        case .text(let text): Array((text ?? "").utf8)
        case .bytes(let bytes): bytes ?? []
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number), .status(let number): try container.encode(number)
        case .seconds(let seconds): try container.encode(seconds)
        case .text(let text): try container.encode(text)
        case .bytes(let bytes): try container.encode(bytes.map { ByteText.text(of: $0) })
        }
    }
}

extension TransferReport {
    func value(of variable: WriteOutVariable) -> WriteOutValue {
        switch variable {
        case .certificates: .text(contents.verifiedChain.map(Self.text(of:)).joined())
        case .contentType: .bytes(contents.response?.head.bytes(for: "Content-Type").last)
        case .errorMessage: .text(failure?.message)
        case .exitCode: .number(Int((failure?.status ?? .success).rawValue))
        case .fileName:
            .bytes((contents.path ?? plan.path).map { ByteText.bytes(of: $0) })
        case .entryPathOfFTP: .text(nil)
        case .proxyCode: .status(contents.connectStatus)
        case .httpCode, .responseCode:
            // As in curl, a file that is not what -z wants is unchanged.
            .status(contents.isUnchanged ? 304 : contents.response?.statusCode ?? contents.lastHop?.statusCode ?? 0)
        case .httpVersion: .text(contents.response.map { "\($0.head.version)".replacing("HTTP/", with: "") } ?? "0")
        case .localIP: .text(contents.lastHop?.connection?.localAddress?.host)
        case .localPort: .number(contents.lastHop?.connection?.localAddress?.port.map(Int.init) ?? 0)
        case .method: .text(contents.lastHop?.request.httpMethod ?? plan.request.httpMethod)
        case .certificateCount: .number(contents.verifiedChain.count)
        case .connectCount: .number(contents.hops.count { $0.connection != nil && !$0.isConnectionReused })
        case .headerCount: .number(contents.response?.headers.count ?? 0)
        case .redirectCount: .number(contents.metrics?.redirectCount ?? 0)
        case .retryCount: .number(contents.metrics?.retries.last?.number ?? 0)
        case .isProxyUsed: .number(contents.isProxyUsed ? 1 : 0)
        case .proxyVerifyResult, .isEarlyDataUsed: .number(0)
        case .redirectURL: .text(contents.redirectURL)
        case .referer:
            .bytes(
                (contents.lastHop?.request ?? plan.request).headers.last { $0.name.lowercased() == "referer" }?.bytes)
        case .remoteIP: .text(contents.remoteAddress?.host)
        case .remotePort: .number(contents.remoteAddress?.port.map(Int.init) ?? 0)
        case .scheme: .text(effectiveURL?.scheme?.lowercased())
        case .downloadSize: .number(contents.receivedSize)
        case .headerSize: .number(contents.heads.size)
        case .requestSize: .number(contents.requestSize)
        case .uploadSize: .number(contents.uploadSize)
        case .downloadSpeed: .number(contents.speed(contents.receivedSize))
        case .uploadSpeed: .number(contents.speed(contents.uploadSize))
        case .verifyResult: .number(contents.verifyResult)
        case .timeResolved: .seconds(time(contents.resolved ?? contents.lastHop?.connectionAcquired))
        case .timeConnected: .seconds(time(contents.connected ?? contents.lastHop?.connectionAcquired))
        case .timeSecured: .seconds(time(contents.opened?.secured))
        case .timeAfterTransfer: .seconds(time(contents.lastHop?.requestSent))
        case .timeQueued: .seconds((contents.metrics?.queueTime ?? .zero) / .seconds(1))
        case .timeBeforeTransfer:
            .seconds(
                max(
                    time(contents.lastHop?.connectionAcquired),
                    time(contents.opened?.secured ?? contents.opened?.connected)))
        case .timeRedirected: .seconds(contents.hops.count > 1 ? time(contents.lastHop?.start) : 0)
        case .timeOfFirstByte: .seconds(time(contents.lastHop?.responseStart))
        case .timeTotal: .seconds(time(contents.metrics?.end))
        case .url: .text(plan.target.text)
        case .effectiveURL: .text(effectiveURL.map { $0.path().isEmpty ? $0.appending(path: "/") : $0 }?.absoluteString)
        case .urlNumber: .number(plan.place)
        case .transferNumber: .number(plan.index)
        }
    }

    /// A name and a password are not shown.
    func value(of part: WriteOutURLPart, isEffective: Bool) -> WriteOutValue {
        let url = isEffective ? effectiveURL : plan.target.url
        let host = url?.host(percentEncoded: true)
        return switch part {
        case .scheme: .text(url?.scheme?.lowercased())
        case .user, .password, .options, .zone: .text(nil)
        case .host: .text(host.map { $0.contains(":") && !$0.hasPrefix("[") ? "[\($0)]" : $0 })
        case .port: .text((url?.port ?? (url?.scheme?.lowercased() == "https" ? 443 : 80)).description)
        case .path: .text(url.map { $0.path(percentEncoded: true) }.map { $0.isEmpty ? "/" : $0 })
        case .query: .text(url?.query(percentEncoded: true))
        case .fragment: .text(url?.fragment(percentEncoded: true))
        }
    }

    private static func text(of certificate: X509Certificate) -> String {
        let (start, end) = (certificate.notBefore, certificate.notAfter)
        return [
            "Subject:" + certificate.subject, "Issuer:" + certificate.issuer,
            "Start date:" + (start.map(JSONReport.time) ?? ""), "Expire date:" + (end.map(JSONReport.time) ?? ""),
            certificate.pem,
        ].map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined()
    }

    private var effectiveURL: URL? { contents.effectiveURL ?? plan.target.url }

    private func time(_ instant: MonotonicInstant?) -> Double { contents.seconds(at: instant) ?? 0 }
}
