import ProxydCaptureModel
import ProxydCivilTime
import ProxydHTTPModel
import ProxydParameterCoding
import ProxydTestSupport
import Testing

/// Values that are stored in one column: they come back, and damaged ones do no harm.
@Suite struct CodingTests {
    // MARK: HTTP/2

    @Test
    func `HTTP/2 settings are stored in RFC 9113 format and decoded in the order they were sent`() {
        let settings: [HTTP2ConnectionFacts.Setting] = [
            .init(number: 3, value: 100), .init(number: 0xFFFF, value: .max),
            .init(number: 4, value: 0x0102_0304),
        ]
        let bytes = SettingsCoding.encode(settings)
        #expect(Array(bytes.prefix(6)) == [0, 3, 0, 0, 0, 100])
        #expect(Array(bytes.suffix(6)) == [0, 4, 1, 2, 3, 4])
        #expect(SettingsCoding.decode(bytes) == settings)
        for count in bytes.indices {
            let start = SettingsCoding.decode(Array(bytes[..<count]))
            #expect(start == Array(settings.prefix(count / 6)))
        }
    }

    @Test func `a stored HTTP/2 stream reset is decoded with its code, connection side and sender`()
    {
        for code in [0, 8, 13, 14, 99, UInt32.max] {
            for side in [ConnectionRecord.Side.client, .server] {
                for isOurs in [true, false] {
                    let reset = HTTP2Facts.Reset(
                        side: side, isOurs: isOurs, code: HTTP2ErrorCode(rawValue: code))
                    #expect(ResetCoding.reset(ResetCoding.number(reset)) == reset)
                }
            }
        }
    }

    @Test(arguments: [Int64(-1), .min, .max, 1 << 34])
    func `a number that does not encode an HTTP/2 stream reset is rejected`(number: Int64) {
        #expect(ResetCoding.reset(number) == nil)
    }

    // MARK: Texts

    @Test func `stored GraphQL operations are decoded even if they lack a name or type`() {
        let operations = [
            GraphQLOperation(kind: .query, name: "Basket"),
            GraphQLOperation(kind: nil, name: "Persisted"),
            GraphQLOperation(kind: .subscription, name: nil),
        ]
        for count in 1...3 {
            let some = Array(operations.prefix(count))
            let text = GraphQLCoding.text(of: some)
            #expect(GraphQLCoding.operations(names: text.names, types: text.types) == some)
        }
        #expect(GraphQLCoding.operations(names: nil, types: nil) == [])
    }

    @Test func `GraphQL operations are decoded even if stored names and types differ in number`() {
        let more = GraphQLCoding.operations(names: "a\nb", types: "query")
        #expect(more.map(\.name) == ["a", "b"] && more.map(\.kind) == [.query, nil])
        let fewer = GraphQLCoding.operations(names: nil, types: "query\nmutation")
        #expect(fewer.map(\.name) == [nil, nil] && fewer.map(\.kind) == [.query, .mutation])
        #expect(GraphQLCoding.operations(names: "a", types: "drop").map(\.kind) == [nil])
    }

    @Test
    func `the list of response repairs survives storage, and an empty list is stored as NULL`() {
        let repairs = ["a space before the colon", "a bare line feed"]
        #expect(ResponseFaultCoding.repairs(of: ResponseFaultCoding.text(of: repairs)) == repairs)
        #expect(ResponseFaultCoding.text(of: []) == nil)
        #expect(ResponseFaultCoding.repairs(of: nil) == [])
        #expect(ResponseFaultCoding.repairs(of: "") == [])
    }

    @Test(arguments: [
        ("a\nb", "a b"), ("\u{0}\u{1F}\t", "   "), ("\u{7F}é\u{2028}", "\u{7F}é\u{2028}"),
        ("\r\n", "  "), ("", ""),
    ])
    func `ASCII control characters below the space become spaces in a one-line text`(
        text: String, line: String
    ) {
        #expect(OneLine.text(text) == line)
    }

    @Test(arguments: [
        ("abc", 2, "ab"), ("abc", 3, "abc"), ("aé", 2, "a"), ("aé", 3, "aé"), ("é", 1, ""),
        ("😀b", 3, ""), ("😀b", 4, "😀"), ("e\u{301}x", 3, "e\u{301}"), ("a\nb", 2, "a "),
        ("", 0, ""), ("a", 0, ""),
    ])
    func `a text is truncated to a byte limit without splitting a UTF-8 sequence`(
        text: String, count: Int, start: String
    ) {
        #expect(OneLine.text(text, byteCountMax: count) == start)
        #expect(text.beginning(byteCountMax: count).utf8.count <= count)
    }

    // MARK: States

    @Test
    func `each exchange state is stored as its own number; unknown numbers decode as a tunnel`() {
        let states: [ExchangeState] = [.active, .complete, .failed, .tunnel]
        #expect(Set(states.map(\.stored)) == [0, 1, 2, 3])
        for state in states { #expect(ExchangeState(stored: state.stored) == state) }
        #expect(ExchangeState(stored: 99) == .tunnel)
        #expect(ExchangeState(stored: -1) == .tunnel)
    }

    @Test func `exchange flags are distinct bits in a fixed order`() {
        let flags: [ExchangeFlags] = [
            .connectionReused, .requestComplete, .responseComplete, .malformedHead,
            .keepsForeignHost, .responseFault, .appliedRules,
        ]
        #expect(flags.map(\.rawValue) == (0..<7).map { 1 << $0 })
        #expect(ExchangeFlags(flags).rawValue == 127)
    }

    @Test
    func `stored heads in HTTP/1, HTTP/2 and HTTP/3 format are readable, malformed ones are not`() {
        let formats = (0...4).map { HeadFormat(rawValue: $0)?.isReadable }
        #expect(formats == [false, true, true, false, true])
    }

    // MARK: Damage

    @Test func `decoding random bytes as timelines, certificate chains or settings does not crash`()
    {
        var random = SplitMix(seed: 1)
        for _ in 0..<3_000 {
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let timeline = TimelineCoding.decode(bytes, wallStart: .max, connectionReused: true)
            #expect(timeline.connectionReused)
            let chain = CertificateChainCoding.decode(bytes)
            #expect(chain.reduce(0) { $0 + $1.count + 4 } <= bytes.count)
            #expect(SettingsCoding.decode(bytes).count == bytes.count / 6)
        }
    }

    @Test
    func `an exchange's duration lasts until delivery, or else its end, or else its last event`() {
        func spanned(_ moments: [(Moment, Int64)]) -> Int64? {
            var timeline = Timeline(wallStart: 0, start: 0)
            for (moment, offset) in moments { timeline[moment] = offset }
            var room = TimelineCoding.Room(repeating: 0)
            return TimelineCoding.encode(timeline, into: &room).spannedNs
        }
        #expect(spanned([]) == nil)
        #expect(spanned([(.requestFirstByte, 5)]) == 5)
        #expect(spanned([(.requestFirstByte, 0), (.responseLastByte, 70)]) == 70)
        #expect(spanned([(.responseLastByte, 70), (.delivered, 80), (.ended, 90)]) == 80)
        #expect(spanned([(.responseLastByte, 70), (.ended, 60)]) == 60)
        #expect(spanned([(.ended, -5)]) == 0)
    }
}

@Suite struct `Stored forms` {
    @Test func `a stored timeline is decoded to the same times, whichever of them are set`() {
        for seed in 0..<200 {
            var timeline = Timeline(wallStart: Int64(seed) * 77, start: 0)
            timeline.connectionReused = seed % 2 == 0
            for moment in Moment.allCases where (seed >> (moment.rawValue % 8)) & 1 == 1 {
                timeline[moment] = Int64(seed) &* 1_000_003 &* Int64(moment.rawValue - 5)
            }
            if seed == 7 { timeline[.ended] = .max }
            var room = TimelineCoding.Room(repeating: 0xFF)
            let byteCount = TimelineCoding.encode(timeline, into: &room).byteCount
            let bytes = room.indices.prefix(byteCount).map { room[$0] }
            let decoded = TimelineCoding.decode(
                bytes, wallStart: timeline.wallStart, connectionReused: timeline.connectionReused)
            #expect(decoded == timeline)
            for count in bytes.indices {
                _ = TimelineCoding.decode(
                    Array(bytes[..<count]), wallStart: 0, connectionReused: false)
            }
        }
    }

    @Test
    func `a truncated stored certificate chain is decoded up to the last complete certificate`() {
        let chain: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 5, count: 70_000)]
        let bytes = CertificateChainCoding.encode(chain)
        #expect(CertificateChainCoding.decode(bytes) == chain)
        #expect(CertificateChainCoding.decode(Array(bytes.dropLast())) == Array(chain.dropLast()))
        #expect(CertificateChainCoding.decode([0, 0]).isEmpty)
        #expect(CertificateChainCoding.decode([255, 255, 255, 255, 1]).isEmpty)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000Z"),
            (2_147_483_648_000_000_000, "2038-01-19T03:14:08.000Z"),
            (Int64.max, "2262-04-11T23:47:16.854Z"), (Int64.min, "1677-09-21T00:12:43.145Z"),
        ] as [(Int64, String)])
    func `timestamps are formatted as RFC 3339 with milliseconds in UTC`(
        nanoseconds: Int64, text: String
    ) {
        #expect(RFC3339.text(nanoseconds: nanoseconds) == text)
    }
}
