import Foundation
import ProxydHTTPModel
import Testing

@testable import ProxydControl

@Suite struct ImportTests {
    /// An update that has something in every field.
    private func fullUpdate(bodyByteCount: Int = 5) -> ExchangeUpdate {
        var timeline = Timeline(wallStart: 1_700_000_000_000_000_001, start: 42)
        timeline.connectionReused = true
        timeline.mark(.requestHead, at: 50)
        timeline.mark(.delivered, at: 99)
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: 3), state: .failed, timeline: timeline, isFirst: true)
        update.clientConnection = ConnectionID(rawValue: 1)
        update.serverConnection = ConnectionID(rawValue: 2)
        update.url = RawURL(
            scheme: "https", host: "::1", port: 8443, origin: Array("/caf\u{e9}?a[]=1".utf8))
        update.requestHead = RequestHead(
            method: "POST", target: Array("/x".utf8),
            fields: HeaderFields([("Host", "a"), ("Content-Length", "5")]))
        update.malformedHead = [0xFF, 0x00, 0x0A]
        update.requestBody.appended = (0..<bodyByteCount).map { UInt8(truncatingIfNeeded: $0) }
        update.requestBody.byteCount = Int64(bodyByteCount)
        update.requestBody.isComplete = true
        update.requestTrailers = HeaderFields([("X-T", "1")])
        update.informational = [
            ResponseHead(
                status: 103, reason: "Early Hints", fields: HeaderFields([("Link", "<a>")]))
        ]
        update.responseHead = ResponseHead(
            version: .http10, status: 502, reason: "",
            fields: HeaderFields([("Via", "\u{1}\u{9b}")]))
        update.responseBody.appended = [0, 255, 10, 13]
        update.responseBody.byteCount = 1_000
        update.responseTrailers = HeaderFields([("Y", "")])
        update.failure = ExchangeFailure(origin: .upstream, kind: .closedEarly, message: "gone")
        update.upgradedTo = "websocket"
        update.replayOf = ExchangeID(rawValue: 2)
        update.user = "alice"
        return update
    }

    private func expectSame(_ left: ExchangeUpdate, _ right: ExchangeUpdate) {
        #expect(left == right)
        #expect(left.requestHead == right.requestHead)
        #expect(left.requestHead?.bytes == right.requestHead?.bytes)
        #expect(left.responseHead == right.responseHead)
        #expect(left.informational == right.informational)
        #expect(left.timeline == right.timeline)
        #expect(left.timeline.start == right.timeline.start)
        #expect(left.failure == right.failure)
        #expect(left.user == right.user)
        #expect(left.url == right.url)
        #expect(left.http2 == right.http2)
        #expect(left.frames == right.frames)
        #expect(left.malformedCodings == right.malformedCodings)
    }

    @Test(arguments: [0, -1, (1 << 34) + 1, Int64.max] as [Int64])
    func `an imported exchange or connection whose ID is out of range is rejected`(
        _ number: Int64
    ) {
        let update = ExchangeUpdate(
            id: ExchangeID(rawValue: 1), state: .complete,
            timeline: Timeline(wallStart: 1, start: 1), isFirst: true)
        #expect(throws: ControlError.self) { try edited(update) { $0["id"] = number } }
        let connection = ConnectionRecord(
            id: ConnectionID(rawValue: 1), side: .client, openedAt: 1,
            peerAddress: "127.0.0.1:1", localAddress: "127.0.0.1:2")
        #expect(throws: ControlError.self) { try edited(connection) { $0["id"] = number } }
    }

    @Test func `an imported exchange update reaches the daemon unchanged`() throws {
        let running = try RunningServer()
        try running.client().importExchanges(updates: [fullUpdate()])
        let updates = running.handler.snapshot.updates
        #expect(updates.count == 1)
        if let update = updates.first { expectSame(update, fullUpdate()) }
    }

    @Test func `the HTTP/2 details of an imported exchange reach the daemon unchanged`() throws {
        let running = try RunningServer()
        var update = fullUpdate()
        let all = HeaderFields([(":method", "GET"), (":path", "/"), ("a", "b")])
        update.requestHead = RequestHead(
            bytes: all.bytes, method: .get, targetRange: all.lines[1].valueRange,
            version: .http2, pseudoFields: Array(all.lines[..<2]),
            fields: HeaderFields(bytes: all.bytes, lines: Array(all.lines[2...]))
        ).withCodings([1, 2, 4])
        update.malformedCodings = [FieldCoding(.neverIndexed)]
        update.http2 = HTTP2Facts()
        update.http2?.serverStream = StreamID(rawValue: 9)
        update.http2?.serverVersion = .http10
        update.http2?.reset = .init(side: .server, isOurs: true, code: .refusedStream)
        update.frames = [1, 2, 3]
        try running.client().importExchanges(updates: [update])
        let found = try #require(running.handler.snapshot.updates.first)
        expectSame(found, update)
        #expect(found.requestHead?.codings == update.requestHead?.codings)
        #expect(found.requestHead?.pseudoFields.count == 2)
    }

    @Test(arguments: [(Int64.min, 0), (-1, 0), (.max, 1 << 50)] as [(Int64, Int64)])
    func `the byte count of an imported body is clamped to the valid range`(
        said: Int64, taken: Int64
    ) throws {
        let body = try edited(fullUpdate().requestBody) { $0["byteCount"] = said }
        #expect(body.byteCount == taken)
    }

    @Test func `an imported connection record reaches the daemon unchanged`() throws {
        let running = try RunningServer()
        var record = ConnectionRecord(
            id: ConnectionID(rawValue: 4), side: .server, openedAt: 77, peerAddress: "[::1]:443",
            localAddress: "[::1]:5000")
        record.security = ConnectionRecord.Security(
            version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", alpn: "http/1.1",
            serverName: "host", peerCertificates: [[1, 2, 3], []], isResumed: true)
        record.process = ConnectionRecord.ClientProcess(pid: 12, name: "curl")
        record.http2 = HTTP2ConnectionFacts(
            ourSettings: [.init(number: 3, value: 100)],
            peerSettings: [.init(number: .max, value: .max)], frames: [1, 2])
        try running.client().importExchanges(connections: [record], updates: [])
        #expect(running.handler.snapshot.connections == [record])
    }

    @Test
    func `an imported body of 3 MiB is sent in several updates, of which only the last is final`()
        throws
    {
        let running = try RunningServer()
        let whole = fullUpdate(bodyByteCount: 3 << 20)
        try running.client().importExchanges(updates: [whole])
        let updates = running.handler.snapshot.updates
        #expect(updates.count > 3)
        #expect(updates.flatMap { $0.requestBody.appended } == whole.requestBody.appended)
        #expect(updates.flatMap { $0.responseBody.appended } == whole.responseBody.appended)
        #expect(updates.filter(\.isFirst).count == 1)
        #expect(updates.dropLast().allSatisfy { $0.state == .active && $0.failure == nil })
        #expect(updates.last?.state == .failed)
        #expect(updates.last?.failure == whole.failure)
        #expect(updates.last?.requestBody.isComplete == true)
        // To a store a count beyond the bytes that came would be a gap.
        var byteCount: Int64 = 0
        for update in updates.dropLast() {
            byteCount += Int64(update.requestBody.appended.count)
            #expect(update.requestBody.byteCount == byteCount)
        }
        #expect(updates.last?.requestBody.byteCount == whole.requestBody.byteCount)
        #expect(updates.last?.responseBody.byteCount == 1_000)
    }

    @Test(arguments: [
        [[0, 4, 6, 7]], [[0, 4, 6, 7, 999]], [[4, 0, 6, 7, 9]], [[0, 4, 3, 7, 9]],
    ])
    func `imported header field lines with invalid offsets are rejected`(lines: [[UInt32]]) {
        let fields = HeaderFields([("Host", "a")])
        #expect(throws: ControlError.self) { try edited(fields) { $0["lines"] = lines } }
    }

    @Test func `an imported request head whose target range exceeds the head is rejected`() {
        for (start, end) in [(-1, 3), (5, 3), (0, 10_000)] {
            let head = RequestHead(method: "GET", target: [0x2F], fields: HeaderFields())
            #expect(throws: ControlError.self) {
                try edited(head) { ($0["rangeStart"], $0["rangeEnd"]) = (start, end) }
            }
        }
    }

    @Test
    func `imported updates without a valid id, state, status, version or timeline are rejected`() {
        let update = fullUpdate()
        #expect(throws: ControlError.self) { try edited(update) { $0["id"] = 0 } }
        #expect(throws: ControlError.self) { try edited(update) { $0["state"] = "odd" } }
        #expect(throws: ControlError.self) { try edited(update.responseHead) { $0["status"] = 7 } }
        #expect(throws: ControlError.self) { try edited(update.requestHead) { $0["major"] = 200 } }
        #expect(throws: ControlError.self) { try edited(update.requestHead) { $0["method"] = nil } }
        #expect(throws: ControlError.self) { try edited(update.failure) { $0["kind"] = "odd" } }
        #expect(throws: ControlError.self) {
            try edited(update.timeline) { $0["offsets"] = Array(repeating: 1, count: 40) }
        }
    }
}

/// Imported messages that describe what cannot be.
struct MessageValidityTests {
    @Test(arguments: [[20], [2, 0, 0], [10, 0], [0, 10], []] as [[UInt8]])
    func `an imported exchange whose server HTTP version is invalid is rejected`(
        _ version: [UInt8]
    ) {
        #expect(throws: ControlError.self) {
            try edited(HTTP2Facts()) { $0["serverVersion"] = version }
        }
    }

    @Test(arguments: ["", "Client", "proxy"])
    func `an imported stream reset or connection whose side is not client or server is rejected`(
        _ side: String
    ) {
        let reset = HTTP2Facts.Reset(side: .client, isOurs: false, code: .cancel)
        #expect(throws: ControlError.self) { try edited(reset) { $0["side"] = side } }
        let record = ConnectionRecord(
            id: ConnectionID(rawValue: 1), side: .client, openedAt: 1, peerAddress: "",
            localAddress: "")
        #expect(throws: ControlError.self) { try edited(record) { $0["side"] = side } }
    }

    @Test(arguments: [[[1]], [[1, 2, 3]], [[65_536, 0]], [[1, 2], []]] as [[[UInt32]]])
    func `an imported SETTINGS entry that is not a 16-bit identifier and a value is rejected`(
        _ settings: [[UInt32]]
    ) {
        for name in ["ourSettings", "peerSettings"] {
            #expect(throws: ControlError.self) {
                try edited(HTTP2ConnectionFacts()) { $0[name] = settings }
            }
        }
    }

    @Test
    func `an imported exchange event without a kind or with an unknown rule phase is rejected`() {
        #expect(throws: ControlError.self) {
            try edited(ExchangeEvent.tagged("t")) { $0["tag"] = nil }
        }
        let rule = AppliedRule(rule: "r", phase: .request, outcome: "changed")
        #expect(throws: ControlError.self) { try edited(rule) { $0["phase"] = "later" } }
    }

    @Test(arguments: [("nowhere", "timedOut"), ("upstream", "slow"), ("", "")])
    func `an imported exchange failure with an unknown origin or kind is rejected`(
        _ origin: String, _ kind: String
    ) {
        let failure = ExchangeFailure(origin: .upstream, kind: .timedOut, message: "m")
        #expect(throws: ControlError.self) {
            try edited(failure) { ($0["origin"], $0["kind"]) = (origin, kind) }
        }
    }

    @Test(arguments: [99, 1_000, -1, nil] as [Int?])
    func `an imported response whose status does not have three digits is rejected`(_ status: Int?)
    {
        let head = ResponseHead(status: 200, reason: "", fields: HeaderFields())
        #expect(throws: ControlError.self) { try edited(head) { $0["status"] = status } }
    }
}

/// A value after its JSON was changed on the way.
func edited<Value: Codable>(
    _ value: Value, _ edit: (inout [String: Any]) -> Void
) throws -> Value {
    let line = Data(try ControlCoding.line(value))
    var members = try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
    edit(&members)
    let bytes = try JSONSerialization.data(withJSONObject: members)
    return try ControlCoding.message(Value.self, from: [UInt8](bytes))
}
