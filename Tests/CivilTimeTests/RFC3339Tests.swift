import ProxydCivilTime
import Testing

struct RFC3339Tests {
    @Test(
        arguments: [
            ("2026-11-20T10:00:00.123Z", 1_795_168_800_123_000_000),
            ("2026-11-20t11:00:00.123456789+01:00", 1_795_168_800_123_456_789),
            ("2026-11-20 10:00:00,5", 1_795_168_800_500_000_000),
            ("2026-11-20T10:00Z", 1_795_168_800_000_000_000),
            ("2026-11-20T02:00:00-0800", 1_795_168_800_000_000_000),
            ("1969-12-31T23:59:60Z", 0), ("1969-12-31T23:59:59.999Z", -1_000_000),
        ] as [(String, Int64)])
    func `times in RFC 3339 and its common variants are parsed`(text: String, nanoseconds: Int64) {
        #expect(RFC3339.nanoseconds(text) == nanoseconds)
    }

    @Test(arguments: [
        "", "2026", "2026-11-20", "2026-11-20T10", "2026-11-20T24:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-20T10:00:00Zx", "2026-11-20T10:60:00Z", "2026-11-20T10:00:61Z",
        "2026-11-20T10:00:00+1", "9999-01-01T00:00:00Z", "+026-11-20T10:00:00Z",
    ])
    func `strings that are not RFC 3339 times are rejected`(text: String) {
        #expect(RFC3339.nanoseconds(text) == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_763_632_800_123_999_999, "2025-11-20T10:00:00.123Z"),
            (.min, "1677-09-21T00:12:43.145Z"), (.max, "2262-04-11T23:47:16.854Z"),
        ] as [(Int64, String)])
    func `times are written in RFC 3339 with milliseconds`(nanoseconds: Int64, text: String) {
        #expect(RFC3339.text(nanoseconds: nanoseconds) == text)
    }
}
