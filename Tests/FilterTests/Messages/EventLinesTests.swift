import ProxydTestSupport
import Testing

@testable import ProxydFilter

/// Fields of server-sent events (HTML standard, §9.2.6) and of gRPC-Web's trailers.
@Suite struct EventLinesTests {
    private func name(_ text: String) -> String {
        String(decoding: EventLines(Array(text.utf8)).name, as: UTF8.self)
    }

    private func id(_ text: String) -> String? {
        EventLines(Array(text.utf8)).id.map { String(decoding: $0, as: UTF8.self) }
    }

    private func data(_ text: String) -> String? {
        EventLines(Array(text.utf8)).data.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("event: a\n", "a"), ("event:a\n", "a"), ("event:  a\n", " a"), ("event: a\nevent: b", "b"),
        ("event: a\nevent:\n", "message"), ("event\n", "message"), ("", "message"),
        ("Event: a\n", "message"), ("event : a\n", "message"), (": event: a\n", "message"),
        ("event: a: b\r\n", "a: b"), ("data: event: a\n", "message"), ("event: é\r", "é"),
    ])
    func `the name of a server-sent event is its last event field, or 'message' if that is empty`(
        text: String, wanted: String
    ) {
        #expect(name(text) == wanted)
    }

    @Test(arguments: [
        ("id: 7\n", "7"), ("id:7\nid: 8", "8"), ("id\n", ""), ("id:\n", ""), ("data: 1\n", nil),
        ("id: a\u{0}b\n", nil), ("id: 1\nid: a\u{0}b\n", "1"), ("ID: 7\n", nil), ("", nil),
    ])
    func `an id field that contains NUL in a server-sent event is ignored`(
        text: String, wanted: String?
    ) {
        #expect(id(text) == wanted)
    }

    @Test(arguments: [
        ("data: a\ndata: b\n", "a\nb"), ("data: a\r\ndata: b\r\n", "a\nb"),
        ("data: a\rdata: b", "a\nb"), ("data\ndata\n", "\n"), ("data:\n", ""), ("data:  a", " a"),
        ("event: a\n", nil), ("datas: a\n", nil), ("data: {\"a\": \"b\"}\n", "{\"a\": \"b\"}"),
    ])
    func `the data lines of a server-sent event are joined by line feeds, however they end`(
        text: String, wanted: String?
    ) {
        #expect(data(text) == wanted)
    }

    @Test(arguments: [
        ("grpc-status: 5\r\ngrpc-message: no%20such\r\n", "no%20such"),
        ("GRPC-Message:x\n", "x"), ("grpc-message:   spaced\n", "spaced"),
        ("grpc-message:\n", ""), ("grpc-message", ""), ("grpc-status: 0\n", nil), ("", nil),
        ("x-grpc-message: a\n", nil), ("grpc-message: a: b\n", "a: b"),
        ("\r\n\r\ngrpc-message: a", "a"),
    ])
    func `grpc-message is found in gRPC-Web trailers whatever the case of its name`(
        text: String, wanted: String?
    ) {
        #expect(GRPCWebTrailers.message(in: Array(text.utf8)) == wanted)
    }

    @Test func `random bytes do not crash the parsers of server-sent events and gRPC-Web trailers`()
    {
        var random = SplitMix(seed: 5)
        let alphabet = Array("event: id\r\ndata grpc-message\u{0}".utf8) + [0xFF, 0xC3]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                alphabet.pick(&random)
            }
            let lines = EventLines(bytes)
            #expect(!lines.name.isEmpty)
            #expect(lines.id?.contains(0) != true)
            #expect((lines.data?.count ?? 0) <= bytes.count)
            #expect((GRPCWebTrailers.message(in: bytes)?.utf8.count ?? 0) <= bytes.count * 3)
        }
    }
}
