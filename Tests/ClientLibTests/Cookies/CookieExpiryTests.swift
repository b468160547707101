import ClientLib
import ProxydHTTPModel
import Testing

/// The Expires attribute (RFC 6265 §5.1.1).
struct CookieExpiryTests {
    private let start = HTTPDate(secondsSinceEpoch: 784_000_000)

    private func expiry(_ text: String) throws -> HTTPDate? {
        var limits = CookieLimits()
        limits.ageSecondsMax = .max
        var jar = CookieJar(limits: limits)
        let url = CookieTestURL.make("http://h/")
        try jar.store(setCookie: Array("a=1; Expires=\(text)".utf8), from: url, now: start)
        return jar.all.first?.expiry
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "06 november 94 8:49:37", "8:49:37x 1994 Nov, 6th",
        "Sun/06/NOV/1994/08:49:37/PST", "6  Nov  94  8:49:37", "08:49:37 6 Nov 94foo",
    ])
    func `a cookie's Expires may have any format with a time, a day, a month and a year`(
        text: String
    ) throws {
        #expect(try expiry(text) == HTTPDate(secondsSinceEpoch: 784_111_777))
    }

    @Test(arguments: [
        "", "tomorrow", "06 Nov 1994", "08:49:37 Nov 1994", "6 Nov 1994 08:49", "6 Nov 1600 1:1:1",
        "31 Feb 1995 1:1:1", "6 Nov 1994 24:00:00", "6 Nov 1994 1:60:00", "6 Nov 1994 1:1:60",
        "006 Nov 1994 8:49:37", "6 Nov 19945 8:49:37", "32 Nov 1994 8:49:37", "0 Nov 1994 1:1:1",
    ])
    func `a cookie with an invalid Expires is a session cookie`(text: String) throws {
        #expect(try expiry(text) == nil)
    }

    @Test(arguments: [("69", 2069), ("70", 2070), ("99", 2099), ("00", 2000), ("2000", 2000)])
    func `two-digit years in Expires mean 1970 to 2069`(digits: String, year: Int) throws {
        let expected = year > 2069 ? year - 100 : year
        // What ended before now is not kept: a year in the past leaves the jar empty.
        let text = try expiry("1 Dec \(digits) 00:00:00")?.description
        #expect(expected < 1994 ? text == nil : text?.contains(" \(expected) ") == true)
    }
}
