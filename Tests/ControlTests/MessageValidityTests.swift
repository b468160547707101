@testable import ProxydControl
import Foundation
import ProxydHTTPModel
import Testing

/// Imported messages that describe what cannot be.
struct MessageValidityTests {
    @Test(arguments: [[20], [2, 0, 0], [10, 0], [0, 10], []] as [[UInt8]])
    func `an imported server HTTP version that is not two digits is rejected`(_ version: [UInt8]) {
        var message = HTTP2Message(HTTP2Facts())
        message.serverVersion = version
        #expect(throws: ControlError.self) { _ = try message.facts() }
    }

    @Test(arguments: ["", "Client", "proxy"])
    func `an imported stream reset or connection without a valid side is rejected`(_ side: String) {
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
    func `an imported SETTINGS entry that is not a 16-bit identifier and a value is rejected`(
        _ settings: [[UInt32]]
    ) {
        let none = HTTP2ConnectionFacts(ourSettings: [], peerSettings: [], frames: [])
        var ours = HTTP2ConnectionMessage(none)
        ours.ourSettings = settings
        #expect(throws: ControlError.self) { _ = try ours.facts() }
        var theirs = HTTP2ConnectionMessage(none)
        theirs.peerSettings = settings
        #expect(throws: ControlError.self) { _ = try theirs.facts() }
    }

    @Test func `an imported event without a kind, or with an unknown rule phase, is rejected`() {
        var message = EventMessage(.tagged("t"))
        message.tag = nil
        #expect(throws: ControlError.self) { _ = try message.event() }
        message.rule = .init(rule: "r", phase: "later", outcome: "changed", detail: nil)
        #expect(throws: ControlError.self) { _ = try message.event() }
    }

    @Test(arguments: [("nowhere", "timedOut"), ("upstream", "slow"), ("", "")])
    func `an imported failure with an unknown origin or kind is rejected`(
        _ origin: String, _ kind: String
    ) {
        var message = FailureMessage(
            ExchangeFailure(origin: .upstream, kind: .timedOut, message: "m"))
        (message.origin, message.kind) = (origin, kind)
        #expect(throws: ControlError.self) { _ = try message.failure() }
    }

    @Test(arguments: [99, 1_000, -1, nil] as [Int?])
    func `an imported response whose status does not have three digits is rejected`(_ status: Int?)
    {
        var message = HeadMessage(ResponseHead(status: 200, reason: "", fields: HeaderFields()))
        message.status = status
        #expect(throws: ControlError.self) { _ = try message.responseHead() }
    }
}
