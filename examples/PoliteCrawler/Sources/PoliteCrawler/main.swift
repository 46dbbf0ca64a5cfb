// Prints the pages that a page links to: PoliteCrawler https://example.com/ CACHE-FOLDER
import Foundation
import PageCrawler

let arguments = CommandLine.arguments
guard arguments.count == 3, let start = URL(string: arguments[1]) else {
    print("usage: PoliteCrawler URL CACHE-FOLDER")
    exit(2)
}
do {
    let crawler = try PageCrawler(cacheFolder: URL(filePath: arguments[2]))
    for (url, page) in try await crawler.pages(from: start).sorted(by: { $0.key.absoluteString < $1.key.absoluteString }
    ) {
        switch page {
        case .success(let text): print("\(url): \(text.utf8.count) bytes")
        case .failure(let error): print("\(url): \(error)")
        }
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
