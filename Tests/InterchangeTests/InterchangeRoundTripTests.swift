import Capture
import Foundation
import ProxydCaptureModel
import ProxydHTTPModel
import ProxydInterchange
import ProxydStoreTestSupport
import Testing

/// What was exported comes in again as it was.
struct InterchangeRoundTripTests {
    /// An exchange that is active cannot go on elsewhere; all others stay what they are.
    private func storeOfEnded() throws -> InterchangeStore {
        let all = try InterchangeStore()
        return try InterchangeStore(importing: try all.export(JSONLinesWriter()))
    }

    /// Without the numbers that connections have.
    private func withoutConnectionIDs(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
            .replacing(/"connection":"\d+"/, with: "")
            .replacing(/"(client|server)":\{"id":\d+/, with: "")
    }

    @Test func `importing a HAR export and exporting it again gives the same file`() throws {
        let first = try storeOfEnded().export(HARWriter(version: "1"))
        let second = try InterchangeStore(importing: first).export(HARWriter(version: "1"))
        #expect(withoutConnectionIDs(first) == withoutConnectionIDs(second))
    }

    @Test func `importing a JSON Lines export and exporting it again gives the same file`() throws {
        let first = try storeOfEnded().export(JSONLinesWriter())
        let second = try InterchangeStore(importing: first).export(JSONLinesWriter())
        #expect(withoutConnectionIDs(first) == withoutConnectionIDs(second))
    }

    @Test
    func `heads, bodies, times, links and notes survive export to HAR or JSON Lines and reimport`()
        throws
    {
        let before = try InterchangeStore()
        for bytes in [
            try before.export(HARWriter(version: "1")), try before.export(JSONLinesWriter()),
        ] {
            let after = try InterchangeStore(importing: bytes)
            for (one, other) in zip(try before.captured(), try after.captured()) {
                let id = one.row.id
                #expect(one.exchange.request == other.exchange.request, "\(id)")
                #expect(one.exchange.response == other.exchange.response, "\(id)")
                #expect(one.exchange.informational == other.exchange.informational, "\(id)")
                #expect(one.exchange.timeline == other.exchange.timeline, "\(id)")
                #expect(one.exchange.responseFault == other.exchange.responseFault, "\(id)")
                #expect(one.exchange.replayOf == other.exchange.replayOf, "\(id)")
                #expect(one.exchange.annotations == other.exchange.annotations, "\(id)")
                #expect(one.exchange.upgradedTo == other.exchange.upgradedTo, "\(id)")
                #expect(one.exchange.appliedRules == other.exchange.appliedRules, "\(id)")
                #expect(one.row.rules == other.row.rules, "\(id)")
                #expect(one.malformedHead == other.malformedHead, "\(id)")
                #expect(one.row.clientAddress == other.row.clientAddress, "\(id)")
                #expect(one.row.process == other.row.process, "\(id)")
                #expect(one.exchange.client?.arrival == other.exchange.client?.arrival, "\(id)")
                #expect(one.exchange.client?.arrival != nil, "\(id)")
                #expect(one.exchange.server?.upstream == other.exchange.server?.upstream, "\(id)")
                #expect(one.exchange.user == other.exchange.user, "\(id)")
                #expect(one.row.tlsVersion == other.row.tlsVersion, "\(id)")
                guard one.exchange.state != .active else { continue }
                #expect(one.exchange.state == other.exchange.state, "\(id)")
                #expect(one.exchange.failure == other.exchange.failure, "\(id)")
            }
            #expect(try after.captured().count == 15)
        }
    }

    @Test
    func `an exchange exported while active is imported as failed because it had not ended yet`()
        throws
    {
        let before = try InterchangeStore()
        let after = try InterchangeStore(importing: try before.export(HARWriter(version: "1")))
        let last = try #require(try after.captured().last)
        #expect(last.exchange.state == .failed)
        #expect(last.row.error?.contains("had not ended when it was exported") == true)
    }

    @Test
    func `exchanges in JSON Lines without _capture are imported without their content codings`()
        throws
    {
        let lines = String(
            decoding: try InterchangeStore().export(JSONLinesWriter()), as: UTF8.self)
        let plain = lines.split(separator: "\n").map {
            $0.replacing(/,"_capture":\{.*\}$/, with: "}")
        }
        #expect(plain.allSatisfy { !$0.contains("_capture") })
        let after = try InterchangeStore(importing: Array(plain.joined(separator: "\n").utf8))
        let all = try after.captured()
        #expect(all.count == 15)
        #expect(all[0].row.url == "http://example.test/search?q=caf%C3%A9+noir&tags[]=a&flag")
        #expect(all[0].row.serverAddress == "[2001:db8::1]:443")
        #expect(all[0].exchange.timeline.wait == 959_000)
        #expect(all[1].exchange.request.body.kept == InterchangeSamples.login)
        #expect(all[1].row.note == "the login")
        let hello = try #require(all[2].exchange.response)
        #expect(hello.body.kept == Array("hello hello hello".utf8))
        #expect(hello.head.fields["Content-Encoding"] == nil)
        #expect(all[9].exchange.response?.body.kept == [0x63, 0x61, 0x66, 0xE9])
        #expect(all[2].exchange.responseFault?.repairs == ["a folded field line was joined"])
        #expect(all[10].exchange.failure?.kind == .connectionRefused)
        #expect(all[10].exchange.response == nil)
        #expect(all[10].exchange.responseFault?.refusal?.reason == "no HTTP")
        #expect(all[12].exchange.state == .tunnel)
        #expect(all[13].row.rules == ["key", "tea"])
    }
}
