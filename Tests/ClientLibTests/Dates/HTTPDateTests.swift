import ClientLib
import ProxydHTTPModel
import Testing

struct HTTPDateTests {
    private static let moment = HTTPDate(secondsSinceEpoch: 784_111_777)
    private let now = HTTPDate(secondsSinceEpoch: 1_784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    ])
    func `all three formats of an HTTP date are parsed`(text: String) {
        #expect(HTTPDate(text, now: now) == Self.moment)
    }

    @Test func `an HTTP date is written as IMF-fixdate`() {
        #expect(Self.moment.description == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate(secondsSinceEpoch: -1).description == "Wed, 31 Dec 1969 23:59:59 GMT")
    }

    @Test func `a formatted HTTP date is parsed back unchanged, across leap years and centuries`() {
        for seconds in stride(from: Int64(-60_000_000_000), to: 250_000_000_000, by: 86_400_007) {
            let date = HTTPDate(secondsSinceEpoch: seconds)
            #expect(HTTPDate(date.description, now: now) == date)
        }
    }

    @Test(arguments: [
        "", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun Nov 06 08:49:37 94", "784111777",
    ])
    func `a string that is not a valid date in an HTTP date format is rejected`(text: String) {
        #expect(HTTPDate(text, now: now) == nil)
    }

    @Test func `a leap second in an HTTP date is read as second 59`() {
        let text = "Sat, 31 Dec 2016 23:59:60 GMT"
        #expect(HTTPDate(text)?.description == "Sat, 31 Dec 2016 23:59:59 GMT")
    }

    @Test(arguments: [("76", 2076), ("77", 1977), ("26", 2026), ("00", 2000)])
    func `a two-digit year in an HTTP date is read as a year at most 50 years in the future`(
        digits: String, year: Int
    ) throws {
        // 2026.
        let date = try #require(HTTPDate("Friday, 01-May-\(digits) 00:00:00 GMT", now: now))
        #expect(date.description.contains(" May \(year) "))
    }

    @Test func `Retry-After is parsed as seconds or as a date`() {
        #expect(RetryAfter("120")?.delay(from: now) == .seconds(120))
        let later = HTTPDate(secondsSinceEpoch: now.secondsSinceEpoch + 5)
        #expect(RetryAfter(later.description, now: now)?.delay(from: now) == .seconds(5))
        #expect(RetryAfter(Self.moment.description, now: now)?.delay(from: now) == .zero)
        #expect(RetryAfter("99999999999999999999") == .seconds(.max))
    }

    @Test(arguments: ["", "-1", "1.5", "soon", " 1"])
    func `a Retry-After that is neither seconds nor a date is ignored`(text: String) {
        #expect(RetryAfter(text) == nil)
    }

    @Test func `Retry-After is read from a response head if present`() {
        let head = ResponseHead(
            status: 503, reason: "", fields: HeaderFields([("retry-after", "7")]))
        #expect(RetryAfter(head) == .seconds(7))
        #expect(RetryAfter(ResponseHead(status: 503, reason: "", fields: HeaderFields())) == nil)
    }
}
