import ProxydCivilTime
import Testing

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
