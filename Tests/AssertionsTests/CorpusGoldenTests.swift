@testable import ProxydAssertions
import ProxydFilter
import ProxydHTTPModel
import ProxydRedactionTestSupport
import Testing

/// No golden file has a credential, wherever it was and however it was spelled.
struct CorpusGoldenTests {
    @Test func `a golden file contains none of the credentials of the test corpus`() throws {
        let text = "[[golden]]\nname = 'g'\nfile = 'g.jsonl'\nrequest = true\n"
        let assertions = try AssertionFile.read(text, file: "a.toml", now: 0)
        let golden = try #require(assertions.goldens.first)
        let exchanges = SecretCorpus.sample.filter { $0.carrier != .webSocket }.enumerated().map {
            $0.element.exchange(ExchangeID(rawValue: Int64($0.offset + 1)))
        }
        let store = try AssertionStore(exchanges)
        let check = try GoldenCheck(golden, AssertionRun(store.reader, scope: .everything))
        let bytes = try #require(check.contents)
        #expect(bytes.count > 100_000)
        #expect(SecretCorpus.found(in: String(decoding: bytes, as: UTF8.self)).isEmpty)
        // What was written is what is compared.
        #expect(try check.compared(to: bytes).problems.map(\.message) == [])
    }
}
