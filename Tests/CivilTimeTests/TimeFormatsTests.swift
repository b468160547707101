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

struct CookieDateReaderTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "6 nov 94 8:49:37", "1994 08:49:37 november 06",
    ])
    func `a cookie date is parsed in each of its common formats`(text: String) {
        #expect(CookieDateReader.secondsSinceEpoch(text.utf8) == 784_111_777)
        #expect(CookieDateReader.nanosecondsSinceEpoch(text.utf8) == 784_111_777_000_000_000)
    }

    @Test(arguments: ["", "tomorrow", "31 Feb 2026 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 2026"])
    func `strings that are not cookie dates are rejected`(text: String) {
        #expect(CookieDateReader.secondsSinceEpoch(text.utf8) == nil)
    }

    @Test func `a cookie date too late for 64-bit nanoseconds is read in seconds only`() {
        let text = "31 Dec 9999 23:59:59"
        #expect(CookieDateReader.secondsSinceEpoch(text.utf8) == 253_402_300_799)
        #expect(CookieDateReader.nanosecondsSinceEpoch(text.utf8) == nil)
    }
}

/// Moments at the edges of what their standards allow.
struct MomentEdgeTests {
    @Test(arguments: [
        "2026-11-20T10:00:00+24:00", "2026-11-20T10:00:00+00:60", "2026-11-20T10:00:00-9999",
        "2026-11-20T10:00:00.Z", "2026-11-20T10:00:00.", "2026-11-20T10:00:00,+01:00",
        "2026-11-20T10:00.5Z", "2026-11-20T10:00:00+0", "2026-11-20T10:00:00+010",
        "2026-11-20T10:00:00+01:", "2026-11-20T10:00:00z ", " 2026-11-20T10:00:00Z",
        "2026-11-20T-1:00:00Z", "2026-11-20T10:00:-1Z", "2026-11-20T10:00:٠٠Z",
        "2026-11-2010:00:00Z",
    ])
    func `times with an invalid offset, fraction or separator are rejected by the RFC 3339 parser`(
        _ text: String
    ) {
        #expect(RFC3339.nanoseconds(text) == nil)
    }

    @Test(
        arguments: [
            ("1970-01-01T23:59:00+23:59", 0), ("1969-12-31T00:01:00-23:59", 0),
            ("1970-01-01T00:00:00.0000000009Z", 0),
            ("1970-01-01T00:00:00.999999999999Z", 999_999_999),
            ("1970-01-01T00:00:00-00:00", 0), ("2000-02-29T00:00:00Z", 951_782_400_000_000_000),
            ("2262-04-11T23:47:16.854775807Z", .max), ("2262-04-11T23:47:16.854775808Z", nil),
            ("1677-09-21T00:12:44Z", -9_223_372_036_000_000_000), ("1677-09-21T00:12:43Z", nil),
        ] as [(String, Int64?)])
    func `an RFC 3339 time is accepted only if its nanoseconds fit into 64 bits`(
        _ text: String, _ nanoseconds: Int64?
    ) {
        #expect(RFC3339.nanoseconds(text) == nanoseconds)
    }

    /// By RFC 6265 §5.1.1: the first token of each kind counts, and what follows its digits does
    /// not.
    @Test(
        arguments: [
            ("08:49:37 06 Nov 1994 1995 Dec 07 09:00:00", 784_111_777),
            ("6th Nov 1994 08:49:37.5", 784_111_777), ("Nov 6 1994 08:49:37:59", 784_111_777),
            ("06-November-94;08:49:37", 784_111_777), ("6/NOV/1994@08:49:37", 784_111_777),
            ("1 Jan 70 00:00:00", 0), ("1 Jan 69 00:00:00", 3_124_224_000),
            ("1 Jan 1601 00:00:00", -11_644_473_600), ("1 Jan 12026 00:00:00", nil),
            ("1 Jan 2026 24:00:00", nil), ("1 Jan 2026 00:60:00", nil), ("1 Jan 2026 0:0:60", nil),
            ("1 Jan 2026 000:00:00", nil), ("1 Jan 2026 00:00", nil), ("32 Jan 2026 0:0:0", nil),
            ("0 Jan 2026 0:0:0", nil), ("1 Ja 2026 0:0:0", nil), ("1 Jan 202 0:0:0", nil),
            ("29 Feb 2000 0:0:0", 951_782_400), ("29 Feb 1900 0:0:0", nil),
        ] as [(String, Int64?)])
    func `a cookie date is parsed token by token as RFC 6265 requires, or rejected`(
        _ text: String, _ seconds: Int64?
    ) {
        #expect(CookieDateReader.secondsSinceEpoch(text.utf8) == seconds)
    }

    @Test
    func `invalid UTF-8 is rejected in place of a cookie date but ignored after a valid one`() {
        #expect(CookieDateReader.secondsSinceEpoch([0xFF, 0x00, 0x3A, 0x3A]) == nil)
        let dated = Array("1 Jan 1970 00:00:00 ".utf8) + [0xFF]
        #expect(CookieDateReader.secondsSinceEpoch(dated) == 0)
    }

    @Test func `second 60 at the end of a day becomes the first second of the next day`() {
        let time = CivilTime(
            CivilDate(year: 2016, month: 12, day: 31), hour: 23, minute: 59, second: 60)
        #expect(time.imfFixdate == "Sun, 01 Jan 2017 00:00:00 GMT")
        #expect(CivilTime(secondsSinceEpoch: -1).imfFixdate == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test(arguments: [(Int64(7), "0007"), (12_345, "12345"), (0, "0000")])
    func `a number is padded with zeros to a given width and never truncated`(
        _ number: Int64, _ text: String
    ) {
        #expect(number.zeroPadded(to: 4) == text)
    }
}
