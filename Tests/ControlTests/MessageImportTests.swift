@testable import ProxydControl
import Foundation
import ProxydHTTPModel
import Testing

/// Messages over the control socket.
@Suite struct MessageImportTests {
    private func update(_ messages: [MessageRecord]) -> ExchangeUpdate {
        var update = ExchangeUpdate(
            id: ExchangeID(rawValue: 3), state: .complete,
            timeline: Timeline(wallStart: 1, start: 1), isFirst: true)
        update.messages = messages
        update.grpcStatus = 5
        return update
    }

    @Test func `imported WebSocket, gRPC and SSE messages reach the daemon unchanged`() throws {
        var messages = MessageRecord.Kind.allCases.enumerated().map { position, kind in
            MessageRecord(
                position: Int64(position), direction: position % 2 == 0 ? .toServer : .toClient,
                kind: kind, flags: [.compressed, .fragmented], offsetNs: 7_000_000_000,
                byteCount: 1 << 40, wireByteCount: 3, content: .bytes([0, 255, 10, 0x22]),
                problem: "a \"rule\"")
        }
        messages.append(
            MessageRecord(
                position: 99, direction: .toClient, kind: .event, byteCount: 5,
                content: .body(1_000..<1_005)))
        let running = try RunningServer()
        try running.client().importExchanges(updates: [update(messages)])
        let found = running.handler.snapshot.updates
        #expect(found.flatMap(\.messages) == messages)
        #expect(found.first?.grpcStatus == 5)
    }

    @Test
    func `imported exchange events reach the daemon unchanged, and long bodies arrive in pieces`()
        throws
    {
        let body = [UInt8](repeating: 7, count: 1_200_000)
        let rule = AppliedRule(rule: "a", phase: .request, outcome: "changed", detail: "b")
        let bare = AppliedRule(rule: "a", phase: .connect, outcome: "")
        var update = update([])
        update.events = [
            .sentRequestBody([]), .sentRequestBody(body), .sentResponseHead([0, 255]),
            .sentResponseBody(body), .responseWithheld, .appliedRule(rule), .appliedRule(bare),
            .tagged("t"),
        ]
        let running = try RunningServer()
        try running.client().importExchanges(updates: [update])
        let found = running.handler.snapshot.updates
        #expect(found.count > 4 && found.last?.state == .complete)
        #expect(found.dropLast().allSatisfy { $0.state == .active })
        var (request, response) = ([UInt8](), [UInt8]())
        var others: [ExchangeEvent] = []
        for event in found.flatMap(\.events) {
            switch event {
            case .sentRequestBody(let bytes): request += bytes
            case .sentResponseBody(let bytes): response += bytes
            case .sentResponseHead, .responseWithheld, .appliedRule, .tagged: others.append(event)
            }
        }
        let isWhole = request == body && response == body
        #expect(isWhole)
        #expect(
            others == [
                .sentResponseHead([0, 255]), .responseWithheld, .appliedRule(rule),
                .appliedRule(bare), .tagged("t"),
            ])
    }

    @Test
    func `many imported messages are sent in several updates, of which only the last is final`()
        throws
    {
        let messages = (0..<2_000).map { position in
            MessageRecord(
                position: Int64(position), direction: .toServer, kind: .binary, byteCount: 5_000,
                content: .bytes([UInt8](repeating: UInt8(position % 251), count: 5_000)))
        }
        let running = try RunningServer()
        try running.client().importExchanges(updates: [update(messages)])
        let found = running.handler.snapshot.updates
        #expect(found.flatMap(\.messages) == messages)
        #expect(found.count > 2)
        #expect(found.map(\.isFirst) == [true] + found.dropFirst().map { _ in false })
        #expect(found.dropLast().allSatisfy { $0.state == .active })
        #expect(found.last?.state == .complete)
        #expect(found.allSatisfy { $0.id == ExchangeID(rawValue: 3) })
    }

    @Test
    func `an imported message with an invalid kind, direction, position or size is rejected`()
        throws
    {
        let good = MessageRecord(
            direction: .toClient, kind: .text, byteCount: 1, content: .body(0..<1))
        #expect(try edited(good) { _ in } == good)
        let changes: [(name: String, value: Int64)] = [
            ("direction", 2), ("kind", 77), ("position", -1), ("byteCount", -1),
            ("wireByteCount", -1), ("bodyStart", -1), ("bodyStart", .max),
        ]
        for change in changes {
            #expect(throws: ControlError.self) {
                try edited(good) { $0[change.name] = change.value }
            }
        }
    }
}
