internal import Capture
internal import Foundation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Records one exchange with a large JSON body into a data directory, piece by piece as the daemon
/// would. `GenerateBody DIRECTORY [MEGABYTES]`.
@main
enum GenerateBody {
    private static let megabyteCountByDefault = 200
    private static let pieceByteCount = 256 << 10

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2,
            let megabyteCount = Int(
                arguments.dropFirst(2).first ?? String(megabyteCountByDefault))
        else {
            print("usage: GenerateBody DIRECTORY [MEGABYTES]")
            exit(64)
        }
        let recorder = try Recorder(directory: DataDirectory(path: arguments[1]))
        record(byteCount: megabyteCount * 1_000_000, into: recorder)
        try recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
        print("\(recorder.status.storeByteCount >> 20) MiB")
        recorder.stop()
    }

    private static func record(byteCount: Int, into recorder: Recorder) {
        let now = Int64(Date().timeIntervalSince1970) &* 1_000_000_000
        var update = ExchangeUpdate(
            id: recorder.nextExchangeID(), state: .active,
            timeline: Timeline(wallStart: now, start: 0), isFirst: true)
        let url = RawURL(
            scheme: "https", host: "large.example.com", port: 443, origin: Array("/dump".utf8))
        update.url = url
        update.requestHead = RequestHead(
            method: .get, target: Array(url.description.utf8),
            fields: HeaderFields([(name: "Host", value: url.authority)]))
        update.requestBody.isComplete = true
        update.responseHead = ResponseHead(
            status: 200, reason: "OK",
            fields: HeaderFields([(name: "Content-Type", value: "application/json")]))
        var total = 0
        var number = 0
        while total < byteCount {
            var piece = number == 0 ? "[" : ""
            while piece.utf8.count < pieceByteCount {
                piece += (number == 0 ? "" : ",") + element(number)
                number += 1
            }
            if total + piece.utf8.count >= byteCount { piece += #","the very last one"]"# }
            total += piece.utf8.count
            update.responseBody.appended = Array(piece.utf8)
            update.responseBody.byteCount = Int64(total)
            if total >= byteCount { end(&update) }
            while recorder.isCongested { usleep(1_000) }
            recorder.record(update)
            update = ExchangeUpdate(
                id: update.id, state: .active, timeline: update.timeline, isFirst: false)
            update.requestBody.isComplete = true
        }
    }

    private static func end(_ update: inout ExchangeUpdate) {
        update.state = .complete
        update.responseBody.isComplete = true
        update.timeline[.ended] = 3_000_000_000
    }

    private static func element(_ number: Int) -> String {
        """
        {"id":\(number),"name":"item \(number % 977)","price":\(number % 9_973).25,"sold":\
        \(number % 3 == 0),"tags":["new","caf\\u00e9",null],"place":{"x":\(number % 640),\
        "y":\(number % 480),"note":"a line of text that is neither short nor long"}}
        """
    }
}
