// Prints a price every few seconds, while files of trust are renewed: PinnedService URL ANCHORS.PEM POLICY.JSON NAME
import Foundation
import PriceService
import TernRuntime

try TernRuntime.install()
let arguments = CommandLine.arguments
guard arguments.count == 5 else {
    print("usage: PinnedService URL ANCHORS POLICY NAME")
    exit(2)
}
do {
    let service = try PriceService(
        server: arguments[1], anchors: URL(filePath: arguments[2]), policy: URL(filePath: arguments[3])
    ) { line in print(line) }
    while true {
        do { print(try await service.price(of: arguments[4])) } catch { print("no price: \(error)") }
        try await Task.sleep(for: .seconds(5))
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
