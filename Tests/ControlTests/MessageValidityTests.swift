@testable import ProxydControl
import Foundation
import ProxydHTTPModel
import Testing

/// Imported messages that describe what cannot be.
struct MessageValidityTests {
    @Test(arguments: [[20], [2, 0, 0], [10, 0], [0, 10], []] as [[UInt8]])
    func `a server's version has two digits`(_ version: [UInt8]) {
        var message = HTTP2Message(HTTP2Facts())
        message.serverVersion = version
        #expect(throws: ControlError.self) { _ = try message.facts() }
    }

    @Test(arguments: ["", "Client", "proxy"])
    func `a stream is reset by one of two sides`(_ side: String) {
        var message = HTTP2Message(HTTP2Facts())
        message.reset = .init(side: side, isOurs: false, code: 8)
        #expect(throws: ControlError.self) { _ = try message.facts() }
        var record = ConnectionMessage(
            ConnectionRecord(
                id: ConnectionID(rawValue: 1), side: .client, openedAt: 1, peerAddress: "",
                localAddress: ""))
        record.side = side
        #expect(throws: ControlError.self) { _ = try record.record() }
    }

    @Test(arguments: [[[1]], [[1, 2, 3]], [[65_536, 0]], [[1, 2], []]] as [[[UInt32]]])
    func `a setting is a number and a value`(_ settings: [[UInt32]]) {
        let none = HTTP2ConnectionFacts(ourSettings: [], peerSettings: [], frames: [])
        var ours = HTTP2ConnectionMessage(none)
        ours.ourSettings = settings
        #expect(throws: ControlError.self) { _ = try ours.facts() }
        var theirs = HTTP2ConnectionMessage(none)
        theirs.peerSettings = settings
        #expect(throws: ControlError.self) { _ = try theirs.facts() }
    }

    @Test func `an event is of a known kind, and a rule of a known phase`() {
        var message = EventMessage(.tagged("t"))
        message.tag = nil
        #expect(throws: ControlError.self) { _ = try message.event() }
        message.rule = .init(rule: "r", phase: "later", outcome: "changed", detail: nil)
        #expect(throws: ControlError.self) { _ = try message.event() }
    }

    @Test(arguments: [("nowhere", "timedOut"), ("upstream", "slow"), ("", "")])
    func `a failure has an origin and a kind`(_ origin: String, _ kind: String) {
        var message = FailureMessage(
            ExchangeFailure(origin: .upstream, kind: .timedOut, message: "m"))
        (message.origin, message.kind) = (origin, kind)
        #expect(throws: ControlError.self) { _ = try message.failure() }
    }

    @Test(arguments: [99, 1_000, -1, nil] as [Int?])
    func `a response has a status of three digits`(_ status: Int?) {
        var message = HeadMessage(ResponseHead(status: 200, reason: "", fields: HeaderFields()))
        message.status = status
        #expect(throws: ControlError.self) { _ = try message.responseHead() }
    }
}
