import Testing

@testable import ProxydTLS

/// Hellos of unusual shapes: what OpenSSL would shake hands with is read, and what it would not is
/// left to it to refuse, so that nothing passes by unread.
struct ClientHelloBoundsTests {
    /// One shape, and whether OpenSSL takes it.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let isTaken: Bool
    }

    private static func sized(_ bytes: [UInt8], _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(bytes.count >> (8 * $0) & 0xFF) } + bytes
    }

    private static func record(_ bytes: [UInt8], type: UInt8 = 22) -> [UInt8] {
        [type, 3, 1] + sized(bytes, 2)
    }

    private static let empty = record([])

    /// A hello of TLS 1.2 that asks for `a.example`, with as many unknown ciphers and as long an
    /// extension of padding as is wanted.
    private static func message(cipherCount: Int = 0, paddingByteCount: Int = 0) -> [UInt8] {
        let name: [UInt8] = [0, 0] + sized(sized([0] + sized(Array("a.example".utf8), 2), 2), 2)
        let groups: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23]
        let signatures: [UInt8] = [0, 13, 0, 4, 0, 2, 4, 3]
        let padding: [UInt8] = [0, 21] + sized(Array(repeating: 0, count: paddingByteCount), 2)
        let ciphers: [UInt8] = [0xC0, 0x2B] + Array(repeating: 0xFA, count: 2 * cipherCount)
        var body: [UInt8] = [3, 3] + Array(repeating: 7, count: 32) + [0]
        body += sized(ciphers, 2) + [1, 0]
        body += sized(name + groups + signatures + padding, 2)
        return [1] + sized(body, 3)
    }

    /// In records of a number of bytes, with something before each.
    private static func records(
        _ message: [UInt8], of byteCount: Int, before: [UInt8] = []
    ) -> [UInt8] {
        stride(from: 0, to: message.count, by: byteCount).flatMap { start in
            before + record(Array(message[start...].prefix(byteCount)))
        }
    }

    private static func empties(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in empty }
    }

    private static let shapes: [Shape] = [
        Shape(testDescription: "whole", bytes: record(message()), isTaken: true),
        Shape(
            testDescription: "one byte a record", bytes: records(message(), of: 1), isTaken: true),
        Shape(
            testDescription: "an empty record first", bytes: empty + record(message()),
            isTaken: true),
        Shape(
            testDescription: "32 empty records first", bytes: empties(32) + record(message()),
            isTaken: true),
        Shape(
            testDescription: "33 empty records first", bytes: empties(33) + record(message()),
            isTaken: false),
        Shape(
            testDescription: "32 empty records before each piece",
            bytes: records(message(), of: 10, before: empties(32)), isTaken: true),
        Shape(
            testDescription: "33 empty records within",
            bytes: record(Array(message()[..<9])) + empties(33) + record(Array(message()[9...])),
            isTaken: false),
        Shape(
            testDescription: "more than 64 KiB of padding and ciphers",
            bytes: records(message(cipherCount: 32_000, paddingByteCount: 60_000), of: 16_384),
            isTaken: true),
        Shape(
            testDescription: "more than 64 KiB, 100 bytes a record",
            bytes: records(message(cipherCount: 32_700), of: 100), isTaken: true),
        Shape(
            testDescription: "the longest there can be",
            bytes: records(message(cipherCount: 32_766, paddingByteCount: 65_493), of: 16_384),
            isTaken: true),
        Shape(
            testDescription: "longer than OpenSSL's bound",
            bytes: record([1, 2, 1, 0x45, 3, 3]), isTaken: false),
        Shape(
            testDescription: "an alert within",
            bytes: record(Array(message()[..<9])) + record([1, 90], type: 21)
                + record(Array(message()[9...])), isTaken: false),
        Shape(
            testDescription: "a byte behind the extensions",
            bytes: record([1] + sized(Array(message()[4...]) + [0], 3)), isTaken: false),
    ]

    @Test(arguments: shapes)
    func `the ClientHello parser accepts an unusual form if and only if OpenSSL accepts it`(
        shape: Shape
    ) throws {
        let session = try TLSSession(
            server: TestAuthority().leaves.serverContext(for: "a.example"), alpn: [])
        var refusal: TLSError?
        do { try session.receive(shape.bytes.span) { _ in } } catch { refusal = error }
        #expect((refusal == nil && session.hasOutput) == shape.isTaken, "\(refusal as Any)")
        switch ClientHello.peek(shape.bytes.span) {
        case .hello(let hello):
            #expect(shape.isTaken)
            #expect(hello.serverName == "a.example")
        case .unacceptable: #expect(!shape.isTaken)
        case .needMore, .notTLS: Issue.record("not intercepted")
        }
    }

    @Test(arguments: [1, 7, 4_096])
    func `the ClientHello parser gives the same result however the bytes are split`(
        pieceByteCount: Int
    ) throws {
        for shape in Self.shapes where shape.bytes.count < 100_000 || pieceByteCount > 1 {
            var reader = ClientHelloReader()
            var verdict = ClientHello.Peek.needMore
            var count = 0
            while verdict == .needMore, count < shape.bytes.count {
                count = min(count + pieceByteCount, shape.bytes.count)
                verdict = reader.read(shape.bytes.span.extracting(0..<count))
                #expect(reader.isUnderWay == (verdict == .needMore))
            }
            #expect(verdict == ClientHello.peek(shape.bytes.span))
            #expect(reader.read(shape.bytes.span) == verdict)
        }
    }

    /// OpenSSL has no signature for it that is strong enough.
    @Test func `a ClientHello in SSL 2 format is not recognized as TLS, and OpenSSL rejects it`()
        throws
    {
        let challenge = [UInt8](repeating: 7, count: 32)
        let body: [UInt8] =
            [1, 3, 3, 0, 3, 0, 0, 0, 32, 0x00, 0xC0, 0x2B] + challenge
        let bytes = [0x80, UInt8(body.count)] + body
        let session = try TLSSession(
            server: TestAuthority().leaves.serverContext(for: "a.example"), alpn: [])
        #expect(throws: TLSError.self) { try session.receive(bytes.span) { _ in } }
        #expect(ClientHello.peek(bytes.span) == .notTLS)
    }

    @Test
    func `errors for too many empty TLS records or too long handshake messages name the cause`()
        throws
    {
        for (bytes, words) in [
            (Self.empties(33), "the client sent too many empty TLS records"),
            (
                Self.record([1, 2, 1, 0x45, 3, 3]),
                "a message of the client's TLS handshake is longer than is accepted"
            ),
        ] {
            let session = try TLSSession(
                server: TestAuthority().leaves.serverContext(for: "a.example"), alpn: [])
            let error = #expect(throws: TLSError.self) {
                try session.receive(bytes.span) { _ in }
            }
            #expect(error?.message.hasPrefix(words) == true, "\(error as Any)")
        }
    }
}
