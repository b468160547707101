import ProxydHTTPModel
import ProxydPresentation
import Testing

@testable import ProxydTUI

/// Cookies and faults as lines of their tabs.
struct FieldLinesTests {
    private func exchange(
        _ sent: [(name: String, value: String)], _ set: [(name: String, value: String)]
    ) -> Exchange {
        DetailSamples.exchange(1, .get, "/", sent, "", set, [])
    }

    private func text(_ exchange: Exchange) -> [String] {
        CookieLines(exchange: exchange).lines().map(\.text)
    }

    @Test func `cookies are told one a line, their attributes below`() {
        let lines = text(
            exchange(
                [("Cookie", "a=1; b = x=y ;c"), ("cookie", "d=")],
                [("Set-Cookie", "a=2; Path=/; HttpOnly;Max-Age = 5"), ("set-cookie", "e")]))
        #expect(
            lines == [
                "request", "  a = 1", "  b = x=y", "  c", "  d = ", "", "response", "  a = 2",
                "      Path /", "      HttpOnly", "      Max-Age 5", "  e",
            ])
    }

    @Test func `where there are no cookies, that is said`() {
        #expect(
            text(exchange([], [])) == [
                "request", "  no cookies were sent", "", "response", "  no cookies were set",
            ])
    }

    @Test func `a refused response shows its reason and the bytes that came`() {
        let fault = ResponseFault(
            refusal: .init(bytes: Array("SSH-2.0\r\n\u{1B}".utf8), reason: "it is no HTTP"),
            repairs: ["a folded field line was joined"])
        #expect(
            FaultLines(fault: fault).lines().map(\.text) == [
                "", "repaired: a folded field line was joined", "", "refused: it is no HTTP",
                "what came from the server:", "  SSH-2.0", "  \u{1B}",
            ])
        #expect(FaultLines(fault: nil).lines().isEmpty)
    }
}
