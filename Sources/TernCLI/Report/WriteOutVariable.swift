// SPDX-License-Identifier: Apache-2.0

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
