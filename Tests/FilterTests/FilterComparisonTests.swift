import ProxydFilter
import ProxydFilterTestSupport
import ProxydHTTPModel
import Testing

/// What each operator means for each kind of value.
@Suite struct FilterComparisonTests {
    private func passes(
        _ text: String, now: Int64 = 0, _ change: (inout FilterRow) -> Void
    ) throws -> Bool {
        try Filter.parse(text, now: now).matches(FilterRow.with(change))
    }

    @Test(arguments: [
        ("status=4xx", [400, 404, 499]), ("status:4XX", [400, 404, 499]),
        ("status!=4xx", [200, 399, 500]), ("status<4xx", [200, 399]),
        ("status<=4xx", [200, 399, 400, 404, 499]), ("status>4xx", [500]),
        ("status>=4xx", [400, 404, 499, 500]), ("status>=404", [404, 499, 500]),
        ("status<404", [200, 399, 400]), ("status:40", [400, 404]), ("status~^4.4$", [404]),
        ("status=0404", [404]), ("status:4", [400, 404, 499]), ("status!~0", [399, 499]),
        ("status>9223372036854775807", []), ("status<-9223372036854775808", []),
        ("status>=-1", [200, 399, 400, 404, 499, 500]),
    ])
    func `a filter compares a status as a number, as text or as a class such as 4xx`(
        _ text: String, _ passing: [Int64]
    ) throws {
        let all: [Int64] = [200, 399, 400, 404, 499, 500]
        let found = try all.filter { status in
            try passes(text) { $0.numbers[.status] = status }
        }
        #expect(found == passing)
    }

    @Test(arguments: [
        "status=200", "status!=200", "status>0", "status<=999", "status:\"\"", "status~.",
    ])
    func `without a response, an exchange matches a status filter only if the filter is negated`(
        _ text: String
    ) throws {
        let found = try passes(text) { $0.numbers[.status] = nil }
        #expect(found == text.contains("!="))
    }

    @Test(arguments: [
        ("duration=1.5s", [1_500_000_000, 1_599_999_999]), ("duration=1500", [1_500_000_000]),
        ("duration=1s", [1_000_000_000, 1_500_000_000, 1_599_999_999, 1_600_000_000]),
        ("duration<1s", [999_999_999]),
        ("duration<=1s", [999_999_999, 1_000_000_000]),
        ("duration>1.5s", [1_599_999_999, 1_600_000_000]),
        ("duration>=1.6S", [1_600_000_000]), ("duration=999999999ns", [999_999_999]),
        ("duration=999999µs", [999_999_999]), ("duration=999.999999ms", [999_999_999]),
        (
            "duration<0.01h",
            [999_999_999, 1_000_000_000, 1_500_000_000, 1_599_999_999, 1_600_000_000]
        ),
    ])
    func `in a filter, duration=1.5s matches every duration from 1.5 s to just below 1.6 s`(
        _ text: String, _ passing: [Int64]
    ) throws {
        let all: [Int64] = [
            999_999_999, 1_000_000_000, 1_500_000_000, 1_599_999_999, 1_600_000_000,
        ]
        let found = try all.filter { duration in
            try passes(text) { $0.numbers[.duration] = duration }
        }
        #expect(found == passing)
    }

    @Test(arguments: [
        ("size=10k", [10_000]), ("size=10Ki", [10_240]), ("size>10kB", [10_001, 10_240]),
        ("size>=10KB", [10_000, 10_001, 10_240]), ("size<10k", [0]), ("size=0", [0]),
        ("size!=10k", [0, 10_001, 10_240]), ("size=10.001k", [10_001]),
        ("size<8388607Ti", [0, 10_000, 10_001, 10_240]),
    ])
    func `a filter compares sizes as numbers of bytes, with optional units`(
        _ text: String, _ passing: [Int64]
    ) throws {
        let all: [Int64] = [0, 10_000, 10_001, 10_240]
        let found = try all.filter { size in
            try passes(text) { $0.numbers[.responseSize] = size }
        }
        #expect(found == passing)
    }

    /// 2026-11-20T10:15:00Z is 1,795,169,700 seconds after 1970.
    @Test(arguments: [
        ("time=2026-11-20T10:15Z", 0, true), ("time=2026-11-20T10:15Z", 59, true),
        ("time=2026-11-20T10:15Z", 60, false), ("time=2026-11-20T10:15:00Z", 1, false),
        ("time=2026-11-20T11:15+01:00", 30, true), ("time<2026-11-20T10:15Z", -1, true),
        ("time<2026-11-20T10:15Z", 0, false), ("time>=2026-11-20T10:15Z", 0, true),
        ("time>-15m", -1_000, false), ("time>-15m", -100, true), ("time<-0.5h", -1_801, true),
        ("time<-0.5h", -1_799, false), ("time>=-1d", -86_400, true),
        ("time>=-1d", -86_401, false), ("time>-1w", -86_401, true),
    ])
    func `a time in a filter is a moment, a period or a duration before now`(
        _ text: String, _ seconds: Int64, _ isIn: Bool
    ) throws {
        let now: Int64 = 1_795_169_700_000_000_000
        let found = try passes(text, now: now) {
            $0.numbers[.started] = now + seconds * 1_000_000_000
        }
        #expect(found == isIn)
    }

    @Test(arguments: [
        ("path:ABC", "/abc", true), ("path:É", "/é", false), ("path=/ABC", "/abc", false),
        ("path=/e\u{301}", "/\u{E9}", false), ("path=/\u{E9}", "/\u{E9}", true),
        ("path~ABC", "/abc", false), ("path~(?i)ABC", "/abc", true), ("path~^$", "", true),
        ("path:aab", "/aaab", true), ("path:aabaaac", "/aabaabaaac", true),
        ("path:\"\"", "", true), ("path!:x", "/", true), ("path=\"/a b\"", "/a b", true),
        ("path='/a\"b'", "/a\"b", true), ("path=/%41", "/A", false),
    ])
    func `in a filter, = compares text byte by byte, and : searches text ignoring ASCII case`(
        _ text: String, _ path: String, _ isIn: Bool
    ) throws {
        #expect(try passes(text) { $0.texts[.path] = path } == isIn)
    }

    @Test(arguments: [
        ("host=Example.COM", "example.com", true), ("host=example.com.", "EXAMPLE.com", true),
        ("host=example.com", "example.com.", true), ("host=ample.com", "example.com", false),
        ("host:ample.COM", "example.com", true),
        ("host~^EX", "example.com", false), ("host!=example.com", "Example.com.", false),
        ("host=\"\"", "", true),
        ("host=example.com..", "example.com", true), ("host=example.com", "example.com..", false),
        ("host=" + String(repeating: ".", count: 8_000), ".", true),
    ])
    func `a filter compares hosts regardless of case and a final dot`(
        _ text: String, _ host: String, _ isIn: Bool
    ) throws {
        #expect(try passes(text) { $0.texts[.host] = host } == isIn)
    }

    @Test(arguments: [
        ("header.x-a=1", true), ("header.X-A=2", true), ("reqheader.X-A=2", false),
        ("resheader.x-a=2", true), ("header.x-a!=1", false), ("header.x-a!=3", true),
        ("header.x:1", false), ("header.\"x-a\"=1", true), ("header.x-b:\"\"", false),
        ("~h \"x-a: 1\"", true), ("~hq \"X-A: 2\"", false), ("~hs \"^X-A: 2$\"", true),
    ])
    func `a filter on a header field tests all its values in the request and the response`(
        _ text: String, _ isIn: Bool
    ) throws {
        let found = try passes(text) {
            $0.headers = [.request: [("X-A", "1")], .response: [("x-b2", "9"), ("X-A", "2")]]
        }
        #expect(found == isIn)
    }

    @Test(arguments: [
        ("tag=a", true), ("tag=A", false), ("tag:A", true), ("tag!=a", false), ("tag!=c", true),
        ("tag~^b", true), ("pinned=no", true), ("pinned=0", true), ("pinned=YES", false),
        ("note:\"\"", false), ("note!:\"\"", true), ("~marked", true), ("rule=r", true),
        ("rule!=r", false), ("rule:R", true),
    ])
    func `a filter on tags or rules matches if any of an exchange's tags or rules matches`(
        _ text: String, _ isIn: Bool
    ) throws {
        let found = try passes(text) {
            $0.tags = ["a", "bc"]
            $0.appliedRules = ["r"]
        }
        #expect(found == isIn)
    }

    @Test(arguments: [
        ("status=٤xx", 8), ("status=4xxx", 8), ("status=xx", 8), ("status=4.5", 8),
        ("status=99999999999999999999", 8), ("size=1.k", 6), ("size=1.0000000001k", 6),
        ("duration=1.5x", 10), ("size=-1", 6), ("time>-15", 6), ("time>-1.5.5m", 6),
        ("time=2026-11-20T10:15+24:00", 6), ("time=2026-02-30", 6), ("port=http", 6),
    ])
    func `an invalid value in a filter is reported at its column`(_ text: String, _ column: Int) {
        let error = #expect(throws: FilterError.self) { _ = try Filter.parse(text, now: 0) }
        #expect(error?.column == column, "\(error?.description ?? "")")
    }
}
