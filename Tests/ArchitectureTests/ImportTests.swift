// SPDX-License-Identifier: Apache-2.0
import TestProofs
import Testing

/// Each border between modules forbids something, and imports are where it would be crossed.
@Suite struct ImportTests {
    private static let allowed: [String: Set<String>] = [
        "TernLibC": ["Glibc", "Musl"],
        "TernLock": ["TernLibC", "Synchronization"],
        "TernHTTP1": ["Synchronization"],
        "TernSystem": ["CTernLinux", "TernLibC", "Synchronization"],
        "TernFiles": ["CTernLinux", "TernLibC", "TernSystem"],
        "TernIO": ["CTernLinux", "TernLibC", "Synchronization", "TernLock", "TernSystem"],
        "TernTLS": ["CTernOpenSSL", "Dispatch", "Synchronization", "TernLock", "TernSystem"],
        "TernEngine": [
            "CTernBrotli", "CTernZlib", "CTernZstd", "FoundationEssentials", "Synchronization", "TernFiles",
            "TernHTTP1", "TernIO", "TernLock", "TernSystem", "TernTLS",
        ],
        "TernRuntime": ["CTernRuntime", "TernLibC", "TernIO", "TernLock", "TernSystem"],
        "TernWebSocket": [
            "FoundationEssentials", "TernEngine", "TernHTTP1", "TernIO", "TernLock", "TernSystem", "TernTLS",
        ],
        "TernLogging": ["Logging", "TernEngine"],
        "TernMetrics": ["Metrics", "TernEngine", "TernLock"],
        "TernTracing": ["TernEngine", "TernLock", "Tracing"],
        "TernHTTPTypes": ["FoundationEssentials", "HTTPTypes", "TernEngine"],
        "TernFoundation": ["Dispatch", "Foundation", "Synchronization", "TernEngine", "TernLock"],
        "Tern": [
            "Dispatch", "Foundation", "Synchronization", "TernEngine", "TernFoundation", "TernLock", "TernWebSocket",
        ],
        "TernAFNetworking": ["Dispatch", "Foundation", "Tern", "TernEngine", "TernFoundation", "TernLock"],
        "TernURLSessionNames": ["Foundation", "TernEngine", "TernFoundation", "TernLock", "TernWebSocket"],
        "TernURLSession": ["Foundation", "TernEngine", "TernFoundation", "TernURLSessionNames"],
        "TernAlamofire": [
            "Foundation", "Tern", "TernAFNetworking", "TernEngine", "TernURLSession", "TernURLSessionNames",
        ],
        "TernTesting": ["CTernOpenSSL", "TernLibC", "Synchronization", "TernLock"],
        "TernDemo": ["FoundationEssentials", "TernLibC", "TernEngine", "TernLock", "TernTesting"],
        "TernDemoMain": ["TernLibC", "TernDemo"],
        "TernMain": ["TernCLI", "TernRuntime"],
        "TernCLI": [
            "FoundationEssentials", "TernLibC", "Synchronization", "TernDemo", "TernEngine", "TernFiles", "TernIO",
            "TernLock", "TernSystem", "TernTLS", "TernWebSocket",
        ],
    ]

    @Test(.proves("11.1a")) func `a file imports what its module may know`() {
        for file in SourceTree.project.files {
            guard let allowed = Self.allowed[file.module] else {
                Issue.record("\(file.module) has no line in the table")
                continue
            }
            let foreign = file.imports.subtracting(allowed)
            #expect(foreign.isEmpty, "\(file.path) imports \(foreign.sorted())")
        }
    }

    @Test func `imports are read in every form`() {
        let text = """
            import Plain
            public import Shown
            @_exported public import struct Whole.Part
            @testable import Tested
            // import Comment
            let text = "import Quoted"
            """
        let imports = SourceFile(path: "Module/File.swift", text: text).imports
        #expect(imports == ["Plain", "Shown", "Whole", "Tested"])
    }
}
