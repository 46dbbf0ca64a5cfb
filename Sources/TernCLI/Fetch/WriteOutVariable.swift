// SPDX-License-Identifier: Apache-2.0

/// The variables of `-w`, with curl's names.
enum WriteOutVariable: String, CaseIterable {
    case contentType = "content_type"
    case errorMessage = "errormsg"
    case exitCode = "exitcode"
    case fileName = "filename_effective"
    case httpCode = "http_code"
    case httpVersion = "http_version"
    case localIP = "local_ip"
    case localPort = "local_port"
    case method
    case connectCount = "num_connects"
    case headerCount = "num_headers"
    case redirectCount = "num_redirects"
    case redirectURL = "redirect_url"
    case remoteIP = "remote_ip"
    case remotePort = "remote_port"
    case responseCode = "response_code"
    case scheme
    case downloadSize = "size_download"
    case headerSize = "size_header"
    case uploadSize = "size_upload"
    case downloadSpeed = "speed_download"
    case uploadSpeed = "speed_upload"
    case timeSecured = "time_appconnect"
    case timeConnected = "time_connect"
    case timeResolved = "time_namelookup"
    case timeBeforeTransfer = "time_pretransfer"
    case timeRedirected = "time_redirect"
    case timeOfFirstByte = "time_starttransfer"
    case timeTotal = "time_total"
    case url
    case effectiveURL = "url_effective"
    case urlNumber = "urlnum"
}
