import ProxydParameterCoding
import Testing

@Suite struct URLEncodingDateTests {
    private func text(_ seconds: Double, _ dates: URLEncoding.DateEncoding) throws -> String {
        let encoding = URLEncoding.default.changed {
            $0.dates = dates
            $0.escapes = EscapeSet.rfc3986.keeping(": '")
        }
        let date = Parameter.date(ParameterDate(secondsSince2001: seconds))
        return String(try encoding.text(["d": date]).dropFirst(2))
    }

    @Test func `URLEncoding writes dates as seconds, milliseconds, ISO 8601 or in a custom format`()
        throws
    {
        #expect(try text(123.456, .deferredToDate) == "123.456")
        #expect(try text(123.5, .secondsSince1970) == "978307323.5")
        #expect(try text(123.456, .millisecondsSince1970) == "978307323456.0")
        #expect(try text(123.456, .iso8601) == "2001-01-01T00:02:03Z")
        #expect(try text(-0.5, .iso8601) == "2000-12-31T23:59:59Z")
        #expect(try text(7, .custom { "\($0.secondsSince2001)s" }) == "7.0s")
    }

    @Test(arguments: [
        (123.456, "yyyy-MM-dd HH:mm:ss.SSSS", "2001-01-01 00:02:03.4560"),
        (123.456, "SSSSSSSS", "45600000"),
        (-0.001, "yyyy-MM-dd HH:mm:ss.SSS", "2000-12-31 23:59:59.999"),
        (0.9999999, "s.SSSSSS", "1.000000"),
        (0, "d.M.yy", "1.1.01"),
        (0, "H:m:s", "0:0:0"),
        (0, "yyyyyy", "002001"),
        (0, "'y' ''yyyy'' 'o''clock'", "y '2001' o'clock"),
        (5_097_600, "yyyyMMdd", "20010301"),
        (-26_438_400, "yyyyMMdd", "20000301"),
        (-26_524_800, "yyyyMMdd", "20000229"),
    ])
    func `URLEncoding formats dates by a pattern, in UTC`(
        seconds: Double,
        pattern: String,
        expected: String
    ) throws {
        #expect(try text(seconds, .formatted(pattern)) == expected)
    }

    @Test(arguments: ["yyyy-MM-ddTHH", "Z", "'open", "'open''", "EEE"])
    func `a date pattern with unsupported letters or an unclosed apostrophe throws an error`(
        pattern: String
    ) {
        #expect(throws: ParameterEncodingError.badDatePattern(pattern)) {
            try text(0, .formatted(pattern))
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e12, 2.6e11, -6.4e10])
    func `URLEncoding throws an error for a date that is out of the calendar's range`(
        seconds: Double
    ) {
        for dates in [URLEncoding.DateEncoding.iso8601, .formatted("yyyy")] {
            #expect(throws: ParameterEncodingError.dateOutOfRange(key: "d")) {
                try text(seconds, dates)
            }
        }
    }

    @Test func `URLEncoding throws an error for a date that is NaN`() {
        #expect(throws: ParameterEncodingError.numberNotFinite(key: "d")) {
            try text(.nan, .secondsSince1970)
        }
    }
}
