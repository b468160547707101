import ProxydParameterCoding
import ProxydPresentation
import Testing

/// The messages of gRPC, gRPC-Web and Connect bodies, as they are told in the list of messages.
struct CallViewTests {
    private static let message: [UInt8] = [0, 0, 0, 0, 3, 8, 0x96, 1]
    private static let trailers: [UInt8] =
        [0x80, 0, 0, 0, 32] + Array("grpc-status: 0\r\ngrpc-message: \r\n".utf8)
    /// The lines of both.
    private static let shown = [
        "message  3 B", "  1: 150", "trailers  32 B", "  grpc-status: 0", "  grpc-message: ",
    ]

    private func lines(_ type: String, _ bytes: [UInt8]) -> [String] {
        var viewer = Viewed.viewer(
            "messages", BodyFacts(contentType: type, bytes: bytes), LoadedBody(bytes))
        Viewed.finish(&viewer)
        return lines(viewer)
    }

    private func lines(_ viewer: any BodyViewer) -> [String] {
        Viewed.text(viewer).map { String($0.dropFirst(2)) }
    }

    private func first(_ type: String, _ bytes: [UInt8]) -> String? {
        BodyViewers.suited(to: BodyFacts(contentType: type, bytes: bytes)).first?.name
    }

    @Test func `trailers in a gRPC-Web body are shown as fields`() {
        #expect(
            lines("application/grpc-web+proto", CallViewTests.message + CallViewTests.trailers)
                == CallViewTests.shown)
    }

    @Test func `a gRPC-Web body of several separately encoded Base64 pieces is decoded`() {
        let body =
            Base64.text(CallViewTests.message) + "\r\n" + Base64.text(CallViewTests.trailers)
        #expect(first("application/grpc-web-text", Array(body.utf8)) == "messages")
        #expect(
            lines("application/grpc-web-text; charset=utf-8", Array(body.utf8))
                == CallViewTests.shown)
    }

    @Test
    func `Connect RPC messages are shown as JSON or protobuf, and the end of the stream as JSON`() {
        let json = Array(#"{"a":[1]}"#.utf8)
        let end = Array(#"{"error":{"code":"not_found"}}"#.utf8)
        let stream = [0, 0, 0, 0, 9] + json + [2, 0, 0, 0, 30] + end
        #expect(first("application/connect+json", stream) == "messages")
        #expect(
            lines("application/connect+json", stream) == [
                "message  9 B", "  {", "    \"a\": [", "      1", "    ]", "  }",
                "trailers  30 B", "  {", "    \"error\": {", "      \"code\": \"not_found\"",
                "    }", "  }",
            ])
        #expect(
            lines("application/connect+proto", CallViewTests.message + [2, 0, 0, 0, 2, 0x7B, 0x7D])
                .first == "message  3 B")
    }

    @Test(arguments: ["application/grpc+json", "application/grpc-web+json"])
    func `gRPC messages are shown as JSON if the content type says so`(type: String) {
        let body = [0, 0, 0, 0, 7] + Array(#"{"a":1}"#.utf8)
        #expect(first(type, body) == "messages")
        #expect(
            lines(type, body + CallViewTests.trailers).starts(with: [
                "message  7 B", "  {", "    \"a\": 1", "  }",
            ]))
    }

    @Test
    func `an error page declared as gRPC, gRPC-Web or Connect is shown as HTML, text or JSON`() {
        #expect(first("application/grpc", Array("<html>502</html>".utf8)) == "markup")
        #expect(first("application/grpc-web-text", Array("<html>502</html>".utf8)) == "markup")
        #expect(first("application/grpc-web-text", Array("no route!".utf8)) == "text")
        #expect(first("application/connect+json", Array(#"{"code":"x"}"#.utf8)) == "json")
    }

    @Test
    func `for a gRPC-Web body with invalid Base64, the error and the data before it are shown`() {
        let body = Array((Base64.text(CallViewTests.message) + "!!!!").utf8)
        // The first bytes are looked at for a choice, so the mistake is behind them.
        let long = [0, 0, 0x10, 0, 0] + [UInt8](repeating: 8, count: 1 << 20)
        let broken = Array((Base64.text(long) + "!").utf8)
        var viewer = Viewed.viewer(
            "messages", BodyFacts(contentType: "application/grpc-web-text", bytes: broken),
            LoadedBody(broken))
        Viewed.finish(&viewer)
        #expect(viewer.remark == "the rest of the body is not valid base64")
        #expect(viewer.lineCount > 1)
        #expect(first("application/grpc-web-text", body) != "messages")
    }

    @Test func `a gRPC-Web body that arrives byte by byte is decoded completely`() {
        let bytes = Array(
            (Base64.text(CallViewTests.message) + Base64.text(CallViewTests.trailers)).utf8)
        let body = DrippingBody(bytes)
        var viewer = Viewed.viewer(
            "messages", BodyFacts(contentType: "application/grpc-web-text", bytes: bytes), body)
        for count in 0...bytes.count {
            body.grow(to: count)
            viewer.advance(byteBudget: 1_000)
        }
        Viewed.finish(&viewer)
        #expect(lines(viewer) == CallViewTests.shown)
        let offsets = (0..<5).compactMap { viewer.offset(ofLine: $0) }
        #expect(offsets == offsets.sorted() && offsets.allSatisfy { $0 < bytes.count })
    }
}
