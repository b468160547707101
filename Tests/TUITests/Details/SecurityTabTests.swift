import ProxydHTTPModel
import Testing

@testable import ProxydTUI

/// The tab Security: certificates and tokens.
@Suite struct SecurityTabTests {
    private static let token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ."

    @Test func `an exchange with a JSON Web Token has a Security tab`() {
        var exchange = DetailSamples.post
        exchange.request.head = RequestHead(
            method: .get, target: Array("/".utf8),
            fields: HeaderFields([(name: "Authorization", value: "Bearer \(Self.token)")]))
        let player = DetailPlayer([exchange], columns: 120, rows: 40)
        #expect(player.text.contains("0 Security"))
        player.press(Key("0"))
        #expect(player.screenModel?.tab == .security)
        #expect(player.text.contains("request authorization  not verified"))
        #expect(player.text.contains("\"sub\": \"ada\""))
        #expect(player.text.contains("none were shown"))
    }

    @Test func `an exchange without certificates or tokens has no Security tab`() {
        let player = DetailPlayer([DetailSamples.post])
        #expect(!player.text.contains("Security"))
        player.press(Key("0"))
        #expect(player.text.contains("no certificates or tokens"))
    }
}
