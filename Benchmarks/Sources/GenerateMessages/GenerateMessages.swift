internal import Capture
internal import Foundation
internal import ProxydCaptureModel
internal import ProxydHTTPModel

/// Records one WebSocket with many messages into a data directory, batch by batch as the daemon
/// would. `GenerateMessages DIRECTORY [COUNT]`.
@main
enum GenerateMessages {
    private static let countByDefault: Int64 = 1_000_000
    private static let batchCount: Int64 = 500

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2,
            let count = Int64(arguments.dropFirst(2).first ?? String(countByDefault)), count > 0
        else {
            print("usage: GenerateMessages DIRECTORY [COUNT]")
            exit(64)
        }
        let recorder = try Recorder(directory: DataDirectory(path: arguments[1]))
        record(count, into: recorder)
        try recorder.wait { (done: @escaping @Sendable (Result<Void, StoreError>) -> Void) in
            recorder.flush(completion: done)
        }
        print("\(recorder.status.storeByteCount >> 20) MiB")
        recorder.stop()
    }

    private static func record(_ count: Int64, into recorder: Recorder) {
        let now = Int64(Date().timeIntervalSince1970) &* 1_000_000_000
        var update = ExchangeUpdate(
            id: recorder.nextExchangeID(), state: .active,
            timeline: Timeline(wallStart: now, start: 0), isFirst: true)
        let url = RawURL(
            scheme: "https", host: "socket.example.com", port: 443, origin: Array("/feed".utf8))
        update.url = url
        update.requestHead = RequestHead(
            method: .get, target: Array(url.description.utf8),
            fields: HeaderFields([(name: "Host", value: url.authority)]))
        update.requestBody.isComplete = true
        update.responseHead = ResponseHead(
            status: 101, reason: "Switching Protocols",
            fields: HeaderFields([(name: "Upgrade", value: "websocket")]))
        update.upgradedTo = "websocket"
        for start in stride(from: 0, to: count, by: Int64.Stride(batchCount)) {
            let end = min(count, start + batchCount)
            update.messages = (start..<end).map(message)
            if end == count { finish(&update, after: count) }
            while recorder.isCongested { usleep(1_000) }
            recorder.record(update)
            update = ExchangeUpdate(
                id: update.id, state: .active, timeline: update.timeline, isFirst: false)
            update.upgradedTo = "websocket"
            update.requestBody.isComplete = true
        }
    }

    private static func finish(_ update: inout ExchangeUpdate, after count: Int64) {
        update.state = .complete
        update.responseBody.isComplete = true
        update.timeline[.ended] = count * 1_000_000
    }

    /// Every 20th is a ping, every 1,000th says something that few do; the last one says so.
    private static func message(_ position: Int64) -> MessageRecord {
        let isPing = position % 20 == 7
        let rare = position % 1_000 == 500 ? #","note":"seldom""# : ""
        let text = """
            {"seq":\(position),"symbol":"S\(position % 97)","price":\(position % 9_973).25,\
            "size":\(position % 640),"venue":"a name that is neither short nor long"\(rare)}
            """
        let bytes = isPing ? [] : Array(text.utf8)
        return MessageRecord(
            position: position, direction: position % 3 == 0 ? .toServer : .toClient,
            kind: isPing ? .ping : .text, offsetNs: position * 1_000_000,
            byteCount: Int64(bytes.count), content: .bytes(bytes))
    }
}
