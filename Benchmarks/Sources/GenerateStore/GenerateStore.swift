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
        let duration = Int64(count) &* VariedExchange.intervalNs
        var exchange = VariedExchange(wallStart: now &- max(duration, 86_400_000_000_000))
        // The first hundred thousand are what the later parts are compared with.
        let ends = Set([min(100_000, count)] + (1...10).map { count / 10 * $0 } + [count])
        var (reported, spent) = (0, clock())
        for number in 0..<count {
            recorder.record(exchange.update(recorder.nextExchangeID(), number: number))
            while recorder.isCongested { usleep(1_000) }
            guard ends.contains(number + 1) else { continue }
            try finish(recorder)
            let now = clock()
            let micros = Double(now - spent) / Double(number + 1 - reported)
            print("\(number + 1) exchanges: \(Int(micros.rounded())) µs of processor time each")
            (reported, spent) = (number + 1, now)
        }
        try finish(recorder)
        let status = recorder.status
        print("\(status.exchangeCount) exchanges, \(status.storeByteCount >> 20) MiB")
        recorder.stop()
    }

    /// Returns when everything is recorded and indexed.
    private static func finish(_ recorder: Recorder) throws {
        try recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
        while recorder.status.isIndexing { usleep(100_000) }
    }
}
