import ProxydHTTPModel
import ProxydHTTPWire
import Testing

/// What clients take and no one may send on: what goes on is well-formed, each repair has its name,
/// and `hasStrictResponses` refuses it.
@Suite struct ResponseRepairTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// LF is CR LF.
        let wire: String
        let repairs: ResponseRepairs
        /// Head lines that go on, and how the body then ends.
        let sent: String
        let framing: BodyLength
        var body = ""
        /// Whether strict reading takes it too.
        var isAlwaysTaken = false
    }

    private static let chunks = "5\nhello\n0\n\n"

    static let cases = [
        Case(
            testDescription: "a length beside chunked",
            wire: "HTTP/1.1 200 OK\nContent-Length: 3\nTransfer-Encoding: chunked\n\n\(chunks)",
            repairs: .lengthBesideChunked,
            sent: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", framing: .chunked,
            body: "hello"),
        Case(
            testDescription: "a length behind chunked",
            wire: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Length: 3\n\n\(chunks)",
            repairs: .lengthBesideChunked,
            sent: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", framing: .chunked,
            body: "hello"),
        Case(
            testDescription: "bare line feeds in chunk lines",
            wire: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"
                + "5\u{1}\nhello\u{1}\n0\u{1}\n\u{1}\n",
            repairs: .chunkLineFeed,
            sent: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", framing: .chunked,
            body: "hello"),
        Case(
            testDescription: "identity and a length",
            wire: "HTTP/1.1 200 OK\nTransfer-Encoding: identity\nContent-Length: 5\n\nhello",
            repairs: .identityCoding,
            sent: "HTTP/1.1 200 OK\nContent-Length: 5\n\n", framing: .exactly(5), body: "hello"),
        Case(
            testDescription: "chunked in HTTP/1.0",
            wire: "HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n\(chunks)",
            repairs: .chunkedInHTTP10,
            sent: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", framing: .chunked,
            body: "hello"),
        Case(
            testDescription: "control bytes in a value",
            wire: "HTTP/1.1 204 No\nA: b\u{B}c\u{7F}\nB: c\n\n", repairs: .controlByte,
            sent: "HTTP/1.1 204 No\nA: b c \nB: c\n\n", framing: .none),
        Case(
            testDescription: "a control byte in the reason phrase",
            wire: "HTTP/1.1 204 N\u{B}o\nA: b\n\n", repairs: .reasonControlByte,
            sent: "HTTP/1.1 204 N o\nA: b\n\n", framing: .none),
        Case(
            testDescription: "a name with a space",
            wire: "HTTP/1.1 204 No\nA: b\nMy Name: c\nB: d\n\n", repairs: .invalidName,
            sent: "HTTP/1.1 204 No\nA: b\nB: d\n\n", framing: .none),
        Case(
            testDescription: "a folded line below a name that is no token",
            wire: "HTTP/1.1 204 No\nA: b\nMy Name: c\n Content-Length: 3\nB: d\n\n",
            repairs: [.invalidName, .foldedLine],
            sent: "HTTP/1.1 204 No\nA: b\nB: d\n\n", framing: .none),
        Case(
            testDescription: "a name that is almost Content-Length",
            wire: "HTTP/1.1 200 OK\nContent-Length\u{B}: 3\nContent-Length: 5\n\nhello",
            repairs: .invalidFramingName,
            sent: "HTTP/1.1 200 OK\nContent-Length: 5\n\n", framing: .exactly(5), body: "hello"),
        Case(
            testDescription: "white space before the colon of a length",
            wire: "HTTP/1.1 200 OK\nContent-Length : 5\n\nhello",
            repairs: [.spaceBeforeColon, .framingField],
            sent: "HTTP/1.1 200 OK\nContent-Length: 5\n\n", framing: .exactly(5), body: "hello",
            isAlwaysTaken: true),
        Case(
            testDescription: "a transfer coding that is folded",
            wire: "HTTP/1.1 200 OK\nTransfer-Encoding:\n chunked\n\n5\nhello\n0\n\n",
            repairs: [.foldedLine, .framingField],
            sent: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", framing: .chunked,
            body: "hello", isAlwaysTaken: true),
        Case(
            testDescription: "tabs and spaces around the folds of a line",
            wire: "HTTP/1.1 204 No\nA: b \t\n\t c\n \nB:\t\n\td\t \n\n", repairs: .foldedLine,
            sent: "HTTP/1.1 204 No\nA: b c\nB: d\n\n", framing: .none, isAlwaysTaken: true),
        Case(
            testDescription: "no empty line",
            wire: "HTTP/1.1 200 OK\nA: b\n", repairs: .missingEmptyLine,
            sent: "HTTP/1.1 200 OK\nA: b\nConnection: close\n\n", framing: .untilClose),
        Case(
            testDescription: "white space before a colon, a folded line and a bare line feed",
            wire: "HTTP/1.1 204 No\nA : b\n c\nB: d\u{1}\n\n",
            repairs: [.spaceBeforeColon, .foldedLine, .headLineFeed],
            sent: "HTTP/1.1 204 No\nA: b c\nB: d\n\n", framing: .none, isAlwaysTaken: true),
    ]

    /// CR LF for LF, but a bare LF for U+0001 and LF.
    private static func bytes(_ text: String) -> [UInt8] {
        Array(
            text.replacing("\u{1}\n", with: "\u{2}").replacing("\n", with: "\r\n")
                .replacing("\u{2}", with: "\n").utf8)
    }

    /// What a decoder found in pieces that end with the connection.
    private struct Outcome {
        var head: ResponseHead?
        var length = BodyLength.none
        var body: [UInt8] = []
        var repairs: ResponseRepairs = []
        var error: WireError.Kind?
        var hasEnded = false

        init(_ pieces: [ArraySlice<UInt8>], limits: WireLimits = WireLimits()) {
            var decoder = ResponseDecoder(limits: limits)
            decoder.expectResponse(toMethod: .get)
            do throws(WireError) {
                for piece in pieces {
                    var offset = 0
                    while take(try decoder.decode(piece.span, from: &offset), of: piece) {}
                }
                if !hasEnded { while take(try decoder.finish(), of: []) {} }
            } catch {
                self.error = error.kind
            }
            repairs = decoder.repairs
        }

        /// Says whether there may be more in the piece.
        private mutating func take(
            _ part: Decoded<ResponseHead>, of piece: ArraySlice<UInt8>
        ) -> Bool {
            switch part {
            case .needsMoreInput: return false
            case .head(let head, let length): (self.head, self.length) = (head, length)
            case .body(let range):
                body += piece.dropFirst(range.lowerBound).prefix(range.count)
            case .end:
                hasEnded = true
                return false
            case .informational, .trailers: break
            }
            return true
        }
    }

    @Test(arguments: cases)
    func `a malformed response that clients accept is repaired, and each repair is reported`(
        _ one: Case
    ) throws {
        let bytes = Self.bytes(one.wire)
        for size in 1...bytes.count {
            let outcome = Outcome(Cuts.pieces(bytes, of: size))
            #expect(outcome.error == nil && outcome.hasEnded, "\(size)")
            #expect(outcome.repairs == one.repairs, "\(outcome.repairs.texts)")
            #expect(outcome.repairs.texts.count == one.repairs.texts.count)
            #expect(String(decoding: outcome.body, as: UTF8.self) == one.body)
            let head = try #require(outcome.head)
            #expect(bytes.starts(with: head.bytes), "the head is kept as it came")
            var sent: [UInt8] = []
            let framing = outcome.length
            let client = HTTP1Recipient(version: .http11, requestMethod: .get, isPersistent: true)
            HTTP1HeadWriter.write(
                ForwardedResponse(head: head, body: framing), to: client, into: &sent)
            let expected = one.sent.replacing("\n", with: "\r\n")
            #expect(String(decoding: sent, as: UTF8.self) == expected)
            #expect(head.status == 204 || framing == one.framing)
        }
    }

    @Test(arguments: cases)
    func `strict response parsing rejects malformed responses except for those always repaired`(
        _ one: Case
    ) {
        var limits = WireLimits()
        limits.hasStrictResponses = true
        let outcome = Outcome([Self.bytes(one.wire)[...]], limits: limits)
        #expect((outcome.error == nil) == one.isAlwaysTaken)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\nA: b\nB: c", "HTTP/1.1 200 O", "HTTP/1.1 103 x\nA: b\n",
        "HTTP/1.1 101 x\nUpgrade: a\n", "HTTP/1.1 200 OK\nno colon\n\n",
        "HTTP/1.1 200 OK\nA\u{0}: b\n\n", "HTTP/1.1 200 OK\nA: b\u{0}\n\n",
        "HTTP/1.1 200 OK\nA: b\rC: d\n\n", "HTTP/1.1 200 OK\n A: b\n\n",
        "HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 5\n\nhello",
        "HTTP/1.1 200 OK\nContent-Length: 3\nContent-Length: 5\nTransfer-Encoding: chunked\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked, chunked\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: identity, chunked\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: gzip\nContent-Length: 5\n\nhello",
        "HTTP/1.1 200 OK\nTransfer-Encoding: \u{B}chunked\n\n0\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked,\u{7F}\n\n0\n\n",
        "HTTP/1.1 200 OK\nContent-Length: 2\u{B}\n\nhi",
        "HTTP/1.1 200 OK\nContent-Length : \u{B}2\n\nhi",
    ])
    func `a response that is truncated, ambiguous or impossible to repair is rejected`(wire: String)
    {
        #expect(Outcome([Self.bytes(wire)[...]]).error != nil)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\nA\u{0}: b\n\nbody", ""),
        ("HTTP/1.1 200 OK\nContent-Length: x\n\nbody", ""),
        ("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", "2\nab\nzz\nmore"),
    ])
    func `the raw bytes of a rejected response can be retrieved up to a given limit`(
        head: String, body: String
    ) {
        let bytes = Self.bytes(head + body)
        var decoder = ResponseDecoder()
        decoder.expectResponse(toMethod: .get)
        var offset = 0
        while let part = try? decoder.decode(bytes.span, from: &offset) {
            guard case .needsMoreInput = part else { continue }
            break
        }
        let all = decoder.refusedBytes(of: bytes.span, at: offset, byteCountMax: 1_000)
        #expect(all == bytes)
        let some = decoder.refusedBytes(of: bytes.span, at: offset, byteCountMax: 10)
        #expect(some.count == 10)
    }

    @Test
    func `an invalid chunk line can be retrieved whole even if it arrived in pieces`() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let pieces = [head + "2\r\nab", "\r\n5", "z\r\n"]
        var decoder = ResponseDecoder()
        decoder.expectResponse(toMethod: .get)
        var found: [UInt8] = []
        for piece in pieces.map({ Array($0.utf8) }) {
            var offset = 0
            do throws(WireError) {
                while true {
                    let part = try decoder.decode(piece.span, from: &offset)
                    if case .needsMoreInput = part { break }
                }
            } catch {
                found = decoder.refusedBytes(of: piece.span, at: offset, byteCountMax: 100)
            }
        }
        #expect(String(decoding: found, as: UTF8.self) == "5z\r\n")
    }
}
