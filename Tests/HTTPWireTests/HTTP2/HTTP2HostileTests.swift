import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// Peers that break rules, and peers that flood (RFC 9113 §5.4, §10.5).
struct HTTP2HostileTests {
    /// What ends a connection, and with which code.
    static let fatal: [(String, [UInt8], HTTP2ErrorCode)] = [
        ("DATA on no stream", Frames.frame(0, [1]), .protocolError),
        ("DATA on an idle stream", Frames.data(1, "a"), .protocolError),
        ("HEADERS on no stream", Frames.frame(1, flags: 5), .protocolError),
        ("an even stream", Frames.request(2), .protocolError),
        ("a lower stream", Frames.request(5) + Frames.request(3), .protocolError),
        (
            "a stream again", Frames.request(1) + Frames.reset(1, 8) + Frames.request(1),
            .streamClosed
        ),
        ("CONTINUATION alone", Frames.frame(9, flags: 4, stream: 1), .protocolError),
        (
            "an interrupted field section",
            Frames.frame(1, flags: 1, stream: 1, [0x82])
                + Frames.frame(6, Array(repeating: 0, count: 8)),
            .protocolError
        ),
        (
            "CONTINUATION of another stream",
            Frames.frame(1, flags: 1, stream: 1, [0x82]) + Frames.frame(9, flags: 4, stream: 3),
            .protocolError
        ),
        (
            "a bad field section", Frames.frame(1, flags: 5, stream: 1, [0xFF, 0xFF]),
            .compressionError
        ),
        ("an index of nothing", Frames.frame(1, flags: 5, stream: 1, [0x80]), .compressionError),
        ("too much padding", Frames.frame(1, flags: 0x0D, stream: 1, [9, 0x82]), .protocolError),
        (
            "a frame that is too large", Frames.frame(4, Array(repeating: 0, count: 16_386)),
            .frameSizeError
        ),
        ("half a setting", Frames.frame(4, [0, 1, 0, 0, 0]), .frameSizeError),
        ("settings of a stream", Frames.frame(4, stream: 1), .protocolError),
        (
            "an acknowledgement with settings", Frames.frame(4, flags: 1, [0, 1, 0, 0, 0, 0]),
            .frameSizeError
        ),
        ("a window that is too large", Frames.settings([(4, 0x8000_0000)]), .flowControlError),
        ("a frame size that is too small", Frames.settings([(5, 16_383)]), .protocolError),
        ("push that is neither", Frames.settings([(2, 2)]), .protocolError),
        ("a pushed response", Frames.frame(5, flags: 4, stream: 1, [0, 0, 0, 2]), .protocolError),
        (
            "a ping of a stream", Frames.frame(6, stream: 1, Array(repeating: 0, count: 8)),
            .protocolError
        ),
        ("a short ping", Frames.frame(6, [1]), .frameSizeError),
        ("a window of nothing", Frames.windowUpdate(0, 0), .protocolError),
        ("a window beyond all", Frames.windowUpdate(0, 0x7FFF_FFFF), .flowControlError),
        ("a window of an idle stream", Frames.windowUpdate(1, 1), .protocolError),
        ("a reset of an idle stream", Frames.reset(1, 8), .protocolError),
        ("a short reset", Frames.request(1) + Frames.frame(3, stream: 1, [0]), .frameSizeError),
        ("a short good-bye", Frames.frame(7, [0]), .frameSizeError),
        (
            "an idle stream that depends on itself", Frames.frame(2, stream: 1, [0, 0, 0, 1, 0]),
            .protocolError
        ),
    ]

    @Test(arguments: fatal.indices)
    func `an HTTP/2 connection error ends the connection with the matching GOAWAY code`(index: Int)
    {
        let (name, bytes, code) = Self.fatal[index]
        for pieces in [Int.max, 1] {
            var side = HTTP2Side.open(.server)
            side.take(bytes, pieces: pieces)
            #expect(side.error?.code == code, "\(name)")
            #expect(side.frames().last?.hasSuffix(" \(code)") == true, "\(name)")
            side.take(Frames.request(9))
            #expect(side.error?.code == code, "\(name)")
        }
    }

    @Test
    func `a request head that cannot be decoded is reported before the HTTP/2 connection error`() {
        var side = HTTP2Side.open(.server)
        side.take(Frames.frame(1, flags: 5, stream: 1, [0x82, 0x80]))
        #expect(side.takeEvents() == ["1 lost badFieldBlock"])
        #expect(side.error?.code == .compressionError)
        #expect(side.frames() == ["GOAWAY 0 COMPRESSION_ERROR"])
        // Where the section is no new request's head, there is nothing to tell.
        for bytes in [
            Frames.frame(1, flags: 5, stream: 2, [0x80]),
            Frames.request(1, method: "POST", ends: false)
                + Frames.frame(1, flags: 5, stream: 1, [0x80]),
        ] {
            var other = HTTP2Side.open(.server)
            other.take(bytes)
            #expect(other.error?.code == .compressionError)
            #expect(!other.takeEvents().contains { $0.contains("lost") })
        }
        var client = HTTP2Side.open(.client)
        _ = client.connection.send(.get)
        client.take(Frames.frame(1, flags: 5, stream: 1, [0x80]))
        #expect(client.error?.code == .compressionError && client.takeEvents() == [])
    }

    /// What ends a stream only.
    static let resets: [(String, [UInt8], HTTP2ErrorCode)] = [
        ("DATA after its end", Frames.request(1) + Frames.data(1, "a"), .streamClosed),
        ("HEADERS after its end", Frames.request(1) + Frames.request(1), .streamClosed),
        ("a window of nothing", Frames.request(1) + Frames.windowUpdate(1, 0), .protocolError),
        (
            "a window beyond all", Frames.request(1) + Frames.windowUpdate(1, 0x7FFF_FFFF),
            .flowControlError
        ),
        (
            "a priority of four bytes",
            Frames.request(1) + Frames.frame(2, stream: 1, [0, 0, 0, 3]), .frameSizeError
        ),
        (
            "a stream that depends on itself",
            Frames.request(1) + Frames.frame(2, stream: 1, [0, 0, 0, 1, 0]), .protocolError
        ),
    ]

    @Test(arguments: resets.indices)
    func `an HTTP/2 stream error resets only its stream, and the next stream is served`(index: Int)
    {
        let (name, bytes, code) = Self.resets[index]
        var side = HTTP2Side.open(.server)
        side.take(bytes + Frames.request(7))
        #expect(side.error == nil, "\(name)")
        #expect(
            side.takeEvents().suffix(3) == ["1 reset \(code)", "7 GET / none", "7 end"], "\(name)")
        #expect(side.frames().contains("1 RST \(code)"), "\(name)")
    }

    private static let usual = [
        (":method", "GET"), (":scheme", "https"), (":authority", "h"), (":path", "/"),
    ]

    /// Heads that are none (RFC 9113 §8).
    static let malformed: [([(String, String)], WireError.Kind)] = [
        (usual + [("x", "a\r\nb: c")], .badFieldValue), (usual + [("x", "a\0b")], .badFieldValue),
        (usual + [("x", " a")], .paddedFieldValue), (usual + [("x\r\ny", "a")], .badFieldName),
        (usual + [("x y", "a")], .badFieldName), (usual + [("", "a")], .badFieldName),
        (usual + [("a:b", "c")], .badFieldName), (usual + [("X-A", "a")], .upperCaseName),
        (usual + [("connection", "close")], .connectionField),
        (usual + [("transfer-encoding", "chunked")], .connectionField),
        (usual + [("keep-alive", "1")], .connectionField),
        (usual + [("proxy-connection", "x")], .connectionField),
        (usual + [("upgrade", "h2c")], .connectionField),
        (usual + [("te", "gzip")], .connectionField),
        (usual + [(":late", "x")], .badPseudoField),
        (usual + [("a", "b"), (":path", "/x")], .badPseudoField),
        (usual + [(":path", "/x")], .badPseudoField),
        (usual + [(":status", "200")], .badPseudoField),
        (Array(usual.dropFirst()), .badPseudoField), (Array(usual.dropLast()), .badPseudoField),
        ([usual[0], usual[2], usual[3]], .badPseudoField),
        ([usual[0], usual[1], usual[3]], .badHost),
        (usual + [("host", "other")], .badHost),
        (usual + [("host", "h"), ("host", "h")], .badHost),
        (with(":path", ""), .badRequestTarget), (with(":path", "/a b"), .badRequestTarget),
        (with(":path", "a"), .badRequestTarget), (with(":path", "http://evil/"), .badRequestTarget),
        (with(":path", "#b"), .badRequestTarget), (with(":path", "/a\u{7F}"), .badFieldValue),
        (with(":path", "*"), .badRequestTarget), (with(":path", "/a\r\nb"), .badFieldValue),
        (with(":authority", "u@h"), .userInfo), (with(":authority", "a/../b"), .badHost),
        (with(":authority", ""), .badHost), (with(":scheme", "ftp"), .unsupportedScheme),
        (with(":method", "G T"), .badMethod),
        (with(":method", "GET / HTTP/1.1\r\nX: y"), .badFieldValue),
        (usual + [("content-length", "5")], .lengthMismatch),
        (usual + [("content-length", "+0")], .badContentLength),
        (usual + [("content-length", "0"), ("content-length", "0")], .badContentLength),
        ([(":method", "CONNECT"), (":authority", "h:1"), (":path", "/")], .badPseudoField),
        (usual + (0..<1_000).map { ("x-\($0)", "") }, .tooManyFields),
        (usual + [("x", String(repeating: "a", count: 1 << 18))], .headTooLarge),
    ]

    private static func with(_ name: String, _ value: String) -> [(String, String)] {
        usual.map { $0.0 == name ? (name, value) : $0 }
    }

    @Test(arguments: malformed.indices)
    func `a malformed HTTP/2 request head is reported with its error instead of as a request`(
        index: Int
    ) {
        let (lines, kind) = Self.malformed[index]
        var side = HTTP2Side.open(.server)
        let block = Frames.block(lines)
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: block.count, by: 16_000) {
            let piece = Array(block[start..<min(block.count, start + 16_000)])
            let ends: UInt8 = start + 16_000 >= block.count ? 4 : 0
            bytes += Frames.frame(
                start == 0 ? 1 : 9, flags: (start == 0 ? 1 : 0) | ends, stream: 1, piece)
        }
        side.take(bytes)
        #expect(side.takeEvents() == ["1 malformed \(kind)"], "\(lines.suffix(2))")
        #expect(side.error == nil)
    }

    @Test func `an HTTP/2 request whose body does not match Content-Length is malformed`() {
        for (text, ends) in [("toolong", false), ("abc", true)] {
            var side = HTTP2Side.open(.server)
            side.take(
                Frames.request(1, method: "POST", ends: false, [("content-length", "5")])
                    + Frames.data(1, text, ends: ends))
            #expect(side.takeEvents() == ["1 POST / exactly(5)", "1 malformed lengthMismatch"])
        }
    }

    @Test func `HTTP/2 trailers without END_STREAM make the request malformed`() {
        var side = HTTP2Side.open(.server)
        side.take(
            Frames.request(1, method: "POST", ends: false)
                + Frames.headers(1, [("a", "b")], ends: false))
        #expect(side.takeEvents() == ["1 POST / chunked", "1 malformed badTrailers"])
    }

    @Test(arguments: [
        [(":status", "101")], [(":status", "2000")], [(":status", "20")], [],
        [(":status", "200"), ("te", "x")],
        [(":status", "200"), ("x", "a\nb")], [(":status", "200"), (":path", "/")],
    ])
    func `a malformed HTTP/2 response is reported and its stream is reset`(
        lines: [(String, String)]
    ) {
        var side = HTTP2Side.open(.client)
        _ = side.connection.send(.get)
        _ = side.frames()
        side.take(Frames.headers(1, lines))
        #expect(side.takeEvents().first?.hasPrefix("1 malformed") == true)
        #expect(side.frames() == ["1 RST PROTOCOL_ERROR"])
    }

    @Test func `white space around field values of an HTTP/2 response is stripped`() throws {
        var block = FieldBlock(
            limits: FieldBlock.Limits(listByteCountMax: .max, lineCountMax: .max))
        for (name, value) in [(":status", "200"), ("x", " a\t"), ("y", "b")] {
            block.append(
                name: name.utf8.span, value: value.utf8.span, coding: FieldCoding(.notAdded))
        }
        let head = try HTTP2HeadRules.response(block)
        #expect(head.fields.pairs.map(\.value) == ["a", "b"])
        #expect(String(decoding: head.bytes, as: UTF8.self).contains("x:  a\t\r\n"))
    }

    /// Frames that carry nothing, a hundred thousand of which would come.
    static let floods: [(String, @Sendable (UInt32) -> [UInt8])] = [
        ("rapid reset", { Frames.request($0 * 2 + 3) + Frames.reset($0 * 2 + 3, 8) }),
        ("PING", { _ in Frames.frame(6, Array(repeating: 0, count: 8)) }),
        ("SETTINGS", { _ in Frames.settings() }),
        ("PRIORITY", { _ in Frames.frame(2, stream: 1, [0, 0, 0, 3, 1]) }),
        ("empty DATA", { _ in Frames.frame(0, stream: 1) }),
        ("WINDOW_UPDATE", { _ in Frames.windowUpdate(1, 1) }),
        ("unknown frames", { _ in Frames.frame(0x77, [1]) }),
        ("DATA of padding alone", { _ in Frames.frame(0, flags: 8, stream: 1, [2, 0, 0]) }),
        ("GOAWAY", { _ in Frames.frame(7, Array(repeating: 0, count: 8)) }),
        (
            "WINDOW_UPDATE of a closed stream",
            { ($0 == 0 ? Frames.reset(1, 8) : []) + Frames.windowUpdate(1, 4_096) }
        ),
        ("refused streams", { Frames.request($0 * 2 + 3, method: "POST", ends: false) }),
    ]

    @Test(arguments: floods.indices)
    func `a flood of useless frames ends the HTTP/2 connection with ENHANCE_YOUR_CALM`(index: Int) {
        let (name, frames) = Self.floods[index]
        var side = HTTP2Side.open(.server)
        side.take(Frames.request(1, method: "POST", ends: false))
        var count: UInt32 = 0
        while side.error == nil, count < 100_000 {
            side.take(frames(count))
            _ = side.frames()
            count += 1
        }
        #expect(side.error?.code == .enhanceYourCalm, "\(name)")
        #expect(count <= 400, "\(name)")
    }

    /// Requests that are answered immediately, as they are malformed; each made work, or is large.
    static let broken: [(String, @Sendable (UInt32) -> [UInt8])] = [
        (
            "bodies of a wrong length",
            {
                Frames.request($0, method: "POST", ends: false, [("content-length", "1")])
                    + Frames.data($0, "ab")
            }
        ),
        (
            "bad trailers",
            {
                Frames.request($0, method: "POST", ends: false)
                    + Frames.headers($0, [("X", "y")])
            }
        ),
        (
            "heads of references",
            { stream in
                var block = Frames.block([(":method", "GET")])
                if stream == 3 {
                    block +=
                        [0x40, 0x01, 0x61, 0x7F, 0x81, 0x17] + Array(repeating: 0x62, count: 3_072)
                }
                return Frames.frame(
                    1, flags: 5, stream: stream, block + Array(repeating: 0xBE, count: 900))
            }
        ),
    ]

    @Test(arguments: broken.indices)
    func `a flood of malformed HTTP/2 requests ends the connection with ENHANCE_YOUR_CALM`(
        index: Int
    ) {
        let (name, frames) = Self.broken[index]
        var side = HTTP2Side.open(.server)
        var stream: UInt32 = 1
        while side.error == nil, stream < 10_000 {
            stream += 2
            side.take(frames(stream))
            let id = StreamID(rawValue: stream)
            side.connection.send(
                ForwardedResponse(
                    head: ResponseHead(status: 400, reason: "", fields: HeaderFields()),
                    body: .exactly(2)), on: id)
            side.connection.send(body: "no".utf8.span, on: id)
            side.connection.end(id, trailers: nil, thenReset: .protocolError)
            _ = side.frames()
        }
        #expect(side.error?.code == .enhanceYourCalm, "\(name)")
        #expect(stream <= 450, "\(name)")
    }

    @Test
    func `DATA that arrives after a reset counts as a flood only beyond the stream's window`() {
        var side = HTTP2Side.open(.client)
        for stream in 1...20 as ClosedRange<UInt32> where stream % 2 == 1 {
            _ = side.connection.send(.get)
            side.take(Frames.headers(stream, [(":status", "200")], ends: false))
            side.connection.reset(StreamID(rawValue: stream), .cancel)
        }
        let piece = Frames.frame(0, stream: 1, Array(repeating: 0x61, count: 100))
        for stream in 1...20 as ClosedRange<UInt32> where stream % 2 == 1 {
            for _ in 0..<2_000 {
                side.take(
                    Frames.frame(0, stream: stream, Array(repeating: 0x61, count: 100)))
            }
            side.take(Frames.headers(stream, [("grpc-status", "1")]) + Frames.reset(stream, 0))
            _ = side.frames()
        }
        #expect(side.error == nil)
        // More than its window allowed is one.
        for _ in 0..<2_000 { side.take(piece) }
        #expect(side.error?.code == .enhanceYourCalm)
    }

    @Test func `DATA for refused HTTP/2 streams is not treated as a flood`() {
        var side = HTTP2Side.open(.server)
        for number in 0..<200 as Range<UInt32> {
            side.take(Frames.request(number * 2 + 1, method: "POST", ends: false))
        }
        for _ in 0..<50 { side.take(Frames.data(301, "body")) }
        for _ in 0..<100 { side.take(Frames.data(303, "body")) }
        #expect(side.error == nil)
    }

    @Test func `an endless HTTP/2 field section ends the connection`() {
        for size in [0, 1, 16_000] {
            var side = HTTP2Side.open(.server)
            side.take(Frames.frame(1, stream: 1, [0x82]))
            var count = 0
            while side.error == nil, count < 1_000 {
                side.take(Frames.frame(9, stream: 1, Array(repeating: 0x82, count: size)))
                count += 1
            }
            #expect(side.error?.code == .enhanceYourCalm && count < 300)
        }
    }

    @Test func `PING frames spread over time are not treated as a flood`() {
        var side = HTTP2Side.open(.server)
        for _ in 0..<1_000 {
            side.now += 50_000_000
            side.take(Frames.frame(6, Array(repeating: 0, count: 8)))
            _ = side.frames()
        }
        #expect(side.error == nil)
    }

    @Test(arguments: [(900, "headTooLarge"), (12_000, "tooManyFields")])
    func `an HPACK bomb makes its request malformed but does not end the connection`(
        count: Int, kind: String
    ) {
        var side = HTTP2Side.open(.server)
        let length = count == 900 ? 4_000 : 1
        var entry: [UInt8] = [0x40, 0x01, 0x61]
        HPACKInteger.append(length, mask: 0x7F, pattern: 0, to: &entry)
        entry += Array(repeating: 0x62, count: length)
        side.take(
            Frames.frame(1, flags: 5, stream: 1, entry + Array(repeating: 0xBE, count: count)))
        #expect(side.takeEvents() == ["1 malformed \(kind)"])
        #expect(side.error == nil)
    }
}
