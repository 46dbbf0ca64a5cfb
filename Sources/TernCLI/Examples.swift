// SPDX-License-Identifier: Apache-2.0
// What people type, for the help and the manual: behind the command's name.

extension RootCommand {
    static var examples: [String] {
        [
            "https://example.com/", "-o page.html -L https://example.com/", "download https://example.com/image.iso",
            "trust explain https://example.com/", "--help all",
        ]
    }
}

extension GetCommand {
    static var examples: [String] {
        [
            "https://example.com/",
            "-L -o page.html https://example.com/",
            "-f --retry 3 -u ada:secret https://example.com/api",
            "--pin sha256/BASE64 --pin sha256/BASE64 https://example.com/",
        ]
    }
}

extension HeadCommand {
    static var examples: [String] { ["https://example.com/", "-L https://example.com/"] }
}

extension PostCommand {
    static var examples: [String] {
        [
            "-d name=ada -d age=36 https://example.com/form", "--json '{\"name\": \"ada\"}' https://example.com/api",
            "-F photo=@ada.png https://example.com/form",
            "-d @order.xml -H 'Content-Type: text/xml' example.com/orders",
        ]
    }
}

extension PutCommand {
    static var examples: [String] {
        ["-T report.pdf https://example.com/files/", "--json @user.json example.com/users/1"]
    }
}

extension PatchCommand {
    static var examples: [String] { ["--json '{\"age\": 37}' https://example.com/users/1"] }
}

extension DeleteCommand {
    static var examples: [String] { ["-f -u ada:secret https://example.com/users/1"] }
}

extension RequestCommand {
    static var examples: [String] {
        ["-I https://example.com/", "-X OPTIONS https://example.com/", "-d name=ada https://example.com/form"]
    }
}

extension DownloadCommand {
    static var examples: [String] {
        [
            "https://example.com/image.iso", "-C - -o image.iso https://example.com/image.iso",
            "--retry 5 --sha256 \"$DIGEST\" https://example.com/image.iso",
        ]
    }
}

extension UploadCommand {
    static var examples: [String] {
        [
            "report.pdf https://example.com/files/", "- https://example.com/log <log.txt",
            "-X POST a.csv https://example.com/",
        ]
    }
}

extension EventsCommand {
    static var examples: [String] {
        [
            "https://example.com/events", "--json '{\"stream\": true}' -H @token example.com/chat",
            "-m 60 --no-reconnect https://example.com/events",
        ]
    }
}

extension WebSocketCommand {
    static var examples: [String] {
        [
            "wss://example.com/chat", "--max-time 60 -H @token wss://example.com/feed",
            "--wait -u ada:secret example.com/questions <questions.txt",
        ]
    }
}

extension TrustPinsCommand {
    static var examples: [String] { ["https://example.com/", "localhost:8443", "certificate.pem"] }
}

extension TrustEvaluateCommand {
    static var examples: [String] {
        ["https://example.com/", "--policy policy.json https://example.com/", "--chain chain.pem --host example.com"]
    }
}

extension TrustExplainCommand {
    static var examples: [String] { ["https://expired.example/", "--policy policy.json https://example.com/"] }
}

extension BenchCommand {
    static var examples: [String] { ["http://localhost:8080/", "-c 256 -d 30 --threads 2 http://localhost:8080/"] }
}
