import ProxydHTTPModel
import ProxydHTTPWire
import Testing

struct PrefixedMessageTests {
    @Test
    func `the gRPC scanner finds prefixed messages, even empty ones, wherever a body is split`()
        throws
    {
        let messages: [[UInt8]] = [[1, 2, 3], [], Array(0...255), []]
        var body: [UInt8] = []
        for (index, message) in messages.enumerated() {
            #expect(MessagePrefix.write(message.span, flags: UInt8(index), into: &body))
        }
        for pieces in Cuts.everyWay(body) {
            var scanner = PrefixedMessageScanner()
            var found: [(UInt8, [UInt8])] = []
            for piece in pieces {
                for case .ended(let prefix, let range) in parts(of: piece, &scanner) {
                    let bytes = body[Int(range.lowerBound)..<Int(range.upperBound)]
                    found.append((prefix.flags, Array(bytes)))
                }
            }
            #expect(found.map(\.0) == [0, 1, 2, 3])
            #expect(found.map(\.1) == messages)
            #expect(scanner.unfinished() == nil)
        }
    }

    @Test func `a gRPC message of zero bytes is complete as soon as its prefix is`() {
        var scanner = PrefixedMessageScanner()
        let prefix = MessagePrefix(flags: 0, length: 0)
        #expect(parts(of: [0, 0, 0, 0, 0], &scanner) == [.started(prefix), .ended(prefix, 5..<5)])
    }

    @Test func `a gRPC message whose prefix announces 2³²−1 bytes is reported as unfinished`() {
        var scanner = PrefixedMessageScanner()
        let prefix = MessagePrefix(flags: 0, length: .max)
        #expect(
            parts(of: [0, 0xFF, 0xFF, 0xFF, 0xFF, 7], &scanner)
                == [.started(prefix), .payload(5..<6)])
        #expect(scanner.unfinished()?.prefix == prefix)
        #expect(scanner.unfinished()?.range == 5..<6)
    }

    @Test func `a truncated gRPC message prefix is reported as an unfinished message`() {
        for count in 1...4 {
            var scanner = PrefixedMessageScanner()
            #expect(parts(of: [UInt8](repeating: 0, count: count), &scanner).isEmpty)
            #expect(scanner.unfinished()?.prefix == nil)
            #expect(scanner.unfinished()?.range == 0..<Int64(count))
        }
    }

    @Test
    func `the flags of a message prefix are interpreted by the rules of gRPC, gRPC-Web or Connect`()
    {
        func prefix(_ flags: UInt8) -> MessagePrefix { MessagePrefix(flags: flags, length: 0) }
        #expect(prefix(1).isCompressed)
        #expect(!prefix(0x80).isTrailers(in: .grpc))
        #expect(prefix(0x80).isTrailers(in: .grpcWeb))
        #expect(prefix(2).isTrailers(in: .connect))
        #expect(prefix(0x83).reservedFlags(in: .grpc) == 0x82)
        #expect(prefix(0x83).reservedFlags(in: .grpcWebText) == 0x02)
        #expect(prefix(0x83).reservedFlags(in: .connect) == 0x80)
    }

    @Test
    func `the gRPC message decoder yields whole messages and rejects oversized or truncated ones`()
        throws
    {
        var body: [UInt8] = []
        #expect(MessagePrefix.write([1, 2, 3].span, into: &body))
        #expect(MessagePrefix.write([UInt8](repeating: 9, count: 11).span, into: &body))
        for pieces in Cuts.everyWay(body) {
            var decoder = PrefixedMessageDecoder(messageByteCountMax: 10)
            var messages: [PrefixedMessage] = []
            #expect(throws: PrefixedMessageDecoder.Failure.messageTooLarge(byteCount: 11)) {
                for piece in pieces { try decoder.receive(piece.span, into: &messages) }
            }
            #expect(messages.map(\.payload) == [[1, 2, 3]])
        }
        var decoder = PrefixedMessageDecoder()
        var messages: [PrefixedMessage] = []
        body.removeLast()
        try decoder.receive(body.span, into: &messages)
        #expect(throws: PrefixedMessageDecoder.Failure.truncated) { try decoder.finish() }
    }

    @Test(
        arguments: [
            ("application/grpc", .grpc), ("application/grpc+proto", .grpc),
            ("Application/GRPC;x=y", .grpc), ("application/grpc ", .grpc),
            ("application/grpc-web", .grpcWeb), ("application/grpc-web+proto", .grpcWeb),
            ("application/grpc-web-text", .grpcWebText),
            ("application/grpc-web-text+proto", .grpcWebText),
            ("application/connect+json", .connect), ("application/connect+proto", .connect),
            ("application/grpcs", nil), ("application/grpc-webx", nil), ("application/proto", nil),
            ("application/connect", nil), ("text/event-stream", nil), ("", nil),
        ] as [(String, MessageFraming?)])
    func `the media type decides whether a body has gRPC, gRPC-Web or Connect framing`(
        _ type: String, _ framing: MessageFraming?
    ) {
        #expect(MessageFraming(contentType: Array(type.utf8).span) == framing)
    }

    private func parts(
        of piece: [UInt8], _ scanner: inout PrefixedMessageScanner
    ) -> [PrefixedMessageScanner.Part] {
        var parts: [PrefixedMessageScanner.Part] = []
        var offset = 0
        while let part = scanner.next(in: piece.span, from: &offset) { parts.append(part) }
        return parts
    }
}

struct Base64StreamTests {
    @Test(
        arguments: [
            ("AQID", [1, 2, 3]), ("AQ==AgM=", [1, 2, 3]), ("AQIDBA==BQ==", [1, 2, 3, 4, 5]),
            ("+/+/", [0xFB, 0xFF, 0xBF]), ("AQ\r\nID\n", [1, 2, 3]), ("", []),
        ] as [(String, [UInt8])])
    func `the Base64 stream decoder accepts padding after any group, wherever the input is split`(
        _ text: String, _ bytes: [UInt8]
    ) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == bytes)
            #expect(stream.isAtEndOfGroup)
        }
    }

    @Test(arguments: ["AQID*AQID", "AQID=QID", "AQIDA===", "AQIDAQ=AAQID", "AQID-_-_", "AQID\0"])
    func `the Base64 stream decoder decodes nothing after invalid input`(_ text: String) {
        for pieces in Cuts.everyWay(Array(text.utf8)) {
            var stream = Base64Stream()
            var output: [UInt8] = []
            for piece in pieces { stream.decode(piece.span, into: &output) }
            #expect(output == [1, 2, 3])
            #expect(stream.isInvalid)
        }
    }

    @Test func `Base64 that ends within a group is incomplete but not invalid`() {
        var stream = Base64Stream()
        var output: [UInt8] = []
        stream.decode(Array("AQIDAQ".utf8).span, into: &output)
        #expect(output == [1, 2, 3])
        #expect(!stream.isAtEndOfGroup && !stream.isInvalid)
    }
}
