public import Capture
internal import Foundation
public import ProxydCaptureModel
public import ProxydHTTPModel

/// A few exchanges that differ in everything a store can hold.
public enum SampleExchanges {
    /// 2025-11-21T08:00:00Z
    public static let wallStart: Int64 = 1_763_712_000_000_000_000

    /// One of each kind: plain, with parameters and a body, failed, upgraded, repeated, active.
    public static let all: [ExchangeUpdate] = [
        complete(1, "GET", "http", "example.test", 80, "/a?x=1&flag&name=caf%C3%A9", 200),
        withBody(2), failed(3),
        upgraded(complete(4, "GET", "https", "::1", 8443, "/ws?%27%25_", 101)),
        repeated(complete(5, "OPTIONS", "http", "A.b", 80, "*", 404)),
        active(6),
    ]

    /// A plain one of some number.
    public static func short(_ id: ExchangeID) -> ExchangeUpdate {
        complete(id.rawValue, "GET", "http", "new.test", 80, "/?a=b", 200)
    }

    static let connections: [ConnectionRecord] = [
        ConnectionRecord(
            id: ConnectionID(rawValue: 1), side: .client, openedAt: wallStart,
            peerAddress: "127.0.0.1:49152", localAddress: "127.0.0.1:8080",
            process: ConnectionRecord.ClientProcess(pid: 42, name: "curl")),
        ConnectionRecord(
            id: ConnectionID(rawValue: 2), side: .server, openedAt: wallStart,
            peerAddress: "[::1]:80", localAddress: "[::1]:49153"),
    ]

    static let annotations: [AnnotationChange] = [
        AnnotationChange(id: ExchangeID(rawValue: 1), addedTags: ["x", "%"]),
        AnnotationChange(id: ExchangeID(rawValue: 2), note: "It's \"odd\" \\ a note"),
        AnnotationChange(id: ExchangeID(rawValue: 4), isPinned: true),
    ]

    /// Makes a store of them in a new directory for temporary files.
    public static func store() throws(StoreError) -> DataDirectory {
        let name = "proxyd-fuzz-\(UUID().uuidString)"
        let directory = DataDirectory(
            path: FileManager.default.temporaryDirectory.appendingPathComponent(name).path)
        var configuration = RecorderConfiguration()
        configuration.freeSpaceFloorByteCount = 0
        let recorder = try Recorder(directory: directory, configuration: configuration)
        for connection in connections { recorder.record(connection) }
        for update in all { recorder.record(update) }
        for change in annotations {
            try recorder.wait { recorder.annotate(change, completion: $0) }
        }
        recorder.stop()
        return directory
    }

    private static func timeline(_ id: Int64) -> Timeline {
        var timeline = Timeline(wallStart: wallStart &+ id &* 1_000_000_000, start: 0)
        timeline[.requestHead] = 1_000
        return timeline
    }

    private static func begun(
        _ id: Int64, _ method: HTTPMethod, _ url: RawURL, fields: [(name: String, value: String)]
    ) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: id), state: .active, timeline: timeline(id), isFirst: true)
        update.url = url
        update.requestHead = RequestHead(
            method: method, target: url.origin,
            fields: HeaderFields([(name: "Host", value: url.authority)] + fields))
        return update
    }

    private static func complete(
        _ id: Int64, _ method: HTTPMethod, _ scheme: String, _ host: String, _ port: UInt16,
        _ origin: String, _ status: Int
    ) -> ExchangeUpdate {
        let url = RawURL(scheme: scheme, host: host, port: port, origin: Array(origin.utf8))
        var update = begun(id, method, url, fields: [(name: "Accept", value: "*/*")])
        update.state = .complete
        update.clientConnection = ConnectionID(rawValue: 1)
        update.serverConnection = ConnectionID(rawValue: 2)
        update.requestBody.isComplete = true
        update.responseHead = ResponseHead(
            status: status, reason: "Fine",
            fields: HeaderFields([
                (name: "Content-Type", value: "text/plain"), (name: "x-A", value: "b"),
            ]))
        set(Array("hello\n".utf8), of: &update.responseBody)
        update.timeline[.delivered] = id &* 250_000_000
        update.timeline[.ended] = id &* 250_000_000
        return update
    }

    private static func withBody(_ id: Int64) -> ExchangeUpdate {
        var update = complete(id, "POST", "http", "a.test", 8080, "/form?a=1", 204)
        let url = RawURL(
            scheme: "http", host: "a.test", port: 8080, origin: Array("/form?a=1".utf8))
        update.requestHead =
            begun(
                id, "POST", url,
                fields: [(name: "Content-Type", value: "application/x-www-form-urlencoded")]
            ).requestHead
        set(Array("user=alice&a=%FF&b".utf8), of: &update.requestBody)
        set([0xFF, 0x00, 0x0A, 0x61], of: &update.responseBody)
        return update
    }

    private static func failed(_ id: Int64) -> ExchangeUpdate {
        let url = RawURL(scheme: "http", host: "gone.test", port: 80, origin: Array("/".utf8))
        var update = begun(id, "get", url, fields: [])
        update.state = .failed
        update.clientConnection = ConnectionID(rawValue: 1)
        update.timeline[.ended] = 0
        update.failure = ExchangeFailure(
            origin: .upstream, kind: .nameResolution, message: "no address for this name")
        return update
    }

    private static func upgraded(_ update: ExchangeUpdate) -> ExchangeUpdate {
        var update = update
        update.upgradedTo = "websocket"
        let said: [(MessageRecord.Kind, [UInt8])] = [
            (.text, Array("hello, caf\u{E9}".utf8)), (.binary, [0, 0xFF, 0x61]),
            (.close, [3, 0xE8, 0x62]),
        ]
        update.messages = said.enumerated().map { position, message in
            MessageRecord(
                position: Int64(position), direction: position == 1 ? .toClient : .toServer,
                kind: message.0, byteCount: Int64(message.1.count), content: .bytes(message.1))
        }
        return update
    }

    private static func repeated(_ update: ExchangeUpdate) -> ExchangeUpdate {
        var update = update
        update.replayOf = ExchangeID(rawValue: 1)
        return update
    }

    private static func active(_ id: Int64) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: id), state: .active, timeline: timeline(id), isFirst: true)
        update.malformedHead = Array("GET\r\n".utf8)
        return update
    }

    private static func set(_ bytes: [UInt8], of body: inout ExchangeUpdate.BodyProgress) {
        body.appended = bytes
        body.byteCount = Int64(bytes.count)
        body.isComplete = true
    }
}
