import ProxydHTTPModel
import ProxydRules
import Testing

@Suite struct MockDatesTests {
    private func refreshed(
        _ pairs: [(name: String, value: String)], by seconds: Int64 = 86_400
    ) -> String {
        MockDates.refreshed(HeaderFields(pairs), bySeconds: seconds).description
    }

    @Test
    func `refreshing a captured response moves its dates, removes Age and keeps the field order`() {
        let fields = refreshed([
            ("DATE", "Mon, 23 Nov 2026 10:00:00 GMT"), ("Cache-Control", "max-age=60"),
            ("Age", "17"), ("expires", "Mon, 23 Nov 2026 10:01:00 GMT"),
            ("Last-Modified", "Saturday, 31-Oct-26 23:59:59 GMT"), ("ETag", "\"a\""),
        ])
        #expect(
            fields == """
                DATE: Tue, 24 Nov 2026 10:00:00 GMT
                Cache-Control: max-age=60
                expires: Tue, 24 Nov 2026 10:01:00 GMT
                Last-Modified: Sun, 01 Nov 2026 23:59:59 GMT
                ETag: "a"
                """)
    }

    @Test(arguments: [
        (
            "a=1; Expires=Mon, 23 Nov 2026 10:00:00 GMT; Path=/",
            "a=1; Expires=Tue, 24 Nov 2026 10:00:00 GMT; Path=/"
        ),
        (
            "a=1; Max-Age=5; EXPIRES = Mon, 23-Nov-26 10:00:00 GMT",
            "a=1; Max-Age=5; EXPIRES =Tue, 24 Nov 2026 10:00:00 GMT"
        ),
        ("expires=1; Path=/", "expires=1; Path=/"), ("a=1; Expires=never", "a=1; Expires=never"),
        ("a=1; Expires", "a=1; Expires"), ("", ""), (";", ";"),
    ])
    func `refreshing a captured response moves a cookie's Expires attribute if it is a date`(
        value: String, moved: String
    ) {
        #expect(refreshed([("Set-Cookie", value)]) == "Set-Cookie: \(moved)")
    }

    @Test func `refreshing a captured response moves the expiry of each of several cookies`() {
        let cookie = (name: "Set-Cookie", value: "a=1; Expires=Mon, 23 Nov 2026 10:00:00 GMT")
        let moved = "Set-Cookie: a=1; Expires=Tue, 24 Nov 2026 10:00:00 GMT"
        #expect(refreshed([cookie, ("X", "1"), cookie]) == "\(moved)\nX: 1\n\(moved)")
    }

    @Test(arguments: ["0", "-1", "", "tomorrow", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func `refreshing a captured response keeps invalid dates and dates that would be out of range`(
        value: String
    ) {
        #expect(refreshed([("Expires", value)]) == "Expires: \(value)")
    }

    @Test
    func `refreshing a captured response by an extreme time difference leaves its dates unchanged`()
    {
        let date = "Mon, 23 Nov 2026 10:00:00 GMT"
        #expect(refreshed([("Date", date)], by: .max) == "Date: \(date)")
        #expect(refreshed([("Date", date)], by: .min) == "Date: \(date)")
    }
}
