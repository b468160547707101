import ProxydCentralStore
import Testing

/// The bytes of messages, as their declaration describes them.
@Suite struct WireMessageTests {
    private static let encodings: [(WireMessage, [UInt8])] = [
        (
            .run(
                sql: "a",
                arguments: [
                    WireArgument(type: 20, value: [0, 0, 0, 0, 0, 0, 0, 7]),
                    WireArgument(type: 25, value: nil),
                ], hasTextResults: true),
            [
                0, 0, 0, 35, 1, 1, 0, 0, 0, 1, 0x61, 0, 0, 0, 2, 0, 0, 0, 20, 0, 0, 0, 8,
                0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 25, 0xFF, 0xFF, 0xFF, 0xFF,
            ]
        ),
        (
            .run(sql: "", arguments: [], hasTextResults: false),
            [0, 0, 0, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        ),
        (.cancel, [0, 0, 0, 1, 2]),
        (.ready, [0, 0, 0, 1, 3]),
        (.columns([]), [0, 0, 0, 5, 4, 0, 0, 0, 0]),
        (
            .columns([CentralRow.Column(name: "id", type: .max)]),
            [0, 0, 0, 15, 4, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 0x69, 0x64]
        ),
        (
            .row([nil, [], [1, 2]]),
            [0, 0, 0, 19, 5, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2]
        ),
        (.done(-2), [0, 0, 0, 9, 6, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]),
        (.done(.min), [0, 0, 0, 9, 6, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        (.done(.max), [0, 0, 0, 9, 6, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        (.failed(.location("x")), [0, 0, 0, 11, 7, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0x78]),
        (.failed(.connection("")), [0, 0, 0, 10, 7, 2, 0, 0, 0, 0, 0, 0, 0, 0]),
        (
            .failed(.server(code: "40001", message: "é")),
            [
                0, 0, 0, 17, 7, 3, 0, 0, 0, 5, 0x34, 0x30, 0x30, 0x30, 0x31,
                0, 0, 0, 2, 0xC3, 0xA9,
            ]
        ),
        (.failed(.cancelled), [0, 0, 0, 10, 7, 4, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]

    @Test(arguments: encodings)
    func `a proxyship stdio message is encoded as its length, its kind and its contents`(
        message: WireMessage, bytes: [UInt8]
    ) {
        #expect(message.encoded == bytes)
        #expect(WireMessage(Array(bytes.dropFirst(4))) == message)
    }

    @Test(arguments: encodings)
    func `a proxyship stdio message that is truncated or has trailing bytes is malformed`(
        message: WireMessage, bytes: [UInt8]
    ) {
        let contents = Array(bytes.dropFirst(4))
        for count in contents.indices { #expect(WireMessage(Array(contents[..<count])) == nil) }
        #expect(WireMessage(contents + [0]) == nil)
        #expect(WireMessage(contents + contents) == nil)
    }

    @Test(arguments: [0, 8, 0x7F, 0xFF] as [UInt8])
    func `a proxyship stdio message of an unknown kind is malformed`(kind: UInt8) {
        #expect(WireMessage([kind]) == nil)
        #expect(WireMessage([kind, 0, 0, 0, 0]) == nil)
        // The kinds of errors are numbered from 1 to 4.
        let error = kind == 0x7F ? 5 : kind
        #expect(WireMessage([7, error, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    }

    @Test(
        arguments: [
            // More elements than there are.
            [5, 0xFF, 0xFF, 0xFF, 0xFF], [5, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [4, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 25, 0, 0, 0, 0],
            [1, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 25, 0xFF, 0xFF, 0xFF, 0xFF],
            // Fewer elements than there are.
            [5, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF],
            // Lengths that are negative, or longer than the message.
            [5, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFE], [5, 0, 0, 0, 1, 0x80, 0, 0, 0],
            [5, 0, 0, 0, 1, 0x7F, 0xFF, 0xFF, 0xFF, 1], [5, 0, 0, 0, 1, 0, 0, 0, 2, 1],
            // A text cannot be NULL.
            [1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0],
            [4, 0, 0, 0, 1, 0, 0, 0, 25, 0xFF, 0xFF, 0xFF, 0xFF],
            [7, 2, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]])
    func `a proxyship stdio message with wrong lengths or counts is malformed`(bytes: [UInt8]) {
        #expect(WireMessage(bytes) == nil)
    }

    @Test(arguments: [2, 0xFF] as [UInt8])
    func `a boolean in a proxyship stdio message must be 0 or 1`(flag: UInt8) {
        let rest: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
        #expect(WireMessage([1, 1] + rest) == .run(sql: "", arguments: [], hasTextResults: true))
        #expect(WireMessage([1, flag] + rest) == nil)
    }

    @Test func `invalid UTF-8 in a proxyship stdio message is replaced in text but kept in values`()
    {
        #expect(
            WireMessage([7, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0x61, 0xFF])
                == .failed(.location("a\u{FFFD}")))
        #expect(WireMessage([5, 0, 0, 0, 1, 0, 0, 0, 2, 0x61, 0xFF]) == .row([[0x61, 0xFF]]))
    }

    @Test func `proxyship stdio messages with arbitrary bytes survive encoding and decoding`() {
        let all = Array(UInt8.min...UInt8.max)
        let long = [UInt8](repeating: 0xFF, count: 70_000)
        let messages: [WireMessage] = [
            .row([all, nil, long, []]), .row([]),
            .run(
                sql: "SELECT $1 -- \u{0}é\u{10FFFF}",
                arguments: [WireArgument(type: 0, value: nil), WireArgument(type: 17, value: all)],
                hasTextResults: false),
            .columns(
                (0..<1_700).map { CentralRow.Column(name: "c\($0)", type: UInt32($0)) }),
            .failed(.server(code: "", message: String(repeating: "a\n", count: 5_000))),
        ]
        for message in messages {
            let encoded = message.encoded
            let length = encoded.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            #expect(length == encoded.count - 4)
            #expect(WireMessage(Array(encoded.dropFirst(4))) == message)
        }
    }
}
