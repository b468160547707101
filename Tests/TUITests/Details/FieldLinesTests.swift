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

    @Test func `the Cookies tab lists each cookie on a line with its attributes below`() {
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

    @Test func `the Cookies tab says if no cookies were sent or set`() {
        #expect(
            text(exchange([], [])) == [
                "request", "  no cookies were sent", "", "response", "  no cookies were set",
            ])
    }

    @Test func `a rejected response is shown with the reason and the bytes received`() {
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
