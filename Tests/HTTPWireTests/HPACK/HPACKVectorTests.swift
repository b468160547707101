import ProxydHTTPModel
import Testing

@testable import ProxydHTTPWire

/// The examples of RFC 7541 appendix C.
@Suite struct HPACKVectorTests {
    private static let page = "https://www.example.com"
    private static let cookie = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"

    private static let requests = [
        [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"],
        [
            ":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com",
            "cache-control: no-cache",
        ],
        [
            ":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com",
            "custom-key: custom-value",
        ],
    ]
    private static let responses = [
        [
            ":status: 302", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: \(page)",
        ],
        [
            ":status: 307", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT",
            "location: \(page)",
        ],
        [
            ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT",
            "location: \(page)", "content-encoding: gzip", "set-cookie: \(cookie)",
        ],
    ]

    @Test(
        "HPACK integers are decoded and encoded as in the examples of RFC 7541 appendix C.1",
        arguments: [(10, 0x1F, "0a"), (1_337, 0x1F, "1f9a0a"), (42, 0xFF, "2a")]
            as [(
                Int, UInt8, String
            )])
    func integers(value: Int, mask: UInt8, hexadecimal: String) throws {
        let bytes = HPACKHex.bytes(hexadecimal)
        var position = 0
        #expect(
            try HPACKInteger.decode(bytes.span, from: &position, mask: mask) == value
                && position == bytes.count)
        var output: [UInt8] = []
        HPACKInteger.append(value, mask: mask, pattern: 0, to: &output)
        #expect(output == bytes)
    }

    @Test(
        "the HPACK decoder decodes the field line examples of RFC 7541 appendix C.2",
        arguments: [
            (
                "400a637573746f6d2d6b65790d637573746f6d2d686561646572",
                HPACKLine("custom-key", "custom-header", .init(.added)), 55
            ),
            (
                "040c2f73616d706c652f70617468",
                HPACKLine(":path", "/sample/path", .init(.notAdded)), 0
            ),
            (
                "100870617373776f726406736563726574",
                HPACKLine("password", "secret", .init(.neverIndexed)), 0
            ),
            ("82", HPACKLine(":method", "GET", .init(.indexed)), 0),
        ])
    func lines(hexadecimal: String, line: HPACKLine, tableByteCount: Int) throws {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        #expect(try decoder.list(of: HPACKHex.bytes(hexadecimal)) == [line])
        #expect(decoder.tableByteCount == tableByteCount)
    }

    @Test(
        "the HPACK decoder decodes the request examples of RFC 7541 appendices C.3 and C.4",
        arguments: [
            [
                "828684410f7777772e6578616d706c652e636f6d", "828684be58086e6f2d6361636865",
                "828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565",
            ],
            [
                "828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf",
                "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
            ],
        ])
    func requests(blocks: [String]) throws {
        var decoder = HPACKDecoder(tableByteCountMax: 4_096)
        for ((block, list), byteCount) in zip(zip(blocks, Self.requests), [57, 110, 164]) {
            #expect(try decoder.text(of: block) == list)
            #expect(decoder.tableByteCount == byteCount)
        }
    }

    @Test(
        "the HPACK decoder decodes the response examples of RFC 7541 appendices C.5 and C.6",
        arguments: [
            [
                """
                4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a3231\
                20474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d
                """,
                "4803333037c1c0bf",
                """
                88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a697077\
                38666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d616765\
                3d333630303b2076657273696f6e3d31
                """,
            ],
            [
                """
                488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad17\
                1863c78f0b97c8e9ae82ae43d3
                """,
                "4883640effc1c0bf",
                """
                88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6\
                c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007
                """,
            ],
        ])
    func responses(blocks: [String]) throws {
        var decoder = HPACKDecoder(tableByteCountMax: 256)
        for ((block, list), byteCount) in zip(zip(blocks, Self.responses), [222, 222, 215]) {
            #expect(try decoder.text(of: block) == list)
            #expect(decoder.tableByteCount == byteCount)
        }
    }

    /// Of these, the encoder makes the same choices as the RFC.
    @Test func `the HPACK encoder writes the example requests of RFC 7541 byte for byte`() throws {
        let blocks = [
            "828684418cf1e3c2e5f23a6ba0ab90f4ff", "828684be5886a8eb10649cbf",
            "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf",
        ]
        var encoder = HPACKEncoder()
        for (block, list) in zip(blocks, Self.requests) {
            let lines = list.map { line in
                let colon = line.dropFirst().firstIndex(of: ":") ?? line.endIndex
                return HPACKLine(String(line[..<colon]), String(line[colon...].dropFirst(2)))
            }
            #expect(HPACKHex.text(encoder.block(of: lines)) == block)
        }
    }
}
