@testable import ProxydControl
import Foundation
import ProxydHTTPModel
import Testing

/// Imported messages that describe what cannot be.
struct MessageValidityTests {
    @Test(arguments: [[20], [2, 0, 0], [10, 0], [0, 10], []] as [[UInt8]])
    func `an imported exchange with an invalid HTTP version of the server is rejected`(
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
