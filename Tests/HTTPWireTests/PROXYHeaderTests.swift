import ProxydHTTPWire
import ProxydTestSupport
import Testing

/// Headers of the PROXY protocol, versions 1 and 2, read and written.
struct PROXYHeaderTests {
    /// What is read from some bytes; every part of them, from the start, needs more.
    private func read(_ bytes: [UInt8]) -> Result<PROXYHeader.Reading, PROXYHeaderError> {
        for count in 0..<bytes.count {
            let part = Array(bytes[..<count])
            switch Self.reading(part) {
            case .success(.needsMoreInput): continue
            // A mistake may be seen before the header has ended.
            case .failure(let error): return .failure(error)
            case .success(.header(_, let byteCount)):
                #expect(byteCount == count)
                #expect(Self.reading(bytes) == Self.reading(part))
                return Self.reading(part)
            }
        }
        return Self.reading(bytes)
    }

    private static func reading(
        _ bytes: [UInt8]
    ) -> Result<PROXYHeader.Reading, PROXYHeaderError> {
        Result { () throws(PROXYHeaderError) in try PROXYHeader.read(bytes.span) }
    }

    private func header(
        _ client: (String, UInt16), _ destination: (String, UInt16), byteCount: Int
    ) throws -> Result<PROXYHeader.Reading, PROXYHeaderError> {
        .success(
            .header(
                PROXYHeader(try Self.addresses(client, destination)), byteCount: byteCount))
    }

    private static func addresses(
        _ source: (String, UInt16), _ destination: (String, UInt16)
    ) throws -> PROXYAddresses {
        let endpoint = { (place: (String, UInt16)) in
            PROXYAddresses.Endpoint(
                address: try #require(InternetAddress(place.0)), port: place.1)
        }
        return PROXYAddresses(
            source: try endpoint(source), destination: try endpoint(destination))
    }

    private func none(_ byteCount: Int) -> Result<PROXYHeader.Reading, PROXYHeaderError> {
        .success(.header(PROXYHeader(nil), byteCount: byteCount))
    }

    // MARK: Version 1

    @Test func `two addresses and two ports are read from a PROXY version 1 line`() throws {
        let line4 = Array("PROXY TCP4 192.0.2.1 198.51.100.1 51234 443\r\n".utf8)
        #expect(
            try read(line4)
                == header(("192.0.2.1", 51_234), ("198.51.100.1", 443), byteCount: line4.count))
        let line6 = Array("PROXY TCP6 2001:db8::1 ::1 0 65535\r\n".utf8)
        #expect(
            try read(line6 + [1, 2])
                == header(("2001:db8::1", 0), ("::1", 65_535), byteCount: line6.count))
    }

    @Test func `no addresses are read from a PROXY UNKNOWN line, whatever follows on the line`() {
        for line in ["PROXY UNKNOWN\r\n", "PROXY UNKNOWN  x\0\r y\r\n"] {
            #expect(read(Array(line.utf8)) == none(line.utf8.count))
        }
    }

    @Test(arguments: [
        ("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n", PROXYHeaderError.badLineEnd),
        ("PROXY \n", .badLineEnd), ("PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n", .badForm),
        ("PROXY TCP4 192.0.2.1 192.0.2.2 1 2 \r\n", .badForm),
        ("PROXY TCP4  192.0.2.1 192.0.2.2 1 2\r\n", .badForm),
        ("PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n", .badForm),
        ("PROXY \r\n", .badFamily), ("PROXY tcp4 192.0.2.1 192.0.2.2 1 2\r\n", .badFamily),
        ("PROXY TCP5 192.0.2.1 192.0.2.2 1 2\r\n", .badFamily),
        ("PROXY TCP4 192.0.2.1 ::1 1 2\r\n", .badAddress),
        ("PROXY TCP6 192.0.2.1 192.0.2.2 1 2\r\n", .badAddress),
        ("PROXY TCP6 [::1] [::1] 1 2\r\n", .badAddress),
        ("PROXY TCP4 192.0.2.256 192.0.2.2 1 2\r\n", .badAddress),
        ("PROXY TCP4 localhost 192.0.2.2 1 2\r\n", .badAddress),
        ("PROXY TCP4 192.0.2.1 192.0.2.2 +1 2\r\n", .badPort),
        ("PROXY TCP4 192.0.2.1 192.0.2.2 1 00\r\n", .badPort),
        ("PROXY TCP4 192.0.2.1 192.0.2.2 1 65536\r\n", .badPort),
        ("PROXY TCP4 192.0.2.1 192.0.2.2 01 2\r\n", .badPort),
        ("proxy TCP4", .noHeader), ("GET / HTTP/1.1\r\n", .noHeader), ("PRI * ", .noHeader),
    ])
    func `an invalid PROXY version 1 line is rejected`(line: String, error: PROXYHeaderError) {
        #expect(read(Array(line.utf8)) == .failure(error))
    }

    @Test func `a PROXY version 1 line longer than 107 bytes is rejected`() {
        let line = { (count: Int) in
            Array(("PROXY UNKNOWN " + String(repeating: "x", count: count - 16) + "\r\n").utf8)
        }
        #expect(read(line(107)) == none(107))
        #expect(read(line(108)) == .failure(.tooLong))
    }

    // MARK: Version 2

    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let addresses4: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 1, 0xC8, 0x22, 1, 0xBB]

    private func binary(
        _ body: [UInt8], version: UInt8 = 0x21, family: UInt8 = 0x11
    ) -> [UInt8] {
        Self.signature + [version, family, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    @Test func `two addresses and two ports are read from a PROXY version 2 header`() throws {
        #expect(
            try read(binary(Self.addresses4) + [1])
                == header(("192.0.2.1", 51_234), ("198.51.100.1", 443), byteCount: 28))
        let one: [UInt8] = [0x20, 1, 0xD, 0xB8] + Array(repeating: 0, count: 11)
        let body: [UInt8] = one + [1] + one + [2] + [0xC8, 0x22, 1, 0xBB]
        #expect(
            try read(binary(body, family: 0x21))
                == header(("2001:db8::1", 51_234), ("2001:db8::2", 443), byteCount: 52))
    }

    @Test
    func `a PROXY version 2 header for LOCAL, UDP, Unix or no family is read without addresses`() {
        #expect(read(binary(Self.addresses4, version: 0x20)) == none(28))
        #expect(read(binary([], version: 0x20, family: 0)) == none(16))
        #expect(read(binary([1, 2, 3], version: 0x20, family: 0xFF)) == none(19))
        #expect(read(binary([], family: 0)) == none(16))
        #expect(read(binary(Self.addresses4, family: 0x12)) == none(28))
        #expect(
            read(binary(Array(repeating: 0, count: 216), family: 0x31)) == none(232))
    }

    @Test func `TLVs after the addresses of a PROXY version 2 header are skipped if well-formed`()
        throws
    {
        let body = Self.addresses4 + [2, 0, 4, 0x61, 0x62, 0x63, 0x64, 4, 0, 2, 0, 0]
        #expect(
            try read(binary(body))
                == header(("192.0.2.1", 51_234), ("198.51.100.1", 443), byteCount: 40))
        #expect(read(binary(body.dropLast())) == .failure(.badForm))
        #expect(read(binary(Self.addresses4 + [4, 0])) == .failure(.badForm))
        #expect(read(binary(Self.addresses4 + [4, 255, 255])) == .failure(.badForm))
    }

    @Test func `a PROXY version 2 header with a wrong checksum is rejected`() throws {
        let body = Self.addresses4 + [3, 0, 4, 0xD6, 0x5B, 0x48, 0x63]
        #expect(
            try read(binary(body))
                == header(("192.0.2.1", 51_234), ("198.51.100.1", 443), byteCount: 35))
        for index in body.indices where index < 12 || index > 14 {
            var damaged = body
            damaged[index] ^= 1
            #expect(read(binary(damaged)) == .failure(.badChecksum))
        }
        #expect(read(binary(Self.addresses4 + [3, 0, 2, 0, 0])) == .failure(.badForm))
    }

    @Test func `an invalid PROXY version 2 header is rejected`() {
        #expect(read(binary(Self.addresses4, version: 0x31)) == .failure(.badVersion))
        #expect(read(binary(Self.addresses4, version: 0x11)) == .failure(.badVersion))
        #expect(read(binary(Self.addresses4, version: 0x22)) == .failure(.badCommand))
        #expect(read(binary(Self.addresses4, family: 0x41)) == .failure(.badFamily))
        #expect(read(binary(Self.addresses4, family: 0x13)) == .failure(.badFamily))
        #expect(read(binary(Array(Self.addresses4.dropLast()))) == .failure(.badForm))
        #expect(read(binary(Self.addresses4, family: 0x21)) == .failure(.badForm))
        #expect(read(Self.signature.dropLast() + [0]) == .failure(.noHeader))
    }

    @Test func `a PROXY version 2 header longer than 4096 bytes is rejected`() throws {
        let addition = { (count: Int) -> [UInt8] in
            [4, UInt8(count >> 8), UInt8(count & 0xFF)] + Array(repeating: 0, count: count)
        }
        let longest = binary(Self.addresses4 + addition(4_096 - 28 - 3))
        #expect(longest.count == 4_096)
        #expect(
            try read(longest)
                == header(("192.0.2.1", 51_234), ("198.51.100.1", 443), byteCount: 4_096))
        let longer = binary(Self.addresses4 + addition(4_096 - 28 - 2))
        #expect(read(longer) == .failure(.tooLong))
        // The length alone says so: nothing of the rest is waited for.
        #expect(read(Array(longer.prefix(16))) == .failure(.tooLong))
    }

    // MARK: All of it

    @Test func `randomly damaged PROXY headers never crash the parser`() {
        var random = SplitMix(seed: 1)
        let line = Array("PROXY TCP4 192.0.2.1 198.51.100.1 51234 443\r\n".utf8)
        let starts = [
            line, Array("PROXY ".utf8), Self.signature,
            binary(Self.addresses4 + [3, 0, 4, 0xD6, 0x5B, 0x48, 0x63]),
            binary(Array(repeating: 0, count: 216), family: 0x31),
        ]
        var headerCount = 0
        for _ in 0..<20_000 {
            var bytes = starts.pick(&random)
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            guard case .success(.header(_, let byteCount)) = Self.reading(bytes) else { continue }
            #expect(byteCount <= bytes.count)
            headerCount += 1
        }
        #expect(headerCount > 1_000)
    }

    // MARK: Writing

    private static func four() throws -> PROXYAddresses {
        try addresses(("192.0.2.1", 51_234), ("10.0.0.1", 443))
    }
    private static func six() throws -> PROXYAddresses {
        try addresses(("2001:db8::1", 1), ("::1", 65_535))
    }

    @Test func `a PROXY version 1 header is written as a line of text`() throws {
        let text = { String(decoding: PROXYHeader($0).bytes(.v1), as: UTF8.self) }
        #expect(text(try Self.four()) == "PROXY TCP4 192.0.2.1 10.0.0.1 51234 443\r\n")
        #expect(
            text(try Self.six()) == "PROXY TCP6 2001:db8:0:0:0:0:0:1 0:0:0:0:0:0:0:1 1 65535\r\n")
    }

    @Test func `a PROXY version 2 header is written with its addresses in network byte order`()
        throws
    {
        let four = PROXYHeader(try Self.four()).bytes(.v2)
        #expect(
            four == Self.signature + [0x21, 0x11, 0, 12, 192, 0, 2, 1, 10, 0, 0, 1]
                + [0xC8, 0x22, 1, 0xBB])
        let six = PROXYHeader(try Self.six()).bytes(.v2)
        #expect(six.count == 16 + 36)
        #expect(Array(six[12..<16]) == [0x21, 0x21, 0, 36])
        #expect(Array(six.suffix(4)) == [0, 1, 0xFF, 0xFF])
    }

    @Test
    func `a PROXY header with addresses of two different families is written without addresses`()
        throws
    {
        let mixed = PROXYAddresses(
            source: try Self.four().source, destination: try Self.six().destination)
        for header in [PROXYHeader(mixed), PROXYHeader(nil)] {
            #expect(header.bytes(.v1) == Array("PROXY UNKNOWN\r\n".utf8))
            #expect(header.bytes(.v2) == Self.signature + [0x20, 0, 0, 0])
        }
    }

    @Test(arguments: PROXYVersion.allCases)
    func `a written PROXY header is read back with the same addresses`(version: PROXYVersion) throws
    {
        for addresses in [try Self.four(), try Self.six(), nil] {
            let bytes = PROXYHeader(addresses).bytes(version)
            #expect(
                read(bytes) == .success(.header(PROXYHeader(addresses), byteCount: bytes.count)))
        }
    }
}
