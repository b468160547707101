internal import Capture
internal import Foundation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Records so many varied exchanges into a data directory, as the daemon would: one more store to
/// browse, query and measure. `GenerateStore DIRECTORY [COUNT]`.
@main
enum GenerateStore {
    private static let countByDefault = 1_000_000

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2,
            let count = Int(arguments.dropFirst(2).first ?? String(countByDefault))
        else {
            print("usage: GenerateStore DIRECTORY [COUNT]")
            exit(64)
        }
        let recorder = try Recorder(directory: DataDirectory(path: arguments[1]))
        let now = Int64(Date().timeIntervalSince1970) &* 1_000_000_000
        var exchange = VariedExchange(wallStart: now &- 86_400_000_000_000)
        for number in 0..<count {
            recorder.record(exchange.update(recorder.nextExchangeID(), number: number))
            while recorder.isCongested { usleep(1_000) }
        }
        try recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
        while recorder.status.isIndexing { usleep(100_000) }
        let status = recorder.status
        print("\(status.exchangeCount) exchanges, \(status.storeByteCount >> 20) MiB")
        recorder.stop()
    }
}
