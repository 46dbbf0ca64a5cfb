// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// The same arguments, once for curl and once for tern, sent to the same origin: what it sees and what is printed is
/// the same.
@Suite(.serialized) struct CurlAgreementTests {
    @Test(
        "requests are the same as curl's",
        arguments: [
            "URL/", "URL", "URL/a?b#c", "SERVER", "SERVER/a?u=http://x/", "ann:pw@SERVER/", "-X get URL/",
            "-X Head2 URL/",
            "-g 'URL/f[1].txt?a[]={x}|^`\\\"<>&%zz%&q=a%20b#[]'", "'URL/a|b^c`d\"e\\f<g>?h|i^j`k\"l\\m<n>%'",
            "-g 'u%5B[:p]w@SERVER/'",
            "-d a=b URL/", "-d a=b -d c=d URL/p", "-d @FILE URL/", "-d '' URL/", "-d -x URL/",
            "--data-binary @FILE URL/", "--data-raw @FILE URL/", "--data-ascii @FILE URL/",
            "--data-raw @a -d b --data-binary c --data-urlencode d=ä -d e URL/",
            "--data-urlencode a=b+c=ä/~ URL/", "--data-urlencode =a=b URL/", "--data-urlencode 'a b' URL/",
            "--data-urlencode n@FILE URL/", "--data-urlencode @FILE URL/", "--data-urlencode a@b=c URL/",
            "-G -d a=b URL", "-G -d a=b URL/x?q=1", "-G -d a=b URL/x?q=1#f", "-G -d a=b URL/x?", "-G -d a -d b URL/x",
            "-G --data-urlencode 'a=b c' URL/x", "-G -X DELETE -d a=b URL/x",
            "-T FILE -H Expect: URL/up/", "-T FILE -H Expect: URL", "-T FILE -H Expect: URL/x",
            "-T FILE -H Expect: URL/x/?q", "-T FILE -H Expect: -X POST URL/x", "-T /dev/null -H Expect: URL/",
            "-T - URL/x", "-T - URL/x/",
            "-X OPTIONS URL/", "-XGET -d x URL/", "-X PATCH -d x URL/",
            "-H Accept: -H 'X-E;' -H 'X: 1' -H 'X: 2' URL/", "-H 'Accept: x' -H 'Host: other' URL/", "-H @FIELDS URL/",
            "-H 'Content-Type: text/plain' -d x URL/", "-H Content-Type: -d x URL/",
            "-A '' URL/", "-e http://r.test/ URL/", "-u user:pass:word URL/", "-u : URL/",
            "-b a=1 URL/", "-b 'a=1; b=2' URL/1 URL/2", "-L -b a=1 URL/redirect", "-b '' URL/",
            "-L URL/redirect", "-L -d a=b URL/redirect", "-L -u a:b URL/redirect", "URL/redirect",
            "URL/1 URL/2", "-d a URL/1 URL/2",
            "-F a=b URL/", "-F a= URL/", "-F a=@FILE URL/", "-F 'a=<FILE' URL/",
            "-F a=@FILE -F b=c --form-string 'd=@e;f' URL/",
            "-F 'a=b;type=text/x' URL/", "-F 'a=@FILE;type=text/x;charset=utf-8;filename=n' URL/",
            "-F 'a=@FILE;filename=n.png' URL/", "-F 'a=@\"FILE\";filename=\"q\\\"u;o\"' URL/", "-F 'a= b c ' URL/",
            "-F 'a=\"b;c\"' URL/", "-F 'a=<FILE;type=text/x' URL/", "-F 'a\"b=@FILE' URL/", "-F a=b -X PATCH URL/",
            "-F a=b -H 'X: 1' URL/1 URL/2", "-F 'a=@FILE; filename=n; type=text/y' URL/", "-F 'a=b=c' URL/",
            "-F 'a=\"open' URL/",
            "-H 'Transfer-Encoding: chunked' -d x URL/", "-H 'Transfer-Encoding: chunked' -d @FILE URL/1 URL/2",
            "-H 'Transfer-Encoding: chunked' --data-binary @FILE -X PUT URL/",
            "-H 'transfer-encoding: chunked' -F a=b URL/", "-H 'Transfer-Encoding: chunked' -F a=@FILE URL/",
            "-r 4 URL/", "-r -5 URL/", "-r 4-8 URL/", "-r 0-1,5-6 URL/", "-r 4- URL/", "-r 4x URL/",
            "-L -e ';auto' URL/redirect", "-L -e 'http://r.test/;auto' URL/redirect",
            "-L -e ';auto' 'URL/redirect?q#f'",
            "-T . URL/x",
            "--json '{}' URL/", "--json a --json b URL/", "-d a --json b URL/", "--json a -d b URL/",
            "--json @FILE URL/",
            "--json x -H 'Accept: y' URL/",
            "--json x -G URL/", "--url-query '' URL/x", "--url-query = URL/x", "-C 5 -I URL/",
            "--json x -H 'Content-Type: y' -X PUT URL/",
            "--url-query 'a=b c' URL/x?q", "--url-query +a%20b URL/", "--url-query a --url-query b=c URL/x#f",
            "--request-target /other?q URL/x", "-X OPTIONS --request-target '*' URL/x",
            "'URL/{a,b}/[1-3]'", "'URL/[a-c:2]'", "'URL/[08-10]?{x,}'", "-d a 'URL/{1,2}'",
            "-L --post302 -d a=b URL/redirect", "-L --post302 --json '{}' URL/redirect",
            "-L --post301 -d a=b URL/redirect",
            "-L --location-trusted -u a:b URL/redirect", "--location-trusted -b a=1 URL/redirect",
            "-I -X GET URL/", "-G URL/x?q", "-G -d '' URL/x",
            "--max-redirs 5 URL/redirect", "--post301 URL/", "-j URL/", "-k --cacert /nowhere URL/",
            "-u a:b -H 'Authorization: x' URL/", "-u a:b -H Authorization: URL/",
            "--digest -u a:b -H 'Authorization: x' URL/",
            "--oauth2-bearer t -H 'Authorization: x' URL/", "-u a:b --oauth2-bearer t URL/",
            "--compressed -H 'Accept-Encoding: x' URL/", "-b a=1 -H 'Cookie: b=2' URL/", "-r 1-2 -H 'Range: x=1' URL/",
            "-e a -H 'Referer: b' URL/", "--basic --digest -u a:b URL/", "--digest --no-digest -u a:b URL/",
            "--anyauth --basic -u a:b URL/", "-m 0 URL/", "--connect-timeout 0 URL/", "--max-filesize 0 URL/",
            "--retry-max-time 0 --retry 1 URL/", "--retry-max-time 5 --retry-delay 1 --retry-connrefused URL/",
            "--retry-all-errors URL/", "--expect100-timeout 1 URL/", "--expect100-timeout 0 -d a URL/",
            "-H '' URL/", "-H \"$EXTRA\" -H ' ' URL/", "-e '' URL/", "-e a -e '' URL/", "-T '' URL/", "-c '' URL/",
            "--cert '' --key '' URL/", "--key /nowhere --pass x URL/", "--netrc-file '' URL/", "--cert-status URL/",
            "-T FILE -H Expect: URL/a URL/b", "-T '{FILE,FILE}' -H Expect: URL/x/",
            "-T '{FILE,FILE}' -H Expect: 'URL/{a,b}'", "-T FILE -T FILE -H Expect: URL/a",
            "-T '' -T FILE -H Expect: URL/a URL/b",
            "'URL/?ids[]=1&ids[]=2'", "'URL/?a[]={a,b}'", "-H @FIELDS -H @/dev/null URL/",
            "-F a=b -H 'Content-Type: multipart/form-data' URL/", "--no-tcp-nodelay --alpn --sessionid --buffer URL/",
            "-F a=b -H 'content-type: multipart/form-data; charset=utf-8' URL/", "-G --no-get -d a URL/",
            "-L --no-location-trusted URL/redirect", "--compressed --no-compressed URL/",
            "URL/1 --url URL/2 URL/3", "-K CONFIG", "-K CONFIG URL/2", "-K - URL/2 < CONFIG",
            "--proto-default http SERVER/",
            "--no-location URL/redirect", "-L --no-location URL/redirect", "-f --no-fail URL/status/404",
            "--tcp-nodelay --no-keepalive --noproxy '*' --keepalive-time 5 --no-npn --remove-on-error URL/",
            "-o /dev/null -w '%{urlnum} %{url}\\n' 'URL/{a,b}'",
            "-F a=@- URL/ < FILE", "-F 'a=<-' URL/ < FILE", "-F 'a=@-;filename=x' -F b=c URL/ < FILE",
            "-F 'a=<-' URL/ < /dev/null", "-F a=@/dev/stdin URL/ < FILE",
            "-H 'Host: a' -H 'Host: b' URL/", "-H 'Host: a' -H 'X: 1' -H 'host: b' URL/",
            "-L -X DELETE URL/redirect", "-L -X OPTIONS -d a=b URL/redirect",
            "-L -X REPORT --post302 -d a URL/redirect",
            "-y 5 -Y 1 URL/", "-Y 0 URL/", "--speed-time 3 URL/",
        ])
    func request(_ arguments: String) async throws { try await compare(arguments) }

    @Test(
        "output is the same as curl's",
        arguments: [
            "-I URL/", "-I -G -d a=b URL/", "-i URL/", "-iL URL/redirect", "-IL URL/redirect", "-D - URL/",
            "-D - -L URL/redirect", "-D - -o /dev/null URL/", "URL/status/404",
            "-i -D - URL/", "-i -D - -L URL/redirect", "-i --no-include URL/", "--connect-to '' URL/",
            "--fail-with-body URL/status/200", "--max-filesize 100000 URL/",
            "-w '%{http_code} %{response_code} %{num_redirects} %{num_connects} %{urlnum}\\n' -o /dev/null URL/a URL/status/503",
            "-w '%{size_download} %{size_upload} %{size_header} %{num_headers} %{method}' -d abc -o /dev/null URL/",
            "-w '%{size_upload}' -T FILE -o /dev/null URL/",
            "-w '%{url} %{url_effective} [%{redirect_url}] [%{content_type}]' -o /dev/null URL URL/redirect",
            "-w '%{url_effective} %{num_redirects} %{num_connects} %{size_header}' -L -o /dev/null URL/redirect?x",
            "-w '%{remote_ip} %{remote_port} %{http_version} %{exitcode} [%{errormsg}] %header{x-kind}' URL/status/500",
            "-w '%{filename_effective}' -o /dev/null URL/",
            "-w '%header{location} %header{x-kind} %header{none}|' -o /dev/null URL/redirect URL/status/200",
            "-w '%{ssl_verify_result} %{num_certs} [%{certs}] %{http_connect} [%{ftp_entry_path}]' URL/",
            "-w '%{proxy_ssl_verify_result} [%{referer}] %{errormsg}' -e http://r.test/ URL/",
            "-L -w '[%{referer}]' -e ';auto' -o /dev/null URL/redirect", "-w @FILE -o /dev/null URL/",
            "-w 'a%{' URL/", "-w '%{http_code' URL/", "-w 'a%header{x' URL/", "-w '%{nope}%{}x' URL/",
            "-w 'a\\tb\\r\\n%% %x \\q %' URL/", "-w '%{header_json}' -o /dev/null URL/status/200",
            "-f --stderr - URL/status/200", "-v --stderr /dev/null URL/", "-f URL/status/404 URL/",
            "-f URL/status/404 --next URL/",
        ])
    func output(_ arguments: String) async throws { try await compare(arguments) }

    @Test(
        "what fails in curl fails here",
        arguments: [
            "-f URL/status/404", "-f URL/status/500", "--fail-with-body URL/status/404",
            "-L --max-redirs 0 URL/redirect", "-iL --max-redirs 3 URL/redirect/same",
            "-i -f URL/status/404", "-i URL/lost", "-D - URL/lost",
            "--max-filesize 10 URL/", "-C 3 URL/", "'URL/{a,b'", "'URL/[2-1]'", "'URL/a}'",
            "--proto-default nope SERVER/",
        ])
    func failure(_ arguments: String) async throws {
        let (curl, tern) = try await results(arguments)
        #expect(curl.status != 0)
        #expect(tern.status == curl.status)
        #expect(tern.output == curl.output)
    }

    private func compare(_ arguments: String) async throws {
        let (curl, tern) = try await results(arguments)
        #expect(curl.status == 0, "\(curl.errors)")
        #expect(tern.status == 0, "\(tern.errors)")
        #expect(tern.output == curl.output)
    }

    private func results(_ arguments: String) async throws -> (curl: Command.Result, tern: Command.Result) {
        let folder = try TemporaryFolder()
        let file = try folder.write("line one\r\nline & two\n", to: "file.txt")
        let fields = try folder.write("# none\nX-One: 1\n\nnone\nX-Two: 2\n", to: "fields")
        let origin = try EchoOrigin.start()
        let configuration = try folder.write(
            "# comment\nurl = \"\(origin.url("/1"))\"\nheader: \"X: a b\"\n-d \"a\\tb\"\n--referer x # more\n",
            to: "config")
        let shell = arguments.replacing("URL", with: origin.url(""))
            .replacing("SERVER", with: "127.0.0.1:\(origin.port)").replacing("FILE", with: file)
            .replacing("FIELDS", with: fields)
            .replacing("CONFIG", with: configuration)
        return (
            try await Command.run(["sh", "-c", "curl -sS --max-time 10 " + shell]),
            try await Command.run(
                ["sh", "-c", #""$0" request -sS --max-time 10 "# + shell, TernTool.executable.path],
                environment: TernTool.environment)
        )
    }
}
